import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, link, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describeError, UserError } from "../../../lib/errors.ts";
import type { ServerFiles } from "./place.ts";

/**
 * Makes the tables' directory if there is none, and returns the password. It is made under another name and then
 * renamed, so that a killed process leaves no half of a cluster behind.
 */
export async function initialiseCluster(place: ServerFiles, options: { sync: boolean }): Promise<string> {
  const existing = await readFile(join(place.directory, "PG_VERSION"), "utf8").catch(() => null);
  if (existing !== null) {
    await expectSameVersion(place, existing.trim());
    return readPassword(place);
  }
  const password = await inventPassword(place);
  const draft = `${place.directory}.new-${randomBytes(4).toString("hex")}`;
  try {
    await initdb(place, draft, password, options.sync);
    await rename(draft, place.directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another Earshot was faster: we use its cluster, and the lock decides later who owns it.
    if ((await stat(join(place.directory, "PG_VERSION")).catch(() => null)) !== null)
      return readPassword(place);
    throw new UserError(`PostgreSQL could not make its tables in ${place.directory}`, [describeError(error)]);
  }
  return password;
}

async function initdb(place: ServerFiles, directory: string, password: string, sync: boolean): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  const passwordFile = join(dirname(directory), `.initdb-${randomBytes(6).toString("hex")}`);
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    if (place.runAs.uid !== undefined && place.runAs.gid !== undefined) {
      await chown(directory, place.runAs.uid, place.runAs.gid);
      await chown(passwordFile, place.runAs.uid, place.runAs.gid);
    }
    // The built-in locale sorts the same on every machine and uses no system library, whose changes would break an
    // index.
    const words = [
      `--pgdata=${directory}`,
      "--username=earshot",
      "--auth=scram-sha-256",
      `--pwfile=${passwordFile}`,
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      ...(sync ? [] : ["--no-sync"]),
    ];
    await promisify(execFile)(place.binaries.initdb, words, {
      ...place.runAs,
      cwd: directory,
      env: { LC_ALL: "C", TZ: "UTC" },
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Keeps an existing one: a first start that was killed may have written it. The first of two to link wins. */
async function inventPassword(place: ServerFiles): Promise<string> {
  const draft = `${place.passwordFile}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  await link(draft, place.passwordFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return readPassword(place);
}

async function readPassword(place: ServerFiles): Promise<string> {
  try {
    return (await readFile(place.passwordFile, "utf8")).trim();
  } catch (error) {
    throw new UserError(`${place.passwordFile} cannot be read, and with it the way into ${place.directory}`, [
      describeError(error),
      "put the file back, or move the directory away to begin anew",
    ]);
  }
}

async function expectSameVersion(place: ServerFiles, version: string): Promise<void> {
  const answer = await promisify(execFile)(place.binaries.postgres, ["--version"], { cwd: "/" });
  const major = /\) (\d+)/.exec(answer.stdout)?.[1];
  if (major === undefined || major === version) return;
  throw new UserError(`${place.directory} was made by PostgreSQL ${version}; this Earshot brings ${major}`, [
    "dump it with the Earshot that made it, or move it away to begin anew",
  ]);
}
