import type { Command } from "commander";
import { whyAlert, whyMention } from "../alerts/actions/why.ts";
import { UserError } from "../lib/errors.ts";
import { findAlertOrNull } from "./alerts/find-alert.ts";
import { loadRulesInUse, timezoneInUse } from "./alerts/load-rules-in-use.ts";
import { withAlertActions } from "./alerts/with-alert-actions.ts";
import { sanitizeJson } from "./api/sanitize-terminal.ts";
import { print } from "./print.ts";

/** `earshot why`: answers "why did I (not) get this?". */
export function defineWhyCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument(
      "<alert-or-mention>",
      "id of an alert or its first letters, id of a mention, or the address of either",
    )
    .option("--rules <folder>", "rules, instead of those of the configuration")
    .option("--json", "answer as JSON", false)
    .addHelpText("after", HELP)
    .action(async (text: string, options: { rules?: string; json: boolean }) => {
      const rules = await loadRulesInUse(env, options.rules);
      const timezone = await timezoneInUse(env);
      await withAlertActions(env, async ({ stores, facts }) => {
        const parts = { stores, facts, rules };
        const alert = await findAlertOrNull(stores, text);
        const found =
          alert !== null
            ? { alerts: [await whyAlert(parts, alert)], mentions: [] }
            : { alerts: [], mentions: await whyMention(parts, text) };
        if (found.alerts.length + found.mentions.length === 0) {
          throw new UserError(`neither an alert nor a mention is known as "${text}"`, [
            "a mention that was never read has no history here; earshot api mentions asks the source",
          ]);
        }
        if (options.json) print(sanitizeJson(alert === null ? found.mentions : found.alerts[0]));
        else {
          const { printAlert, printMention } = await import("./alerts/print-why.ts");
          const lines = [
            ...found.alerts.flatMap((one) => printAlert(one, timezone)),
            ...found.mentions.flatMap((one) => printMention(one, timezone)),
          ];
          for (const line of lines) print(line);
        }
      });
    });
}

const HELP = `
Examples:
  earshot why 0199b2c4-7d1a
  earshot why https://social.example/ann/status/1
  earshot why 1789012345678901234 --json | jq '.[].rules'`;
