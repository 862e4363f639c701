import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, truncate } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { monotonicMs } from "../src/lib/clock.ts";

export interface TestRedis {
  readonly url: string;
  /** Starts again on the same address after `stop`, empty. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeepingRedis extends TestRedis {
  /** Starts again with what it had a second before it was stopped: as `appendonly yes` keeps it through a power cut. */
  startOlder(): Promise<void>;
  /** Stops it, and removes its file. */
  remove(): Promise<void>;
}

export const NO_REDIS = "skipped: no redis-server on the PATH";

export function hasRedis(): boolean {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * A private Redis that keeps nothing, or null where the machine has no `redis-server`; then say so:
 *
 *     test.skipIf(!hasRedis())(`… (${NO_REDIS})`, …)
 */
export async function startRedis(): Promise<TestRedis | null> {
  if (!hasRedis()) return null;
  return run(await freePort(), KEEPS_NOTHING);
}

const KEEPS_NOTHING = ["--save", "", "--appendonly", "no"];

/** As users have it, or null. Its file is as long as it was a second before, so what came since is gone. */
export async function startKeepingRedis(): Promise<KeepingRedis | null> {
  if (!hasRedis()) return null;
  const folder = await mkdtemp(join(tmpdir(), "earshot-redis-"));
  const files = join(folder, "appendonlydir");
  const keeps = ["--dir", folder, "--save", "", "--appendonly", "yes", "--auto-aof-rewrite-percentage", "0"];
  const redis = await run(await freePort(), keeps);
  const lengths: { readonly atMs: number; readonly bytes: number }[] = [];
  const file = async (): Promise<string> =>
    join(files, (await readdir(files)).find((name) => name.endsWith(".incr.aof")) ?? "none");
  const note = async (): Promise<void> => {
    lengths.push({ atMs: monotonicMs(), bytes: (await stat(await file())).size });
    if (lengths.length > KEPT_LENGTHS) lengths.shift();
  };
  const noting = setInterval(() => void note().catch(() => {}), LOST_MS / 10);
  return {
    url: redis.url,
    start: async () => {
      await rm(files, { recursive: true, force: true });
      lengths.length = 0;
      await redis.start();
    },
    startOlder: async () => {
      const before = lengths.findLast(({ atMs }) => atMs <= monotonicMs() - LOST_MS);
      await truncate(await file(), before?.bytes ?? 0);
      lengths.length = 0;
      await redis.start();
    },
    stop: redis.stop,
    remove: async () => {
      clearInterval(noting);
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `appendfsync everysec`. */
const LOST_MS = 1_000;
const KEPT_LENGTHS = 20;

async function run(port: number, settings: readonly string[]): Promise<TestRedis> {
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = await spawnRedis(port, settings);
  };
  const stop = async (): Promise<void> => {
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    child = null;
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, start, stop };
}

async function spawnRedis(port: number, settings: readonly string[]): Promise<ChildProcess> {
  const child = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", ...settings, "--hz", "100"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  child.stdout.resume();
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
