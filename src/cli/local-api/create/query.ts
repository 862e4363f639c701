import { type Command, Option } from "commander";
import { systemClock } from "../../../lib/clock.ts";
import { UserError } from "../../../lib/errors.ts";
import { findProject } from "../../../local-api/account/find-project.ts";
import { QueryTextError } from "../../../local-api/query-language/query-text-error.ts";
import { putQueries, QUERY_TYPES, type QueryType } from "../../../local-api/store/queries.ts";
import { toPercentage } from "../flags.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";
import { type InProject, inProject } from "./in-project.ts";

export function addQuery(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("query <name>").description("A saved search or channel, which holds mentions."))
    .addOption(
      new Option("--type <type>", "kind of query").choices([...QUERY_TYPES]).default("search string"),
    )
    .option("--text <boolean>", "what it searches, such as '(acme OR \"acme corp\") NOT jobs'")
    .option("--sample <percentage>", "keep only this share of its mentions, from 1 to 100", toPercentage)
    .action((name: string, options: InProject & { type: QueryType; text?: string; sample?: number }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const by = { username: "earshot", at: systemClock.now() };
        const { type, text, sample } = options;
        const query = {
          name,
          type,
          ...(text === undefined ? {} : { text }),
          ...(sample === undefined ? {} : { samplePercentage: sample }),
        };
        const ids = await putQueries(db, project.id, [query], by).catch(explainText);
        const made = { id: ids.get(name), name, type: options.type, project: project.name };
        printOutcome(made, `Query ${made.id}, ${JSON.stringify(name)}.`, options);
      }),
    );
}

/** Shows where the text is wrong, and what to write instead. */
function explainText(error: unknown): never {
  if (!(error instanceof QueryTextError)) throw error;
  throw new UserError(
    "--text is no query that can be used.",
    error.problems.map(({ start, message }) => `character ${start + 1}: ${message}`),
  );
}
