import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { shippedFolder } from "../../lib/folders.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Config } from "../config/config.ts";

export type Folders = Pick<Config, "rules" | "templates">;

/** The files that make a version, as they are at one moment. */
export interface FileState {
  /** Of names and contents: the same on every machine. */
  readonly digest: string;
  /** It changes with every write, even if a file has the same content again. */
  readonly stamp: string;
  readonly hasEmpty: boolean;
  /** Of a file, or of a list of files. Null without earshot.yaml. */
  readonly changedAt: Instant | null;
}

/** Files that cannot be read count as absent. */
export async function readFileState(file: string, folders: Folders): Promise<FileState> {
  const digest = createHash("sha256");
  const stamp = createHash("sha256");
  const { files, within } = await listed(folders);
  let hasEmpty = false;
  let changedAt: Instant | null = null;
  for (const { name, path } of [{ name: "earshot.yaml", path: file }, ...files]) {
    const [content, status] = await Promise.all([
      readFile(path).catch(() => null),
      stat(path, { bigint: true }).catch(() => null),
    ]);
    const entry = JSON.stringify([name, content?.toString("base64") ?? null]);
    digest.update(entry);
    stamp.update(entry).update(`${status?.ino} ${status?.ctimeNs}`);
    hasEmpty ||= content?.length === 0;
    if (status === null) continue;
    // Not `mtime`, which tools that copy files put back.
    if (path === file || changedAt !== null) changedAt = Math.max(changedAt ?? 0, Number(status.ctimeMs));
  }
  // A file that was taken away or put there shows in its folder only.
  for (const path of within) {
    const status = await stat(path).catch(() => null);
    if (status !== null && changedAt !== null) changedAt = Math.max(changedAt, status.ctimeMs);
  }
  return { digest: digest.digest("hex"), stamp: stamp.digest("hex"), hasEmpty, changedAt };
}

/**
 * Rules and templates, by name, and the folders that list them. The shipped templates belong to the program, not to a
 * version of the files.
 */
async function listed(folders: Folders): Promise<{
  readonly files: readonly { readonly name: string; readonly path: string }[];
  readonly within: readonly string[];
}> {
  const isOwn = resolve(folders.templates) !== resolve(shippedFolder("templates"));
  const [rules, templates] = await Promise.all([
    filesIn(folders.rules, /^[^.].*\.ya?ml$/, false),
    isOwn ? filesIn(folders.templates, /\.hbs$/, true) : { files: [], within: [] },
  ]);
  const files = [
    ...rules.files.map((path) => ({ name: nameIn("rules", folders.rules, path), path })),
    ...templates.files.map((path) => ({ name: nameIn("templates", folders.templates, path), path })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, within: [...rules.within, ...templates.within] };
}

async function filesIn(folder: string, pattern: RegExp, recursive: boolean) {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch(() => []);
  const pathOf = (entry: Dirent) => join(entry.parentPath, entry.name);
  return {
    files: entries.filter((entry) => pattern.test(entry.name) && !entry.isDirectory()).map(pathOf),
    within: [folder, ...(recursive ? entries.filter((entry) => entry.isDirectory()).map(pathOf) : [])],
  };
}

function nameIn(kind: string, folder: string, path: string): string {
  return `${kind}/${relative(folder, path).split(sep).join("/")}`;
}
