import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { z } from "zod";
import { systemClock } from "../../../lib/clock.ts";
import { describeError, UserError } from "../../../lib/errors.ts";
import { findProject } from "../../../local-api/account/find-project.ts";
import { QueryTextError } from "../../../local-api/query-language/query-text-error.ts";
import { type NewQuery, putQueries, QUERY_TYPES } from "../../../local-api/store/queries.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";
import { type InProject, inProject } from "./in-project.ts";

const Query = z.object({
  name: z.string().min(1).max(255),
  type: z.enum(QUERY_TYPES).default("search string"),
  booleanQuery: z.string().nullish(),
  samplePercentage: z.number().min(0.001).max(100).nullish(),
});

export function addQueries(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(
    create
      .command("queries <file>")
      .description("Many queries at once: JSON with name, booleanQuery, type, or what GET queries answered."),
  ).action(async (file: string, options: InProject) => {
    const queries = await readQueries(file);
    await withTables(env, async ({ db }) => {
      const project = await findProject(db, options);
      const ids = await db
        .transaction()
        .execute((all) =>
          putQueries(all, project.id, queries, { username: "earshot", at: systemClock.now() }),
        )
        .catch(explainText);
      const made = { queries: Object.fromEntries(ids), project: project.name };
      printOutcome(made, `${ids.size} queries are there.`, options);
    });
  });
}

/** Accepts an array, the answer of a list call, or one object per line. */
async function readQueries(file: string): Promise<readonly NewQuery[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${describeError(error)}`);
  });
  const items = wholeOrLines(text, file);
  return items.map((item, index) => {
    const { data, error } = Query.safeParse(item);
    if (data === undefined)
      throw new UserError(`${file}: query ${index + 1} cannot be read.`, [z.prettifyError(error)]);
    const { name, type, booleanQuery, samplePercentage } = data;
    return {
      name,
      type,
      ...(booleanQuery == null ? {} : { text: booleanQuery }),
      ...(samplePercentage == null ? {} : { samplePercentage }),
    };
  });
}

function wholeOrLines(text: string, file: string): readonly unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const whole = parse(text);
  const items = whole === undefined ? lines.map(parse) : listOf(whole);
  if (items.includes(undefined))
    throw new UserError(`${file} is no JSON.`, [`line ${items.indexOf(undefined) + 1} cannot be read`]);
  return items;
}

function listOf(whole: unknown): readonly unknown[] {
  if (Array.isArray(whole)) return whole;
  const results = typeof whole === "object" && whole !== null ? Reflect.get(whole, "results") : undefined;
  return Array.isArray(results) ? results : [whole];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explainText(error: unknown): never {
  if (!(error instanceof QueryTextError)) throw error;
  throw new UserError(error.message);
}
