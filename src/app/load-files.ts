import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Config, loadConfig } from "../config.ts";
import { BusyError, describeError, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { counted } from "../lib/numbers.ts";
import { linkSecret } from "../notify/view/signed-links.ts";
import type { Rule } from "../rules/rule.ts";
import type { Stores } from "../store/stores.ts";
import type { Renderer } from "../templates/create-renderer.ts";
import { openTemplates } from "./open-templates.ts";
import { validRules, validTemplates } from "./validate-files.ts";

/** What people write, read once: every part of a process uses these, and none reads the files again. */
export interface LoadedFiles {
  readonly config: Config;
  readonly rules: readonly Rule[];
  readonly renderer: Renderer;
  /** A hash of what the files say; secrets are in it only if they are written into earshot.yaml itself. */
  readonly digest: string;
}

type Folders = Pick<Config, "rules" | "templates">;

interface LoadOptions {
  /** The folders to check if earshot.yaml cannot be read; those beside it if absent. */
  readonly folders?: Folders;
  /** False: templates are read and not tried on samples. */
  readonly triesTemplates: boolean;
}

/**
 * Reads earshot.yaml, the rules and the templates, and checks all of them. Rejects with one UserError that has the faults
 * of all files. All are read twice: files that change meanwhile are read again, so that no half of a change is loaded.
 * If they change all the time, it is a BusyError.
 */
export async function loadFiles(
  file: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions,
): Promise<LoadedFiles> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    if (tries > 1) await delay(PAUSE_MS);
    const config = await attempt(loadConfig(file, env));
    const folders = "value" in config ? config.value : (options.folders ?? foldersBeside(file));
    const before = await readAll(file, folders);
    const again = await attempt(loadConfig(file, env));
    const rules = await attempt(validRules(folders.rules));
    const renderer = await attempt(
      (options.triesTemplates ? validTemplates : openTemplates)(folders.templates),
    );
    if ((await readAll(file, folders)).stamp !== before.stamp) continue;
    if ("value" in again && "value" in rules && "value" in renderer)
      return { config: again.value, rules: rules.value, renderer: renderer.value, digest: before.digest };
    throw allOf(
      file,
      [again, rules, renderer].flatMap((one) => ("error" in one ? [one.error] : [])),
    );
  }
  throw new BusyError(`${file}, its rules or its templates are being written; reload when that is done`);
}

const MOST_TRIES = 10;
const PAUSE_MS = 200;

/**
 * The hash of what the files say now, and nothing of their faults: whether a process needs to read them again. Null if
 * earshot.yaml has a fault.
 */
export async function digestOfFiles(file: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const config = await attempt(loadConfig(file, env));
  return "value" in config ? (await readAll(file, config.value)).digest : null;
}

/**
 * The version of a digest, as people see it. It cannot be computed without the secret of the installation, so that
 * nobody tries passwords against it.
 */
export async function versionsIn(stores: Pick<Stores, "settings">): Promise<(digest: string) => string> {
  const secret = await linkSecret(stores);
  return (digest) =>
    createHmac("sha256", secret).update(`configuration ${digest}`).digest("hex").slice(0, 10);
}

function foldersBeside(file: string): Folders {
  const folder = (name: "rules" | "templates") => {
    const beside = join(dirname(file), name);
    return existsSync(beside) ? beside : shippedFolder(name);
  };
  return { rules: folder("rules"), templates: folder("templates") };
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

function attempt<T>(work: Promise<T>): Promise<Attempt<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** The only error as it is; several as one, with the details of each. */
function allOf(file: string, errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  const details = errors.flatMap((error) =>
    error instanceof UserError && error.details.length > 0 ? error.details : [describeError(error)],
  );
  return new UserError(
    `${file}, its rules and its templates have ${counted(details.length, "fault")}`,
    details,
  );
}

/**
 * `digest`: of names and contents, the same on every machine. `stamp`: it changes with every write, even if a file has
 * the same content again. Files that cannot be read count as absent.
 */
async function readAll(
  file: string,
  folders: Folders,
): Promise<{ readonly digest: string; readonly stamp: string }> {
  const digest = createHash("sha256");
  const stamp = createHash("sha256");
  for (const { name, path } of [{ name: "earshot.yaml", path: file }, ...(await listed(folders))]) {
    const [content, status] = await Promise.all([
      readFile(path).catch(() => null),
      stat(path, { bigint: true }).catch(() => null),
    ]);
    const said = JSON.stringify([name, content?.toString("base64") ?? null]);
    digest.update(said);
    stamp.update(said).update(`${status?.ino} ${status?.ctimeNs}`);
  }
  return { digest: digest.digest("hex"), stamp: stamp.digest("hex") };
}

/** Rules and templates, by name. The shipped templates belong to the program, not to a version of the files. */
async function listed(folders: Folders): Promise<{ name: string; path: string }[]> {
  const isOwn = resolve(folders.templates) !== resolve(shippedFolder("templates"));
  const [rules, templates] = await Promise.all([
    filesIn(folders.rules, /^[^.].*\.ya?ml$/, false),
    isOwn ? filesIn(folders.templates, /\.hbs$/, true) : [],
  ]);
  return [
    ...rules.map((path) => ({ name: nameIn("rules", folders.rules, path), path })),
    ...templates.map((path) => ({ name: nameIn("templates", folders.templates, path), path })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function filesIn(folder: string, pattern: RegExp, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => pattern.test(entry.name) && !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function nameIn(kind: string, folder: string, path: string): string {
  return `${kind}/${relative(folder, path).split(sep).join("/")}`;
}
