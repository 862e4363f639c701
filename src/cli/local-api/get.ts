import type { Command } from "commander";
import {
  accountJson,
  accountYaml,
  changeRows,
  findProject,
  readQueryVolumes,
  readStoredAccount,
} from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import { print, printJson } from "../common/print.ts";
import { printRows } from "../common/print-rows.ts";
import { withTables } from "./with-tables.ts";

interface GetOptions {
  readonly changes: boolean;
  readonly project?: string;
  readonly client?: string;
  readonly json: boolean;
}

export function addLocalGet(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("get")
    .description("Prints what is there as the file that apply reads; ids and mentions are comments.")
    .option("--changes", "list what calls and apply wrote in a project, the latest first", false)
    .option("--project <project>", "whose changes; name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option("--json", "answer as JSON, each thing with its id", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api get > account.yaml
  earshot local-api get --json | jq '.clients[].projects[].queries[] | {id, name}'
  earshot local-api get --changes --project Brands

Passwords are never printed. Fields with their usual value are left out.`,
    )
    .action((options: GetOptions) =>
      withTables(env, async ({ db }) => {
        if (options.changes) {
          const rows = await changeRows(db, (await findProject(db, options)).id);
          return printRows(rows, { json: options.json, none: "There are no changes." });
        }
        const account = await readStoredAccount(db);
        if (options.json) return printJson(accountJson(account));
        const projects = account.parts.client?.flatMap(({ parts }) => parts.project ?? []) ?? [];
        const ids = projects.flatMap(({ parts }) => parts.query ?? []).map(({ id }) => id);
        const mentions = await readQueryVolumes(db, ids, systemClock.now());
        return print(accountYaml(account, mentions).trimEnd());
      }),
    );
}
