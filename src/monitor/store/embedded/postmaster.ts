import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { monotonicMs } from "../../../lib/clock.ts";

/** The state of a server from its lock file. `ready`: it accepts connections. */
interface Postmaster {
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

/**
 * A process that has ended counts as gone at once, even if its parent has not collected it: an orphan waits for process 1
 * of its container, and some of these never do.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return process.platform !== "linux" || !hasEnded(pid);
}

/** The state stands behind the name in brackets, which may have brackets and spaces: proc(5). */
function hasEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/**
 * Removes a lock file whose process has ended, or whose process id now belongs to another program, and returns whether it
 * did. In a container, where ids start again at 1, the latter is the usual case after a crash. PostgreSQL alone would
 * refuse to start while there is any process with this id, also one that has ended and was not collected.
 */
export async function removeStaleLockFile(directory: string, pid: number): Promise<boolean> {
  if (isAlive(pid) && (await isPostmasterOf(directory, pid))) return false;
  await rm(lockFile(directory), { force: true });
  return true;
}

/**
 * Waits until no process works in the directory, at most for half a minute. Children of a killed postmaster go when they
 * notice, on a busy machine after seconds; until then PostgreSQL refuses to start. Elsewhere than on Linux nobody knows.
 */
export async function untilUnused(directory: string): Promise<void> {
  if (process.platform !== "linux") return;
  const deadline = monotonicMs() + 30_000;
  while ((await isUsed(await realpath(directory))) && monotonicMs() < deadline) await delay(50);
}

async function isUsed(directory: string): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => null)));
  return folders.includes(directory);
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
