import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

export interface TestRedis {
  readonly url: string;
  /** Starts again on the same address after `stop`, empty. */
  start(): Promise<void>;
  stop(): Promise<void>;
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
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = await spawnRedis(port);
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

async function spawnRedis(port: number): Promise<ChildProcess> {
  const child = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--hz", "100"],
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
