import type { Command } from "commander";
import { type Database, deleteNamed, editNamed, type NamedEdit } from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import { type Instant, toIso } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { printOutcome } from "../common/print-rows.ts";
import { collect, toMoment } from "./flags.ts";
import { withTables } from "./with-tables.ts";

interface EditOptions
  extends Pick<
    NamedEdit,
    | "project"
    | "client"
    | "query"
    | "sentiment"
    | "status"
    | "priority"
    | "assignment"
    | "checked"
    | "starred"
  > {
  readonly addCategory: readonly string[];
  readonly removeCategory: readonly string[];
  readonly addTag: readonly string[];
  readonly removeTag: readonly string[];
  readonly set: readonly string[];
  readonly at?: Instant;
  readonly delete: boolean;
  readonly json: boolean;
}

export function addLocalEdit(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("edit <resourceIds...>")
    .description(
      "Changes mentions and sets their `updated`, so that updated polls find them; or deletes them.",
    )
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option("--query <query>", "only in this query (default: in all that have the mention)")
    .option("--sentiment <sentiment>", "positive, neutral or negative")
    .option("--status <status>", "open, pending, closed or none")
    .option("--priority <priority>", "high, medium, low or none")
    .option("--assignment <user>", "the assignee, or none")
    .option("--checked", "mark it as checked")
    .option("--no-checked", "mark it as not checked")
    .option("--starred", "mark it with a star")
    .option("--no-starred", "remove the star")
    .option("--add-category <name>", "a subcategory of the project; repeat it", collect, [])
    .option("--remove-category <name>", "repeat it", collect, [])
    .option("--add-tag <name>", "created if the project has none of that name; repeat it", collect, [])
    .option("--remove-tag <name>", "repeat it", collect, [])
    .option("--set <field=json>", "any other field of the record, such as impact=70; repeat it", collect, [])
    .option("--delete", "delete them, as when the service takes them down", false)
    .option("--at <moment>", "when it changes (default: now)", toMoment)
    .option("--json", "answer as JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api edit 6f1ed002ab5595859014ebf0951522d9 --sentiment negative
  earshot local-api edit 6f1ed002ab5595859014ebf0951522d9 --add-category Safety --add-tag answered --status closed
  earshot local-api edit 6f1ed002ab5595859014ebf0951522d9 --set twitterRetweets=4200 --set city=null
  earshot local-api edit 6f1ed002ab5595859014ebf0951522d9 0f3a5c1d6c7e8f90a1b2c3d4e5f60718 --delete`,
    )
    .action((resourceIds: readonly string[], options: EditOptions) =>
      withTables(env, ({ db }) => edit(db, resourceIds, options)),
    );
}

async function edit(db: Database, resourceIds: readonly string[], options: EditOptions): Promise<void> {
  const { addCategory, removeCategory, addTag, removeTag, set, at, json, ...plain } = options;
  if (options.delete) {
    const deleted = await deleteNamed(db, { ...plain, resourceIds }, systemClock.now);
    return printOutcome({ deleted }, `${counted(deleted, "mention")} deleted.`, { json });
  }
  const edited = [];
  for (const resourceId of resourceIds)
    edited.push(
      ...(await editNamed(
        db,
        {
          ...plain,
          resourceId,
          addCategories: addCategory,
          removeCategories: removeCategory,
          addTags: addTag,
          removeTags: removeTag,
          fields: set,
        },
        at ?? systemClock.now,
      )),
    );
  const outcome = edited.map((mention) => ({ ...mention, updated: toIso(mention.updated) }));
  const where = outcome.map(({ queryId, updated }) => `in query ${queryId}, updated ${updated}`).join("; ");
  printOutcome(outcome, `Changed ${where}.`, { json });
}
