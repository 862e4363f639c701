import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { RuleContents } from "#lab";
import { loadRules, parseRule, type Rule } from "#monitor";
import { describeFault, UserError, whyUnread } from "../../lib/errors.ts";
import { counted } from "../../lib/numbers.ts";
import { readYaml } from "../../lib/read-yaml.ts";

/** Compiled rules, and their files as written, by name. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly contents: RuleContents;
}

/** Reads rule files and folders of them. Rejects with a UserError that names every fault. */
export async function readRuleSet(paths: readonly string[]): Promise<RuleSet> {
  const rules: Rule[] = [];
  const contents = new Map<string, unknown>();
  for (const path of paths) {
    const found = await stat(path).catch((error: unknown) => {
      throw new UserError(`the rules ${path} cannot be read: ${whyUnread(error)}`);
    });
    for (const rule of found.isDirectory() ? await fromFolder(path) : [await fromFile(path)]) {
      const file = found.isDirectory() ? join(path, `${rule.name}.yaml`) : path;
      if (contents.has(rule.name)) throw new UserError(`there are two rules called ${rule.name}: take one`);
      contents.set(rule.name, readYaml(file, await readFile(file, "utf8")).content);
      rules.push(rule);
    }
  }
  if (rules.length === 0) throw new UserError(`there are no rules in ${paths.join(", ")}`);
  return { rules, contents };
}

async function fromFolder(folder: string): Promise<readonly Rule[]> {
  const { rules, faults } = await loadRules(folder);
  if (faults.length === 0) return rules;
  throw new UserError(
    `the rules in ${folder} have ${counted(faults.length, "fault")}`,
    faults.map(describeFault),
  );
}

async function fromFile(file: string): Promise<Rule> {
  const name = basename(file).replace(/\.ya?ml$/, "");
  const read = parseRule(name, file, await readFile(file, "utf8"));
  if ("rule" in read) return read.rule;
  throw new UserError(
    `the rule ${file} has ${counted(read.faults.length, "fault")}`,
    read.faults.map(describeFault),
  );
}
