import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { RuleToSave, SavedRule } from "#console";
import {
  describeActor,
  LONGEST_POSTED,
  loadRules,
  RULE_NAME,
  type RuleFiles,
  ruleVersion,
  type Stores,
  TOO_LONG,
} from "#monitor";
import { codeOf, describeError, didYouMean, type Fault } from "../../lib/errors.ts";
import { type Instant, toIso } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { counted } from "../../lib/numbers.ts";
import type { RuleReader } from "./rule-reader.ts";

/** Old versions of rules, inside the folder of rules; the loader does not read it. */
export const HISTORY = ".history";
/** `/rules/try` is a page of its own. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(["try"]);
const LONGEST_NAME = 80;

/**
 * Writes a rule into the folder: only if its file is still the version that was opened, and if the whole folder is valid
 * with it. The old version is kept in `.history`. The lock of a transaction makes two saves wait for each other, in
 * whichever process. Who writes is stored and committed by itself before the file changes: no change of a file is
 * without its line, whatever dies. The line of a change that failed is taken back.
 */
export async function saveRule(
  parts: Pick<RuleFiles, "folder" | "reload"> & {
    readonly stores: Stores;
    readonly reader: Pick<RuleReader, "read">;
    readonly log: Logger;
  },
  { name, text, opened, actor }: RuleToSave,
  now: Instant,
): Promise<SavedRule> {
  const { stores, reader, folder, log, reload } = parts;
  const wrongName = faultOfName(name);
  if (wrongName !== null) return refused(wrongName);
  if (text.length > LONGEST_POSTED) return refused(TOO_LONG);
  const written = normalized(text);
  // Alone and in a thread, before the folder is read with it.
  const read = await reader.read({ name, text: written });
  if (read.outcome === "Busy") return refused("others try rules at the moment: save it again in a moment");
  if (read.outcome === "Faulty") {
    const more = read.more === 0 ? [] : [`and ${counted(read.more, "more fault")}`];
    return refused("with this rule, the folder of rules has faults", [
      ...read.faults.map(describeInFile),
      ...more,
    ]);
  }
  const file = join(folder, `${name}.yaml`);
  let isWritten = false;
  const save = () =>
    stores.transaction<SavedRule>(async ({ rulePages }) => {
      await rulePages.lock();
      const before = await readOld(file);
      if (before === "no file") return refused(`${name}.yaml is no plain file: it is not replaced`);
      const changed = changeSince(opened, before);
      if (changed !== null) return refused(changed);
      if (before === written) return refused("nothing differs from the file");
      const faults = await faultsWith(folder, name, written);
      if (faults.length > 0) return refused("with this rule, the folder of rules has faults", faults);
      const after = ruleVersion(written);
      // On a connection of its own.
      const edit = await stores.rulePages.noteEdit({
        ...{ rule: name, at: now, actor, after },
        before: before === null ? null : ruleVersion(before),
      });
      try {
        const kept = before === null ? null : await keepOld(folder, name, file, now);
        await writeWhole(folder, file, written);
        isWritten = true;
        log.info(
          { rule: name, by: describeActor(actor), via: actor.via, before: opened, after, kept },
          "a rule was changed on the console",
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
    log.error({ rule: name, error: describeError(error) }, "a rule could not be saved");
    // A code such as EACCES, and never a path of the machine.
    return refused(`the folder of rules cannot be written: ${codeOf(error) ?? "see the log"}`);
  }
}

const SAVED: SavedRule = { outcome: "Saved", next: "Restart Earshot to use it." };

/** Why a name cannot be the name of a new rule; null if it can. The name never leaves the folder. */
function faultOfName(name: string): string | null {
  if (TAKEN_NAMES.has(name)) return `a rule cannot be called ${name}: the console has a page of that name`;
  if (name.length > LONGEST_NAME) return `a name has ${LONGEST_NAME} characters at most`;
  if (!RULE_NAME.test(name))
    return "a rule is named in lower case with hyphens, such as refund-storm: letters a to z and digits only";
  return null;
}

function changeSince(opened: string | null, before: string | null): string | null {
  if (opened === null)
    return before === null
      ? null
      : "there is a rule of this name already: choose another name, or open that rule";
  if (before === null)
    return "the file is gone since you opened it: copy your text, or save it as a new rule";
  return ruleVersion(before) === opened
    ? null
    : "the file was changed since you opened it: copy your text, open the rule again, and change that";
}

/** Forms send other line ends than files have. */
function normalized(text: string): string {
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

/** Reads the folder as it would be, in a copy: all faults of all rules, as the start of Earshot would report them. */
async function faultsWith(folder: string, name: string, text: string): Promise<readonly string[]> {
  const copy = await mkdtemp(join(tmpdir(), "earshot-rules-"));
  try {
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (/\.ya?ml$/.test(entry.name) && !entry.name.startsWith(".") && !entry.isDirectory())
        await copyFile(join(folder, entry.name), join(copy, entry.name));
    await writeFile(join(copy, `${name}.yaml`), text);
    const { faults } = await loadRules(copy);
    return faults.map(describeInFile);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

function describeInFile({ file, line, message, suggestion }: Fault): string {
  return `${basename(file)}, line ${line}: ${message}${didYouMean(suggestion)}`;
}

/** Returns the name of the copy. Two saves in one second have different names. */
async function keepOld(folder: string, name: string, file: string, now: Instant): Promise<string> {
  const history = join(folder, HISTORY);
  await mkdir(history, { recursive: true });
  if (!(await lstat(history)).isDirectory()) throw new Error(`${HISTORY} is no folder`);
  const time = toIso(now).replaceAll(/[-:]/g, "").replace(/\.\d+/, "");
  for (let n = 1; ; n++) {
    const kept = join(history, `${name}-${time}${n === 1 ? "" : `-${n}`}.yaml`);
    try {
      await copyFile(file, kept, constants.COPYFILE_EXCL);
      return kept;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** A reader sees the old file or the new one, whatever happens in between. */
async function writeWhole(folder: string, file: string, text: string): Promise<void> {
  const part = join(folder, `.${randomBytes(8).toString("hex")}.part`);
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

function refused(because: string, details: readonly string[] = []): SavedRule {
  return { outcome: "Refused", because, details };
}
