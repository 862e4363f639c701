import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { RuleToSave, SavedFile } from "#console";
import { LONGEST_POSTED, loadRules, RULE_NAME, type Stores, TOO_LONG } from "#monitor";
import { didYouMean, type Fault } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { counted } from "../../lib/numbers.ts";
import type { RuleFiles } from "./rule-files.ts";
import type { RuleReader } from "./rule-reader.ts";
import { normalized, refused, saveFile } from "./save-file.ts";

/** `/rules/try` is a page of its own. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(["try"]);
const LONGEST_NAME = 80;
const WITH_FAULTS = "with this rule, the folder of rules has faults";

/** Writes a rule into the folder, if the whole folder is valid with it; see `saveFile`. */
export async function saveRule(
  parts: Pick<RuleFiles, "folder" | "reload"> & {
    readonly stores: Stores;
    readonly reader: Pick<RuleReader, "read">;
    readonly log: Logger;
  },
  { name, text, opened, actor }: RuleToSave,
  now: Instant,
): Promise<SavedFile> {
  const { reader, folder } = parts;
  const wrongName = faultOfName(name);
  if (wrongName !== null) return refused(wrongName);
  if (text.length > LONGEST_POSTED) return refused(TOO_LONG);
  const written = normalized(text);
  // Alone and in a thread, before the folder is read with it.
  const read = await reader.read({ name, text: written });
  if (read.outcome === "Busy") return refused("others try rules at the moment: save it again in a moment");
  if (read.outcome === "Faulty") {
    const more = read.more === 0 ? [] : [`and ${counted(read.more, "more fault")}`];
    return refused(WITH_FAULTS, [...read.faults.map(describeInFile), ...more]);
  }
  return saveFile(
    parts,
    {
      ...{ what: "rule", subject: name, file: `${name}.yaml`, text: written, opened, actor },
      becauseTaken: "there is a rule of this name already: choose another name, or open that rule",
      whyRefused: async () => {
        const faults = await faultsWith(folder, name, written);
        return faults.length === 0 ? null : refused(WITH_FAULTS, faults);
      },
    },
    now,
  );
}

/** Why a name cannot be the name of a new rule; null if it can. The name never leaves the folder. */
function faultOfName(name: string): string | null {
  if (TAKEN_NAMES.has(name)) return `a rule cannot be called ${name}: the console has a page of that name`;
  if (name.length > LONGEST_NAME) return `a name has ${LONGEST_NAME} characters at most`;
  if (!RULE_NAME.test(name))
    return "a rule is named in lower case with hyphens, such as refund-storm: letters a to z and digits only";
  return null;
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
