import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { isAlive } from "../../src/monitor/store/embedded/postmaster.ts";
import type { Bundle } from "../bundle.ts";
import { createTestDatabase, type TestDatabase } from "../postgres.ts";
import { hasRedis, NO_REDIS, startRedis } from "../redis.ts";
import { until } from "../until.ts";
import { bundleEarshot, mainOf, runEarshot } from "./run-earshot.ts";

const CONFIG = `
source: { baseUrl: "http://127.0.0.1:9", username: a, password: b, clientId: c }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
rules: rules
`;
let bundle: Bundle;
let database: TestDatabase;
let folder: string;
let child: ChildProcess | null = null;
let said = "";

beforeAll(async () => {
  bundle = await bundleEarshot();
});
afterAll(() => bundle.remove());
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "earshot-stop-"));
  await writeFile(
    join(folder, "earshot.yaml"),
    CONFIG.replace("rules: rules", `rules: ${process.cwd()}/rules`),
  );
});
afterEach(async () => {
  child?.kill("SIGKILL");
  child = null;
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Starts the monitor, or a worker; resolves when it has said this. */
async function startUntil(
  redisUrl: string,
  words: RegExp,
  program: readonly string[] = [mainOf(bundle), "start", "--no-page"],
): Promise<void> {
  said = "";
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATABASE_URL: database.url, REDIS_URL: redisUrl, EARSHOT_HOME: folder };
  child = spawn(process.execPath, program, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    const hear = (text: Buffer): void => {
      said += text;
      if (words.test(said)) resolve();
    };
    child?.stdout?.on("data", hear);
    child?.stderr?.on("data", hear);
    child?.once("exit", () => reject(new Error(`it ended: ${said}`)));
  });
}

async function stops(signal: NodeJS.Signals): Promise<void> {
  if (child === null) throw new Error("nothing runs");
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

test("a start that waits for a dead REDIS_URL names it, says what to do, and stops on a signal", async () => {
  await startUntil("redis://127.0.0.1:9", /REDIS_URL cannot be reached.*earshot doctor/);
  expect(said).not.toContain("maxRetriesPerRequest");
  await stops("SIGTERM");
});

test.skipIf(!hasRedis())(
  `a monitor whose Redis went away stops at the first signal (${NO_REDIS})`,
  async () => {
    const redis = await startRedis();
    await startUntil(redis?.url ?? "", /Earshot is running/);
    await redis?.stop();
    await stops("SIGINT");
    expect(said).not.toContain("maxRetriesPerRequest");
  },
);

test("a REDIS_URL that is no address is reported at once", async () => {
  await expect(startUntil("localhost", /never said/)).rejects.toThrow(
    /REDIS_URL is no address of a Redis[\s\S]*redis:\/\/user:password@host:6379/,
  );
});

/** Resolves when it says this after now. */
async function hears(words: RegExp): Promise<void> {
  const before = said.length;
  await new Promise<void>((resolve, reject) => {
    const hear = (): void => {
      if (words.test(said.slice(before))) resolve();
    };
    child?.stdout?.on("data", hear);
    child?.stderr?.on("data", hear);
    child?.once("exit", () => reject(new Error(`it ended: ${said}`)));
  });
}

const PROCESSES: [name: string, running: RegExp, entry: string | undefined][] = [
  ["a monitor", /Earshot is running/, undefined],
  ["a worker", /the worker is running/, "workers/deliver.ts"],
];

async function startProcess(running: RegExp, entry: string | undefined): Promise<void> {
  await startUntil("", running, entry === undefined ? undefined : [bundle.file(entry)]);
}

/** `earshot reload` in this folder. */
function reload(cwd: string): ReturnType<typeof runEarshot> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATABASE_URL: database.url, EARSHOT_HOME: folder } as Record<string, string>;
  return runEarshot(bundle, ["reload"], { cwd, env });
}

test.each(PROCESSES)(
  "%s reloads the configuration at SIGHUP and reload; a fault in it leaves the running one alone",
  async (_, running, entry) => {
    const file = join(folder, "earshot.yaml");
    const before = await readFile(file, "utf8");
    await startProcess(running, entry);
    const sighup = async (words: RegExp): Promise<void> => {
      const heard = hears(words);
      child?.kill("SIGHUP");
      await heard;
    };
    await writeFile(file, `${before}\nrooutes: []\n`);
    await sighup(/not reloaded/);
    const refused = await reload(folder);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("rooutes");
    await writeFile(file, `${before}\ntimezone: Europe/Berlin\n`);
    await sighup(/the configuration was reloaded/);
    const again = hears(/the configuration was reloaded/);
    const taken = await reload(folder);
    expect(taken).toMatchObject({ code: 0, err: "" });
    expect(taken.out).toMatch(/Checked, no fault.*\n.*process \d+ .*: runs the new version/);
    await again;
    await stops("SIGTERM");
  },
);

test.each(PROCESSES)(
  "%s reloads by itself once the files of a new version come",
  async (_, running, entry) => {
    const file = join(folder, "earshot.yaml");
    const before = await readFile(file, "utf8");
    await startProcess(running, entry);
    // As on another machine, where the files are new already.
    const elsewhere = join(folder, "elsewhere");
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, "earshot.yaml"), `${before}\ntimezone: Asia/Tokyo\n`);
    const missing = await reload(elsewhere);
    expect(missing.out).toMatch(/goes on with version \w+: its files are .*copy the new files there/);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("1 of 1 process did not") });
    const byItself = hears(/the configuration was reloaded/);
    await copyFile(join(elsewhere, "earshot.yaml"), file);
    await byItself;
    await stops("SIGTERM");
  },
);

test.each([
  ["a monitor", "SIGINT", undefined],
  ["a worker", "SIGTERM", "workers/poll.ts"],
] as const)(
  "%s that is told to stop while it starts ends in order, and leaves no PostgreSQL",
  async (_, signal, entry) => {
    // Its PostgreSQL runs as another user when we are root.
    await chmod(folder, 0o755);
    const { PATH, HOME } = process.env;
    const program = entry === undefined ? [mainOf(bundle), "start", "--port", "0"] : [bundle.file(entry)];
    child = spawn(process.execPath, program, {
      cwd: folder,
      env: { PATH, HOME, EARSHOT_HOME: join(folder, ".earshot") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    said = "";
    child.stderr?.on("data", (text: Buffer) => {
      said += text;
    });
    const closed = once(child, "close");
    const lockFile = join(folder, ".earshot", "postgres", "postmaster.pid");
    await until("PostgreSQL starts", () => existsSync(lockFile), { withinMs: 30_000 });
    const pid = Number((await readFile(lockFile, "utf8")).split("\n")[0]);
    // A terminal, npm and tsx send one each.
    child.kill(signal);
    child.kill("SIGTERM");
    expect(await closed, said).toEqual([0, null]);
    expect(said).not.toMatch(/Error|Warning|"level":[56]0/);
    expect(existsSync(lockFile)).toBe(false);
    await until("PostgreSQL is gone", () => !isAlive(pid), { withinMs: 5_000 });
  },
);

test("a worker that waits for a dead Redis stops on a signal", async () => {
  await startUntil("redis://127.0.0.1:9", /REDIS_URL cannot be reached/, [bundle.file("workers/deliver.ts")]);
  await stops("SIGTERM");
});
