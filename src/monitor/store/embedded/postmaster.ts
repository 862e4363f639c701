import { execFile } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { monotonicMs } from "../../../lib/clock.ts";

/** The state of a server from its lock file. `ready`: it accepts connections. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Reads `postmaster.pid`: line 1 the process, line 4 the port, line 8 the state. Null when there is none (yet). */
export async function readPostmaster(directory: string): Promise<Postmaster | null> {
  const text = await readFile(lockFile(directory), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? 0), ready: lines[7]?.trim() === "ready" };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Removes a lock file whose process id now belongs to another program, and returns whether it did. In a container,
 * where ids start again at 1, that is the usual case after a crash, and PostgreSQL alone would refuse to start for
 * ever.
 */
export async function removeStaleLockFile(directory: string, pid: number): Promise<boolean> {
  if (await isPostmasterOf(directory, pid)) return false;
  await rm(lockFile(directory), { force: true });
  return true;
}

/** SIGINT is PostgreSQL's fast shutdown. After half a minute comes SIGQUIT, which loses nothing committed either. */
export async function stopPostmaster(pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ["SIGINT", 30_000],
    ["SIGQUIT", 10_000],
    ["SIGKILL", 5_000],
  ] as const) {
    if (!signalTo(pid, signal)) return;
    const deadline = monotonicMs() + patienceMs;
    while (monotonicMs() < deadline) {
      if (!isAlive(pid)) return;
      await delay(10);
    }
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function lockFile(directory: string): string {
  return join(directory, "postmaster.pid");
}

/**
 * The working directory of a server is its data directory, which Linux shows. Elsewhere we check the program's name.
 */
async function isPostmasterOf(directory: string, pid: number): Promise<boolean> {
  if (process.platform === "linux") {
    const home = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    return home === (await realpath(directory));
  }
  const answer = await promisify(execFile)("ps", ["-o", "comm=", "-p", String(pid)]).catch(() => null);
  return answer?.stdout.includes("postgres") ?? true;
}
