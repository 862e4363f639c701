import { type RawBuilder, sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { zoneForSql } from "../../lib/local-time.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import { fieldSql } from "./field-sql.ts";
import { wordsSql } from "./mention-words.ts";

/** The mentions of a call: dates are from (included) to (not included), and all conditions must hold. */
export interface MentionRange {
  readonly queryIds: readonly number[];
  readonly from: Instant;
  readonly to: Instant;
  readonly conditions: readonly MentionCondition[];
  /** Also what is left of deleted mentions: only for those who follow what comes or changes. */
  readonly withDeleted?: true;
}

/** Dates and conditions; each statement adds the queries and the moment in its own way. */
export function rangeSql(range: MentionRange): RawBuilder<boolean> {
  return sql.join(
    [
      sql`date >= ${new Date(range.from)} and date < ${new Date(range.to)}`,
      ...(range.withDeleted === true ? [] : [NOT_DELETED]),
      ...range.conditions.map(conditionSql),
    ],
    sql` and `,
  );
}

/** A deleted mention is a record of its deletion and nothing else. The index on dates has the type. */
export const NOT_DELETED = sql<boolean>`resource_type is distinct from 'deleted'`;

/** The version of each mention that the API shows at the given moment. */
export function visibleSql(at: Instant): RawBuilder<boolean> {
  return sql`visible_at <= ${new Date(at)} and superseded_at > ${new Date(at)}`;
}

/** A condition on rows of `local_api.mention`; two-valued, so that its negation means what it says. */
export function conditionSql(condition: MentionCondition): RawBuilder<boolean> {
  switch (condition.kind) {
    case "one-of":
      return sql`coalesce(${folded(fieldSql(condition.field))} = any(${foldedAll(condition.values)}), false)`;
    case "contains":
      return sql`coalesce(strpos(${folded(fieldSql(condition.field))}, ${folded(sql`${condition.text}::text`)}) > 0, false)`;
    case "lists":
      return sql`exists (select from unnest(${fieldSql(condition.field)}) as listed (value)
        where ${folded(sql`listed.value`)} = any(${foldedAll(condition.values)}))`;
    case "classified":
      return sql`exists (select from unnest(${fieldSql("classifications")}) as listed (value)
        where array[${folded(sql`listed.value`)}, ${folded(sql`split_part(listed.value, ':', 2)`)}]
          && ${foldedAll(condition.values)})`;
    case "overlaps":
      return sql`coalesce(${fieldSql(condition.field)} && ${condition.ids}::bigint[], false)`;
    case "after":
      return sql`coalesce(${fieldSql(condition.field)} > ${new Date(condition.at)}, false)`;
    case "before":
      return sql`coalesce(${fieldSql(condition.field)} < ${new Date(condition.at)}, false)`;
    case "at-least":
      return sql`coalesce(${fieldSql(condition.field)} >= ${condition.value}::double precision, false)`;
    case "at-most":
      return sql`coalesce(${fieldSql(condition.field)} <= ${condition.value}::double precision, false)`;
    case "is":
      return sql`coalesce(${fieldSql(condition.field)} = ${condition.value}, false)`;
    case "has":
      return sql`${fieldSql(condition.field)} is not null`;
    case "tagged":
      return sql`(cardinality(${fieldSql("tags")}) > 0) = ${condition.value}`;
    case "hour":
      return sql`extract(hour from ${wallClock(condition.zone)}) = any(${condition.values}::integer[])`;
    case "weekday":
      return sql`extract(isodow from ${wallClock(condition.zone)}) = any(${condition.values}::integer[])`;
    case "located":
      return condition.exactly ? locatedExactly(condition.places) : located(condition.places);
    case "site":
      return site(condition.sites);
    case "words":
      return wordsSql(condition.tsquery);
    case "found":
      return sql`(query_id, resource_id, version) in (
        select hit.query_id, hit.resource_id, hit.version from local_api.search_hit as hit
        where hit.search_id = ${condition.searchId})`;
    case "indexed":
      return indexed(condition);
    case "in-sample":
      return inSampleSql(condition.percentage);
    case "any":
      return joined(condition.of, sql` or `, sql`false`);
    case "all":
      return joined(condition.of, sql` and `, sql`true`);
    case "not":
      return sql`not (${conditionSql(condition.condition)})`;
  }
}

/** As `isInSample` decides. */
export function inSampleSql(percentage: number): RawBuilder<boolean> {
  const hash = sql`substr(encode(sha256(convert_to('sample' || resource_id, 'UTF8')), 'hex'), 1, 8)`;
  return sql`(('x' || ${hash})::bit(32)::bigint::double precision / 4294967296 < ${percentage}::double precision / 100)`;
}

/** Which mentions are late, and how late, follows from their ids: the same in every process and on every page. */
function indexed({ at, withinMs, share }: Extract<MentionCondition, { kind: "indexed" }>) {
  const lateMs = sql`abs(hashtext(resource_id)::bigint) % ${withinMs}::bigint`;
  return sql<boolean>`(abs(hashtext(resource_id || ' is late')::bigint) % 1000 >= ${Math.round(share * 1_000)}
    or visible_at + (${lateMs}) * interval '1 millisecond' <= ${new Date(at)})`;
}

function joined(
  conditions: readonly MentionCondition[],
  between: RawBuilder<unknown>,
  ofNone: RawBuilder<boolean>,
): RawBuilder<boolean> {
  return conditions.length === 0 ? ofNone : sql`(${sql.join(conditions.map(conditionSql), between)})`;
}

/** Both sides of a comparison go through the same rules of PostgreSQL: those of JavaScript differ in places. */
function folded(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql`lower(${text} collate local_api.folding)`;
}

/** Asks nothing of the row, so it is made once for a statement. */
function foldedAll(values: readonly string[]): RawBuilder<string[]> {
  return sql`array(select ${folded(sql`given.value`)} from unnest(${values}::text[]) as given (value))`;
}

function wallClock(zone: string): RawBuilder<unknown> {
  return sql`(${fieldSql("date")} at time zone ${zoneForSql(zone)}::text)`;
}

const CODES = sql.join(
  [fieldSql("cityCode"), fieldSql("regionCode"), fieldSql("countryCode"), fieldSql("continentCode")],
  sql`, `,
);

/** The ids of places contain their parents: `DEU` contains `DEU.Berlin`. Continents have no parents. */
function located(places: readonly string[]): RawBuilder<boolean> {
  return sql`exists (
    select from unnest(array[${CODES}]) as known (code), unnest(${foldedAll(places)}) as asked (place)
    where ${folded(sql`known.code`)} = asked.place
      or starts_with(${folded(sql`known.code`)}, asked.place || '.'))`;
}

function locatedExactly(places: readonly string[]): RawBuilder<boolean> {
  return sql`coalesce(${folded(sql`coalesce(${CODES})`)} = any(${foldedAll(places)}), false)`;
}

function site(sites: readonly string[]): RawBuilder<boolean> {
  const bare = (text: RawBuilder<unknown>) =>
    sql`regexp_replace(${folded(text)}, '^(https?://)?(www\\.)?', '')`;
  return sql`exists (
    select from unnest(${foldedAll(sites)}) as asked (site),
      lateral (select ${bare(fieldSql("domain"))} as domain, ${bare(fieldSql("url"))} as address) as stands
    where stands.domain = asked.site or right(stands.domain, length(asked.site) + 1) = '.' || asked.site
      or stands.address = asked.site or starts_with(stands.address, asked.site || '/'))`;
}
