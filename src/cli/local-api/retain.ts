import type { Command } from "commander";
import type { Instant } from "../../lib/instant.ts";
import { dropMentionMonthsBefore } from "../../local-api/store/mention-months.ts";
import { toMoment } from "./flags.ts";
import { printOutcome } from "./print.ts";
import { withTables } from "./with-tables.ts";

export function addLocalRetain(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("retain")
    .description("Drops whole months of old mentions, of all clients, at once.")
    .requiredOption("--from <moment>", "keep the mentions of this month and of later ones", toMoment)
    .option("--json", "answer as JSON", false)
    .addHelpText(
      "after",
      `
Example:
  earshot local-api retain --from 2026-01-01

Mentions lie in one table a month, by their own date, so this costs the same however many there are. To delete some of
the mentions of a month, see "earshot local-api delete mentions".`,
    )
    .action((options: { from: Instant; json: boolean }) =>
      withTables(env, async ({ db }) => {
        const months = (await dropMentionMonthsBefore(db, options.from)).map((table) =>
          table.replace("mention_", "").replace("_", "-"),
        );
        const sentence =
          months.length === 0 ? "There is no month before it." : `Dropped ${months.join(", ")}.`;
        printOutcome({ months }, sentence, options);
      }),
    );
}
