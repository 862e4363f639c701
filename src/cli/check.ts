import { existsSync } from "node:fs";
import type { Command } from "commander";
import { findConcerns, loadConfig, readEnvironment, unknownNamesIn } from "#admin";
import { planFeeds } from "#feeds";
import { loadRules, openTemplates } from "#monitor";
import { describeFault, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { counted } from "../lib/numbers.ts";
import { print } from "./common/print.ts";

interface CheckOptions {
  readonly config?: string;
  readonly rules?: string;
  readonly templates?: string;
}

export function defineCheckCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .option("--config <file>", "configuration (default: earshot.yaml, where there is one)")
    .option("--rules <folder>", "rules, instead of those that the configuration names")
    .option("--templates <folder>", "templates, instead of those that the configuration names")
    .addHelpText(
      "after",
      `
Examples:
  earshot check
  earshot check --rules my-rules

Exit codes: 0 valid (there may be warnings), 2 faults: each is listed with file, line and a suggestion.`,
    )
    .action((options: CheckOptions) => check(options, env));
}

async function check(options: CheckOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const file = options.config ?? readEnvironment(env).configFile;
  const config = options.config !== undefined || existsSync(file) ? await loadConfig(file, env) : null;
  const rulesFolder = options.rules ?? config?.rules ?? shippedFolder("rules");
  const templatesFolder = options.templates ?? config?.templates ?? shippedFolder("templates");
  const { rules, faults, warnings } = await loadRules(rulesFolder);
  const renderer = await openTemplates(templatesFolder);
  // Unknown names can only be found if every rule could be read.
  const unknownNames = config === null || faults.length > 0 ? [] : await unknownNamesIn(file, config, rules);
  const all = [...[...unknownNames, ...faults].map(describeFault), ...renderer.check()];
  if (all.length > 0) throw new UserError(counted(all.length, "fault"), all);
  if (config !== null)
    print(
      `${file}: valid, ${counted(config.receivers.length, "receiver")}, ${counted(config.routes.length, "route")}`,
    );
  if (config?.listen != null)
    print(
      `listen: ${counted(config.listen.queries.length, "query", "queries")}, ${counted(planFeeds(config.listen).length, "feed")}`,
    );
  print(`${rulesFolder}: ${counted(rules.length, "rule")}, valid`);
  const { padToWidth } = await import("./common/text-width.ts");
  for (const rule of rules)
    print(`  ${padToWidth(rule.name, 28)} ${rule.severity.padEnd(9)} ${firstLine(rule.description)}`);
  print(`${templatesFolder}: valid`);
  for (const warning of warnings) print(`warning: ${describeFault(warning)}`);
  for (const { what, found, advice } of config === null ? [] : await findConcerns(file, config))
    print(`warning: ${what}: ${found}\n         ${advice}`);
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
