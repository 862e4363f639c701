import { chmod, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isAlive,
  readPostmaster,
  removeStaleLockFile,
  stopPostmaster,
} from "../src/monitor/store/embedded/postmaster.ts";

/** Linux keeps it in memory. */
const IN_MEMORY = "/dev/shm";

/** What the databases of a run need at once, and more. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * A new folder for the tables of a run, in memory where there is room: a database is copied there in 25 ms, and on a disk
 * in 30 to 340. Folders of runs that were killed go, and their servers.
 */
export async function makeRunFolder(): Promise<string> {
  const parent = (await hasRoom(IN_MEMORY)) ? IN_MEMORY : tmpdir();
  for (const name of await readdir(parent)) {
    const pid = Number(/^earshot-tests-(\d+)-/.exec(name)?.[1] ?? process.pid);
    // What another user left behind is theirs to remove.
    if (!isAlive(pid)) await removeRun(join(parent, name)).catch(() => {});
  }
  const folder = await mkdtemp(join(parent, `earshot-tests-${process.pid}-`));
  // The server is another user's if we are root.
  await chmod(folder, 0o755);
  return folder;
}

export const tablesOf = (folder: string) => join(folder, "postgres");

async function hasRoom(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

async function removeRun(folder: string): Promise<void> {
  const tables = tablesOf(folder);
  const left = await readPostmaster(tables);
  if (left !== null && !(await removeStaleLockFile(tables, left.pid))) await stopPostmaster(left.pid);
  await rm(folder, { recursive: true, force: true });
}
