import type { Command } from "commander";
import { createList } from "../../../local-api/account/create-in-project.ts";
import { findProject } from "../../../local-api/account/find-project.ts";
import { collect } from "../flags.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";
import { type InProject, inProject } from "./in-project.ts";

export function addList(
  create: Command,
  env: NodeJS.ProcessEnv,
  kind: "site" | "author" | "location",
  what: string,
): void {
  inProject(
    create
      .command(`${kind}-list <name>`)
      .description(`A saved list of ${what}; one of that name is replaced.`),
  )
    .requiredOption("--entry <text>", "one of them; repeat it for more", collect)
    .option("--user <username>", "its owner (default: the first login of the client)")
    .action((name: string, options: InProject & { entry: readonly string[]; user?: string }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const owner = options.user === undefined ? {} : { user: options.user };
        const made = await createList(db, project, { kind, name, entries: options.entry, ...owner });
        printOutcome(made, `List ${made.id}, ${JSON.stringify(name)}: ${made.entries.join(", ")}.`, options);
      }),
    );
}
