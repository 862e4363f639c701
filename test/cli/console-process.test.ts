import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Closing, createClosing } from "../../src/lib/closing.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import type { RunningProcess } from "../../src/monitor/model/process.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import type { Bundle } from "../bundle.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { bundleEarshot, mainOf } from "./run-earshot.ts";

const PIPELINE = ["poll", "tick", "deliver", "digest", "sweep"];

/** Eight processes may share the machine. */
const WITHIN = { withinMs: MINUTE, everyMs: 50 };

let bundle: Bundle;
let closing: Closing;
let folder: string;
let databaseUrl: string;
let running: () => Promise<readonly RunningProcess[]>;
beforeAll(async () => {
  bundle = await bundleEarshot();
}, 2 * MINUTE);
beforeEach(async () => {
  closing = createClosing();
  const database = await createTestDatabase();
  closing.add(database.drop);
  databaseUrl = database.url;
  const opened = openDatabase({ url: databaseUrl, connections: 1, onError: () => {} });
  closing.add(opened.close);
  running = createStores(opened.db).processes.running;
  folder = await mkdtemp(join(tmpdir(), "earshot-console-"));
  closing.add(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "earshot.yaml"), config(9));
});
afterEach(() => closing.close());

function config(sourcePort: number): string {
  return `
source: { baseUrl: "http://127.0.0.1:${sourcePort}", username: a, password: b, clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
rules: ${process.cwd()}/rules
`;
}

interface StartedProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<unknown>;
  /** What it logged. */
  said(): string;
}

/** `earshot start` in a process group of its own, as a terminal starts it; resolves when its page is open. */
async function start(...words: readonly string[]): Promise<StartedProcess> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [mainOf(bundle), "start", "--port", "0", ...words], {
    cwd: folder,
    env: { PATH, HOME, DATABASE_URL: databaseUrl, EARSHOT_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const { pid = 0 } = child;
  closing.add(async () => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {}
  });
  let said = "";
  child.stderr?.on("data", (text: Buffer) => {
    said += text;
  });
  const ended = once(child, "exit");
  const address = () => /"url":"(http:[^"]+)","msg":"the page is open"/.exec(said)?.[1];
  await until("the page is open", () => address() !== undefined || child.exitCode !== null, WITHIN);
  const url = address();
  if (url === undefined) throw new Error(`it ended: ${said}`);
  return { child, url, ended, said: () => said };
}

/** The process of the console, as it reported itself. */
async function consoleOf(parent: ChildProcess, but = 0): Promise<number> {
  let pid = 0;
  await until(
    "the console has reported itself",
    async () => {
      const found = (await running()).filter(({ roles }) => roles.includes("web"));
      pid = found.map((one) => one.pid).find((one) => one !== but) ?? 0;
      return pid !== 0;
    },
    WITHIN,
  );
  expect(pid).not.toBe(parent.pid);
  return pid;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/alerts`).then(
    ({ ok }) => ok,
    () => false,
  );

test("start runs the pipeline and the console in two processes with one log, and one Ctrl-C ends both", async () => {
  const { child, url, ended, said } = await start();
  expect(await answers(url)).toBe(true);
  const pid = await consoleOf(child);
  const rolesOf = async (one: number | undefined) =>
    (await running()).find((process) => process.pid === one)?.roles;
  expect(await rolesOf(child.pid)).toEqual(PIPELINE);
  expect(await rolesOf(pid)).toEqual(["web"]);
  // The terminal sends it to the whole group.
  process.kill(-(child.pid ?? 0), "SIGINT");
  expect(await ended).toEqual([0, null]);
  expect(isAlive(pid)).toBe(false);
  expect(await running()).toEqual([]);
  expect(said()).not.toMatch(/ended by itself|"level":60/);
  expect(said().match(/"msg":"stopping"/g)).toHaveLength(1);
});

test("a SIGTERM to the first process ends both in order", async () => {
  const { child, ended, said } = await start();
  const pid = await consoleOf(child);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(isAlive(pid)).toBe(false);
  expect(said()).not.toMatch(/ended by itself|"level":60/);
});

test("a console that dies is started again at the same address, and the pipeline goes on", async () => {
  const { child, url, said } = await start();
  const pid = await consoleOf(child);
  process.kill(pid, "SIGKILL");
  await until("the page answers again", async () => !isAlive(pid) && (await answers(url)), WITHIN);
  expect(said()).toMatch(/"how":"SIGKILL".*"msg":"the console ended by itself and is started again/);
  await until("it is said", () => said().includes("the console runs again"), WITHIN);
  expect(child.exitCode).toBe(null);
  expect((await running()).map((one) => one.pid)).toContain(child.pid);
});

test("a console whose pipeline was killed ends by itself", async () => {
  const { child, url } = await start();
  const pid = await consoleOf(child);
  child.kill("SIGKILL");
  await until("the console has ended", () => !isAlive(pid), WITHIN);
  expect(await answers(url)).toBe(false);
});

test("a SIGHUP to the first process reloads both", async () => {
  const { child } = await start();
  await consoleOf(child);
  const before = (await running())[0]?.version;
  const file = join(folder, "earshot.yaml");
  await writeFile(file, `${await readFile(file, "utf8")}timezone: Europe/Berlin\n`);
  child.kill("SIGHUP");
  await until(
    "both run the new version",
    async () => {
      const versions = (await running()).map(({ version }) => version);
      return versions.length === 2 && versions.every((one) => one !== before && one === versions[0]);
    },
    WITHIN,
  );
});

test("a port in use is reported as always, and nothing stays behind", async () => {
  const other = createServer();
  closing.add(async () => void other.close());
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await expect(start("--port", String(port))).rejects.toThrow(
    new RegExp(`port ${port} of 127.0.0.1 is in use, perhaps by another Earshot`),
  );
  for (const { pid } of await running()) expect(isAlive(pid)).toBe(false);
});

test("with --one-process or the roles named, everything is in one process", async () => {
  for (const words of [["--one-process"], ["--roles", [...PIPELINE, "web"].join(",")]]) {
    const { child, url, ended } = await start(...words);
    expect(await answers(url)).toBe(true);
    expect((await running()).map(({ pid, roles }) => ({ pid, roles }))).toEqual([
      { pid: child.pid, roles: [...PIPELINE, "web"] },
    ]);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  }
});
