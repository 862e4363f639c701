import type { Command } from "commander";
import { createQueryGroup } from "../../../local-api/account/create-in-project.ts";
import { findProject } from "../../../local-api/account/find-project.ts";
import { collect } from "../flags.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";
import { type InProject, inProject } from "./in-project.ts";

export function addQueryGroup(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("query-group <name>").description("Queries that can be asked for together."))
    .requiredOption("--query <query>", "a query of the project; repeat it for more", collect)
    .option("--user <username>", "its owner (default: the first login of the client)")
    .action((name: string, options: InProject & { query: readonly string[]; user?: string }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const owner = options.user === undefined ? {} : { user: options.user };
        const made = await createQueryGroup(db, project, { name, queries: options.query, ...owner });
        printOutcome(
          made,
          `Query group ${made.id}, ${JSON.stringify(name)}: ${made.queries.join(", ")}.`,
          options,
        );
      }),
    );
}
