import { Argument, type Command } from "commander";
import { systemClock } from "../../lib/clock.ts";
import { LISTABLE, type Listable, listThings } from "../../local-api/account/list-things.ts";
import { printRows } from "./print.ts";
import { withTables } from "./with-tables.ts";

export function addLocalList(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("list")
    .description("Lists things with their ids.")
    .addArgument(new Argument("<what>", "what to show").choices([...LISTABLE]))
    .option("--project <project>", "for everything inside a project; name or id (default: the only one)")
    .option("--client <client>", "only of this client")
    .option("--json", "answer as JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api list clients
  earshot local-api list queries --project Brands
  earshot local-api list users --json | jq '.[].name'`,
    )
    .action((what: Listable, options: { project?: string; client?: string; json: boolean }) =>
      withTables(env, async ({ db }) => {
        const rows = await listThings(db, what, options, systemClock.now());
        await printRows(rows, { json: options.json, none: `There are no ${what.replaceAll("-", " ")}.` });
      }),
    );
}
