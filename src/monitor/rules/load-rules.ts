import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeError, describeFault, type Fault, UserError, whyUnread } from "../../lib/errors.ts";
import { counted } from "../../lib/numbers.ts";
import { normalized } from "../../lib/text.ts";
import { parseRule } from "./parse-rule.ts";
import type { Rule } from "./rule.ts";

/** The folder of rule tests beside the rules. */
export const RULE_TESTS = "tests";

/** The name of a rule: that of its file. */
export const RULE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The version of a rule: a hash of its file. */
export function ruleVersion(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/**
 * Reads every `*.yaml` of a folder, in order of names. Returns all faults of all files and the valid rules; the caller
 * decides whether a folder with faults may be used. Throws a UserError only if the folder cannot be read.
 */
export async function loadRules(directory: string): Promise<{
  readonly rules: readonly Rule[];
  readonly faults: readonly Fault[];
  /** Things that work but should be fixed. */
  readonly warnings: readonly Fault[];
}> {
  const rules: Rule[] = [];
  const warnings: Fault[] = [];
  const faults: Fault[] = [];
  for (const entry of (await entriesOf(directory)).sort()) {
    if (entry.startsWith(".")) continue;
    const file = join(directory, entry);
    const fault = (message: string, suggestion?: string): void => {
      const place = { file, line: 1, column: 1, message };
      faults.push(suggestion === undefined ? place : { ...place, suggestion });
    };
    if (entry === RULE_TESTS) continue;
    if (await holdsRules(file))
      fault(
        `folders inside the folder of rules are not read: move the files of ${entry}/ next to the others`,
      );
    if (entry.endsWith(".yml")) fault("rule files end in .yaml", `${entry.slice(0, -4)}.yaml`);
    if (!entry.endsWith(".yaml")) continue;
    const name = entry.slice(0, -".yaml".length);
    if (!RULE_NAME.test(name)) {
      fault("a rule is named in lower case with hyphens, as its file is", `${ruleNameOf(name)}.yaml`);
      continue;
    }
    try {
      const read = parseRule(name, file, await readFile(file, "utf8"));
      if ("rule" in read) {
        rules.push(read.rule);
        warnings.push(...read.warnings);
      } else faults.push(...read.faults);
    } catch (error) {
      fault(`cannot be read: ${describeError(error)}`);
    }
  }
  return { rules, faults, warnings };
}

/** The rules of a folder. Rejects with a UserError that names every fault. */
export async function validRules(folder: string): Promise<readonly Rule[]> {
  const { rules, faults } = await loadRules(folder);
  if (faults.length > 0) {
    throw new UserError(
      `the rules in ${folder} have ${counted(faults.length, "fault")}`,
      faults.map(describeFault),
    );
  }
  return rules;
}

/** Whether it is a folder with rules in it, which the user expects to be read. */
async function holdsRules(place: string): Promise<boolean> {
  const entries = await readdir(place).catch(() => []);
  return entries.some((entry) => /\.ya?ml$/.test(entry));
}

async function entriesOf(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    throw new UserError(`the folder of rules ${directory} cannot be read: ${whyUnread(error)}`, [
      'name the folder with "rules" in earshot.yaml, or copy the shipped folder rules/ to it',
    ]);
  });
}

/** `Refund storm` → `refund-storm`; `rule` for a text without letters of ASCII. */
export function ruleNameOf(text: string): string {
  const words = normalized(text, "NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter((word) => word !== "").join("-") || "rule";
}
