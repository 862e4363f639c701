import { type RawBuilder, sql } from "kysely";
import type { MentionCondition } from "../filters/mention-condition.ts";

/** A condition on rows of `local_api.mention`; two-valued, so that its negation means what it says. */
export function conditionSql(condition: MentionCondition): RawBuilder<boolean> {
  switch (condition.kind) {
    case "one-of":
      return sql`coalesce(${COLUMNS[condition.column]} = any(${condition.values}::text[]), false)`;
    case "overlaps":
      return sql`${COLUMNS[condition.column]} && ${condition.ids}::bigint[]`;
    case "contains":
      return sql`coalesce(${COLUMNS[condition.column]} ilike ${`%${escapeLike(condition.text)}%`}, false)`;
    case "after":
      return sql`${COLUMNS[condition.column]} > ${new Date(condition.at)}`;
    case "is":
      return sql`${COLUMNS[condition.column]} = ${condition.value}`;
    case "indexed":
      return indexedSql(condition);
    case "any":
      return sql`(${sql.join(condition.of.map(conditionSql), sql` or `)})`;
    case "not":
      return sql`not (${conditionSql(condition.condition)})`;
  }
}

/** Which mentions are late, and how late, follows from their ids: the same in every process and on every page. */
function indexedSql({ at, withinMs, share }: Extract<MentionCondition, { kind: "indexed" }>) {
  const lateMs = sql`abs(hashtext(resource_id)::bigint) % ${withinMs}::bigint`;
  return sql<boolean>`(abs(hashtext(resource_id || ' is late')::bigint) % 1000 >= ${Math.round(share * 1_000)}
    or visible_at + (${lateMs}) * interval '1 millisecond' <= ${new Date(at)})`;
}

const COLUMNS = {
  sentiment: sql.ref("sentiment"),
  pageType: sql.ref("page_type"),
  language: sql.ref("language"),
  author: sql.ref("author"),
  categories: sql.ref("categories"),
  tags: sql.ref("tags"),
  added: sql.ref("added"),
  updated: sql.ref("updated"),
  backfilled: sql.ref("backfilled"),
} as const;

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (special) => `\\${special}`);
}
