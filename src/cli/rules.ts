import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Command } from "commander";
import { readConfig, readEnvironment } from "#admin";
import { DRAFT_KINDS, loadRules, type Rule } from "#monitor";
import { describeFault, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { counted } from "../lib/numbers.ts";
import { printRows } from "./common/print-rows.ts";
import { defineNewRuleCommand } from "./new-rule.ts";

/** `earshot rules`: lists the rules of a folder, and writes new ones. */
export function defineRulesCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command.addHelpText("after", HELP);
  command
    .command("list", { isDefault: true })
    .description("Lists the rules: title, what they count, severity, queries.")
    .option("--rules <folder>", "rules, instead of those that the configuration names")
    .option("--json", "answer as JSON", false)
    .action(async (options: { rules?: string; json: boolean }) => {
      const folder = options.rules ?? (await rulesFolder(env)) ?? shippedFolder("rules");
      const { rules, faults } = await loadRules(folder);
      const rows = options.json ? rules.map(recordOf) : rules.map(rowOf);
      await printRows(rows, { json: options.json, none: `There is no rule in ${folder}.` });
      if (faults.length > 0)
        throw new UserError(`${counted(faults.length, "fault")} in ${folder}`, faults.map(describeFault));
    });
  defineNewRuleCommand(command.command("new"), async () => (await rulesFolder(env)) ?? "rules");
}

/** The folder that the configuration names; undefined without a configuration. Needs none of its secrets. */
async function rulesFolder(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const file = readEnvironment(env).configFile;
  if (!existsSync(file)) return undefined;
  const folder = await readConfig(
    file,
    env,
    (content) => (typeof content === "string" ? content : "rules"),
    "rules",
  );
  return isAbsolute(folder) ? folder : join(dirname(file), folder);
}

/** What it counts: one of the keys of a rule file, or `mentions` for single ones. */
function kindOf(rule: Rule): string {
  if (rule.kind === "window") return rule.window.type;
  return rule.kind === "new" ? "new" : "mentions";
}

function recordOf(rule: Rule) {
  const { name, title, description, severities, queries } = rule;
  return { name, title, description, kind: kindOf(rule), severities, queries };
}

function rowOf(rule: Rule) {
  const { name, title, severities, queries } = rule;
  return {
    rule: name,
    title,
    kind: kindOf(rule),
    severity: severities.join(" to "),
    queries: queries ?? "all",
  };
}

const HELP = `
Examples:
  earshot rules                            the rules of the folder that the configuration names
  earshot rules list --rules my-rules --json
  earshot rules new                        asks some questions and writes a rule with comments
  earshot rules new refund-storm --kind volume --query "Acme*" --severity critical
  earshot rules new --kind topic --word "refund*" --word "money back" --out my-rules

Kinds of new rules
${DRAFT_KINDS.map(({ kind, choice }) => `  ${kind.padEnd(12)}${choice}`).join("\n")}`;
