import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { UserError } from "../../../src/lib/errors.ts";
import { isAlive } from "../../../src/monitor/store/embedded/postmaster.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/monitor/store/embedded.ts";
import { type Bundle, bundleEntries } from "../../bundle.ts";

/** What the servers' supervisors log. */
const heard: string[] = [];
const log = pino({ level: "error" }, { write: (line: string) => heard.push(line) });
const settings = { fsync: "off" };
let root: string;
let dataDir: string;
let stops: (() => Promise<unknown>)[];
const PARENT = "test/monitor/store/fixtures/embedded-parent.ts";
let bundle: Bundle;
/** Tables as a first start makes them, which takes longer than all that most tests do with them. */
let made: string;

beforeAll(async () => {
  bundle = await bundleEntries([PARENT]);
  made = await mkdtemp(join(tmpdir(), "earshot-embedded-"));
  await chmod(made, 0o755);
  await (await startEmbeddedPostgres({ dataDir: join(made, "postgres"), log, settings })).stop();
});
afterAll(async () => {
  await bundle.remove();
  await removeTables(made);
});

/** As if there had been a first start. If the tables go elsewhere, `.location` exists. */
async function haveTables(): Promise<void> {
  if (existsSync(join(made, "postgres.location"))) return (await start()).stop();
  for (const name of ["postgres", "postgres.password"]) execFileSync("cp", ["-a", join(made, name), root]);
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "earshot-embedded-"));
  await chmod(root, 0o755);
  dataDir = join(root, "postgres");
  stops = [];
});

afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  await removeTables(root);
});

async function removeTables(folder: string): Promise<void> {
  const elsewhere = (await readFile(join(folder, "postgres.location"), "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

async function start(
  more: { share?: boolean; port?: number; fileSocket?: boolean } = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log, settings, ...more });
  stops.push(server.stop);
  return server;
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function startInChild(): Promise<{ child: ChildProcess; url: string; pid: number }> {
  const child = spawn(process.execPath, [bundle.file(PARENT), dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, as a terminal gives to what is started in it.
    detached: true,
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const started = JSON.parse(line) as { url: string; pid: number };
  stops.push(async () => {
    child.kill("SIGKILL");
    if (isAlive(started.pid)) process.kill(started.pid, "SIGINT");
    await expect.poll(() => isAlive(started.pid), { timeout: 10_000 }).toBe(false);
  });
  return { child, ...started };
}

test("where it is asked to, it listens on a socket in the file system; a guest uses that, too", async () => {
  await haveTables();
  const { url } = await start({ fileSocket: true });
  expect(await ask(url, "select inet_server_addr() is null as local")).toEqual([{ local: true }]);
  const guest = await start({ fileSocket: true, share: true });
  expect(guest.url).toBe(url);
  const other = await start({ share: true });
  expect(await ask(other.url, "select inet_server_addr() is null as local")).toEqual([{ local: false }]);
});

test("a first start makes a server that speaks UTF-8 and listens on this machine only", async () => {
  const server = await start();
  expect(await ask(server.url, "show server_encoding")).toEqual([{ server_encoding: "UTF8" }]);
  expect(await ask(server.url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
  expect(await ask(server.url, "show synchronous_commit")).toEqual([{ synchronous_commit: "on" }]);
  expect(await ask(server.url, "show max_connections")).toEqual([{ max_connections: "120" }]);
});

test("the password is random, in a file that only its owner can read, and needed", async () => {
  const server = await start();
  const password = (await readFile(`${dataDir}.password`, "utf8")).trim();
  expect(password).toMatch(/^[\w-]{32}$/);
  expect((await stat(`${dataDir}.password`)).mode & 0o777).toBe(0o600);
  const ours = new URL(server.url).password;
  expect(ours).toMatch(/^[\w-]{43}$/);
  for (const wrong of ["wrong", password])
    await expect(ask(server.url.replace(ours, wrong), "select 1")).rejects.toThrow(/password/);
});

test("a second start finds the tables of the first, on the same address", async () => {
  const first = await start();
  await ask(first.url, "create table kept as select 42 as answer");
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);
  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await ask(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test("a start after kill -9 of the parent takes over from the server that was left behind", async () => {
  await haveTables();
  const killed = await startInChild();
  await ask(killed.url, "create table kept as select 42 as answer");
  const exited = once(killed.child, "exit");
  killed.child.kill("SIGKILL");
  await exited;
  expect(isAlive(killed.pid)).toBe(true);
  const next = await start();
  expect(isAlive(killed.pid)).toBe(false);
  expect(await ask(next.url, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test("a start after kill -9 of parent and server recovers committed data", async () => {
  await haveTables();
  const killed = await startInChild();
  await ask(killed.url, "create table kept as select 42 as answer");
  killed.child.kill("SIGKILL");
  process.kill(killed.pid, "SIGKILL");
  const next = await start();
  expect(await ask(next.url, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test.skipIf(process.platform !== "linux")(
  "it waits for children of a killed server that are late",
  async () => {
    await haveTables();
    const killed = await startInChild();
    const children = await readFile(`/proc/${killed.pid}/task/${killed.pid}/children`, "utf8");
    const late = Number(children.split(" ")[0]);
    process.kill(late, "SIGSTOP");
    killed.child.kill("SIGKILL");
    process.kill(killed.pid, "SIGKILL");
    const wakes = setTimeout(() => process.kill(late, "SIGCONT"), 3_000);
    stops.push(async () => {
      clearTimeout(wakes);
      if (isAlive(late)) process.kill(late, "SIGCONT");
    });
    const next = await start();
    expect(await ask(next.url, "select 1 as one")).toEqual([{ one: 1 }]);
  },
);

test("a lock file whose process id belongs to another program does not block the start", async () => {
  await haveTables();
  const directory = (await readFile(`${dataDir}.location`, "utf8").catch(() => dataDir)).trim();
  await writeFile(
    join(directory, "postmaster.pid"),
    `${process.pid}\n${directory}\n0\n5432\n\n\n\nready   \n`,
  );
  await chmod(join(directory, "postmaster.pid"), 0o644);
  const next = await start();
  expect(await ask(next.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a second Earshot on the same directory gets an error that names the owner", async () => {
  await haveTables();
  const other = await startInChild();
  const refused = await start().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(String(refused)).toContain(`process ${other.child.pid}`);
});

test("of two that make the same directory at once, one gets it and the other gets an error", async () => {
  const both = await Promise.allSettled([start(), start()]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const loser = both.find((one) => one.status === "rejected");
  expect(loser?.reason).toBeInstanceOf(UserError);
});

test("Ctrl-C reaches Earshot alone: its server is there until Earshot has finished", async () => {
  await haveTables();
  const { child, pid } = await startInChild();
  const exited = once(child, "exit");
  process.kill(-(child.pid ?? 0), "SIGINT");
  await exited;
  expect(isAlive(pid)).toBe(true);
});

test("a command can share the server of a running Earshot, and leaves it running", async () => {
  await haveTables();
  const owner = await start();
  const guest = await start({ share: true });
  expect(guest).toMatchObject({ shared: true, url: owner.url, pid: owner.pid });
  await guest.stop();
  expect(await ask(owner.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("when the owner of a server ends, one of its guests takes it over, on the same address", async () => {
  await haveTables();
  const owner = await start();
  const guests = [await start({ share: true }), await start({ share: true })];
  const stopped = await start({ share: true });
  await stopped.stop();
  await owner.stop();
  await expect.poll(() => guests.some(({ shared }) => !shared), { timeout: 30_000 }).toBe(true);
  expect(guests.filter(({ shared }) => !shared)).toHaveLength(1);
  expect(await ask(owner.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a program that has nothing to do but to stop its server ends well", async () => {
  await haveTables();
  // Without the wait it ended with 13 in one of four.
  for (let time = 0; time < 6; time++) {
    const child = spawn(process.execPath, [bundle.file(PARENT), dataDir, "stop"], { stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([0, null]);
  }
});

test("a server that dies while Earshot runs comes back on the same address, each time", async () => {
  await haveTables();
  const server = await start();
  for (const time of ["first", "second"]) {
    const died = server.pid;
    process.kill(died, "SIGKILL");
    await expect.poll(() => server.pid, { timeout: 20_000, message: `the ${time} time` }).not.toBe(died);
    expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  }
});

test("a server that dies and whose address is taken for a while, is started until it is there", async () => {
  await haveTables();
  heard.length = 0;
  const server = await start();
  const port = Number(new URL(server.url).port);
  process.kill(server.pid, "SIGKILL");
  const squatter = createServer();
  // From the moment that the dead one leaves its address.
  await expect
    .poll(
      () =>
        new Promise<boolean>((resolve) => {
          squatter.once("error", () => resolve(false));
          squatter.listen(port, "127.0.0.1", () => resolve(true));
        }),
      { timeout: 10_000, interval: 1 },
    )
    .toBe(true);
  const hasFailed = () => heard.some((line) => line.includes("could not be started again; trying on"));
  await expect.poll(hasFailed, { timeout: 20_000 }).toBe(true);
  await new Promise((resolve) => squatter.close(resolve));
  const answer = () => ask(server.url, "select 1 as one").catch(() => null);
  await expect.poll(answer, { timeout: 20_000 }).toEqual([{ one: 1 }]);
});

test("a lost password file is reported as such, and the tables are left alone", async () => {
  await haveTables();
  await rm(`${dataDir}.password`);
  await expect(start()).rejects.toThrow(/\.password cannot be read/);
});

test.runIf(process.getuid?.() === 0)(
  "root's server works below a folder that its user cannot enter (runs only as root)",
  async () => {
    await chmod(root, 0o700);
    const server = await start();
    await ask(server.url, "create table kept as select 42 as answer");
    const directory = (await readFile(`${dataDir}.location`, "utf8")).trim();
    expect(dirname(directory)).toBe("/var/lib/earshot");
    await server.stop();
    const next = await start();
    expect(await ask(next.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  },
);

test("a data directory in a folder that does not exist yet is made", async () => {
  dataDir = join(root, "a", "b", "postgres");
  await mkdir(join(root, "a"));
  const server = await start();
  expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
});
