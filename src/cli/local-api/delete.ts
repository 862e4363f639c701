import { Argument, type Command } from "commander";
import { counted } from "../../lib/counted.ts";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { DELETABLE, type Deletable, deleteThing } from "../../local-api/account/delete-thing.ts";
import { findProject } from "../../local-api/account/find-project.ts";
import { pick } from "../../local-api/account/pick.ts";
import { deleteMentions } from "../../local-api/store/delete-things.ts";
import { listQueries } from "../../local-api/store/queries.ts";
import { toMoment } from "./flags.ts";
import { printOutcome } from "./print.ts";
import { withTables } from "./with-tables.ts";

interface DeleteOptions {
  readonly project?: string;
  readonly client?: string;
  readonly query?: string;
  readonly from?: Instant;
  readonly to?: Instant;
  readonly yes: boolean;
  readonly json: boolean;
}

export function addLocalDelete(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("delete")
    .description("Deletes a thing with everything in it, or mentions.")
    .addArgument(new Argument("<what>", "what to delete").choices([...Object.keys(DELETABLE), "mentions"]))
    .argument("[names...]", "names or ids; of mentions their resourceIds")
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option("--query <query>", "mentions of this query only")
    .option("--from <moment>", "mentions dated from then on", toMoment)
    .option("--to <moment>", "mentions dated before then", toMoment)
    .option("--yes", "also where mentions go with it", false)
    .option("--json", "answer as JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api delete mentions 6f1ed002ab5595859014ebf0951522d9 0f3a5c1d6c7e8f90a1b2c3d4e5f60718
  earshot local-api delete mentions --query Acme --to 2026-01-01 --yes
  earshot local-api delete query "Acme complaints" --yes
  earshot local-api delete tag answered

A mention that is deleted is gone from every answer at once, as when the service takes it down.`,
    )
    .action((what: Deletable | "mentions", names: readonly string[], options: DeleteOptions) =>
      what === "mentions" ? runDeleteMentions(names, options, env) : runDelete(what, names, options, env),
    );
}

function runDelete(
  what: Deletable,
  names: readonly string[],
  options: DeleteOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (names.length === 0)
    throw new UserError(`Which ${what}?`, [`earshot local-api list ${DELETABLE[what]} shows them`]);
  return withTables(env, async ({ db }) => {
    const scope = { ...options, evenWithMentions: options.yes };
    const gone = [];
    for (const name of names) gone.push(await deleteThing(db, what, name, scope));
    const said = gone.map(
      ({ id, name, mentions }) =>
        `${id} ${name}${mentions > 0 ? ` with ${counted(mentions, "mention")}` : ""}`,
    );
    printOutcome(gone, `Deleted ${said.join(", ")}.`, options);
  });
}

function runDeleteMentions(
  resourceIds: readonly string[],
  options: DeleteOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { from, to, query, yes } = options;
  if (resourceIds.length === 0 && !yes)
    throw new UserError("This would delete every mention that fits.", [
      "name the resourceIds of some, or say --yes",
    ]);
  return withTables(env, async ({ db }) => {
    const project = await findProject(db, options);
    const queries = await listQueries(db, project.id);
    const chosen = query === undefined ? queries : [pick("query", queries, query)];
    const deleted = await deleteMentions(db, {
      queryIds: chosen.map(({ id }) => id),
      ...(resourceIds.length === 0 ? {} : { resourceIds }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    });
    printOutcome({ deleted }, `${counted(deleted, "mention")} deleted.`, options);
  });
}
