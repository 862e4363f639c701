import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { SavedFile } from "#console";
import { type Actor, describeActor, ruleVersion, type Stores } from "#monitor";
import { codeOf, describeError } from "../../lib/errors.ts";
import { type Instant, toIso } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { RuleFiles } from "./rule-files.ts";

/** Old versions of files, inside their folder; the loaders do not read them. */
export const HISTORY = ".history";

interface FileToSave {
  readonly what: "rule" | "template";
  /** The name under which its changes are listed. */
  readonly subject: string;
  /** Its path in the folder, which never leads out of it. */
  readonly file: string;
  /** Null: the file is taken away. */
  readonly text: string | null;
  /** The version that was opened; null if there was no file. */
  readonly opened: string | null;
  readonly actor: Actor;
  /** Why it is refused if there was no file, and is one now. */
  readonly becauseTaken: string;
  /** The faults of the folder with it. Called under the lock. */
  readonly whyRefused: () => Promise<SavedFile | null>;
}

/**
 * Writes a file of a folder: only if it is still the version that was opened, and if the whole folder is valid with it.
 * The old version is kept in `.history`. The lock of a transaction makes two saves wait for each other, in whichever
 * process. Who writes is stored and committed by itself before the file changes: no change of a file is without its
 * line, whatever dies. The line of a change that failed is taken back.
 */
export async function saveFile(
  parts: Pick<RuleFiles, "folder" | "reload"> & { readonly stores: Stores; readonly log: Logger },
  toSave: FileToSave,
  now: Instant,
): Promise<SavedFile> {
  const { stores, folder, log, reload } = parts;
  const { what, subject, text, opened, actor } = toSave;
  const file = join(folder, toSave.file);
  let isWritten = false;
  const save = () =>
    stores.transaction<SavedFile>(async ({ rulePages }) => {
      await rulePages.lock();
      const before = await readOld(file);
      if (before === "no file") return refused(`${basename(file)} is no plain file: it is not replaced`);
      const changed = changeSince(toSave, before);
      if (changed !== null) return refused(changed);
      if (before === text) return refused("nothing differs from the file");
      const because = await toSave.whyRefused();
      if (because !== null) return because;
      const after = text === null ? "shipped" : ruleVersion(text);
      // On a connection of its own.
      const edit = await stores.rulePages.noteEdit({
        ...{ rule: subject, at: now, actor, after },
        before: before === null ? null : ruleVersion(before),
      });
      try {
        const kept = before === null ? null : await keepOld(folder, toSave.file, now);
        if (text === null) await rm(file);
        else await writeWhole(folder, file, text);
        isWritten = true;
        log.info(
          { [what]: subject, by: describeActor(actor), via: actor.via, before: opened, after, kept },
          `a ${what} was changed on the console`,
        );
      } catch (error) {
        await stores.rulePages.forgetEdit(edit);
        throw error;
      }
      return SAVED;
    });
  try {
    const saved = await save().catch((error: unknown) => {
      // The lock was lost with its connection, after the work.
      if (isWritten) return SAVED;
      throw error;
    });
    return saved.outcome === "Saved" && reload !== undefined ? { ...saved, next: await reload() } : saved;
  } catch (error) {
    log.error({ [what]: subject, error: describeError(error) }, `a ${what} could not be saved`);
    // A code such as EACCES, and never a path of the machine.
    return refused(`the folder of ${what}s cannot be written: ${codeOf(error) ?? "see the log"}`);
  }
}

const SAVED: SavedFile = { outcome: "Saved", next: "Restart Earshot to use it." };

function changeSince({ what, opened, becauseTaken }: FileToSave, before: string | null): string | null {
  if (opened === null) return before === null ? null : becauseTaken;
  if (before === null)
    return `the file is gone since you opened it: copy your text, or save it as a new ${what}`;
  return ruleVersion(before) === opened
    ? null
    : `the file was changed since you opened it: copy your text, open the ${what} again, and change that`;
}

/** Forms send other line ends than files have. */
export function normalized(text: string): string {
  return `${text.replaceAll(/\r\n?/g, "\n").trimEnd()}\n`;
}

async function readOld(file: string): Promise<string | null | "no file"> {
  const found = await lstat(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  });
  if (found === null) return null;
  return found.isFile() ? readFile(file, "utf8") : "no file";
}

/** Returns the name of the copy. Two saves in one second have different names. */
async function keepOld(folder: string, file: string, now: Instant): Promise<string> {
  const history = join(folder, HISTORY);
  await mkdir(history, { recursive: true });
  if (!(await lstat(history)).isDirectory()) throw new Error(`${HISTORY} is no folder`);
  const ending = extname(file);
  const name = file.slice(0, -ending.length).replaceAll("/", "-");
  // The loader of templates reads folders in its folder, too.
  const keptEnding = ending === ".hbs" ? ".hbs.old" : ending;
  const time = toIso(now).replaceAll(/[-:]/g, "").replace(/\.\d+/, "");
  for (let n = 1; ; n++) {
    const kept = join(history, `${name}-${time}${n === 1 ? "" : `-${n}`}${keptEnding}`);
    try {
      await copyFile(join(folder, file), kept, constants.COPYFILE_EXCL);
      return kept;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** A reader sees the old file or the new one, whatever happens in between. */
async function writeWhole(folder: string, file: string, text: string): Promise<void> {
  const part = join(folder, `.${randomBytes(8).toString("hex")}.part`);
  await mkdir(dirname(file), { recursive: true });
  const mode = await lstat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0o644,
  );
  try {
    const handle = await open(part, "wx", mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

export function refused(because: string, details: readonly string[] = []): SavedFile {
  return { outcome: "Refused", because, details };
}
