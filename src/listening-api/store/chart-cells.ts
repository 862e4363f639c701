import { type RawBuilder, sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { AGGREGATES, type Aggregate, type AggregateName, netSentiment } from "../charts/aggregates.ts";
import type { Axis } from "../charts/axis.ts";
import type { CellReader } from "../charts/chart-envelope.ts";
import type { Database } from "./database.ts";
import { fieldSql } from "./field-sql.ts";
import { inSampleSql, type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";
import { keySourceSql } from "./value-counts.ts";

interface CellsRequest {
  readonly range: MentionRange;
  /** The moment whose state is shown. */
  readonly at: Instant;
  readonly axes: readonly [Axis, Axis];
  readonly aggregates: readonly AggregateName[];
  /** The percentage of matching mentions that a query keeps, by query id; 100 if missing. */
  readonly samplePercentages: ReadonlyMap<number, number>;
}

type Cell = Record<AggregateName, number>;

/**
 * Counts a chart. All sums come from one pass over the mentions; distinct values take one more each, through a distinct
 * that PostgreSQL can hash, which is several times faster than `count(distinct …)`. Mentions of a sampled query also
 * count for those that its sample left out, and those from before it was sampled do not count, which corrects the sums; the
 * number of missing distinct values is unknown.
 */
export async function readChartCells(db: Database, request: CellsRequest): Promise<CellReader> {
  const cells = new Map<string, Partial<Cell>>();
  const put = (row: KeyRow, values: Partial<Cell>) => {
    const place = placeOf(row.key1, row.key2);
    cells.set(place, { ...cells.get(place), ...values });
  };
  const names = [...new Set(request.aggregates)];
  const added = names.filter((name) => AGGREGATES[name].kind !== "distinct");
  if (request.range.queryIds.length > 0) {
    if (added.length > 0) await addUp(db, request, added, put);
    for (const name of names) {
      const aggregate: Aggregate = AGGREGATES[name];
      if (aggregate.kind === "distinct") await countDifferent(db, request, name, aggregate.field, put);
    }
  }
  return (key1, key2) => cells.get(placeOf(key1, key2)) as Cell | undefined;
}

interface KeyRow {
  key1: string;
  key2: string;
}

async function addUp(
  db: Database,
  request: CellsRequest,
  names: readonly AggregateName[],
  put: (row: KeyRow, values: Partial<Cell>) => void,
): Promise<void> {
  const columns = names.flatMap((name) => {
    const expressions = sumsOf(AGGREGATES[name], weightSql(request));
    return expressions.map((expression, index) => sql`${expression} as ${sql.id(`${name}_${index}`)}`);
  });
  const { rows } = await sql<KeyRow & Record<string, string>>`
    select d1.key::text as key1, d2.key::text as key2, ${sql.join(columns)}
    from ${mentionsSql(request)} group by d1.key, d2.key`.execute(db);
  for (const row of rows) {
    const values = names.map((name) => {
      const [first = 0, second = 0] = [row[`${name}_0`], row[`${name}_1`]].map(Number);
      return [name, AGGREGATES[name].kind === "net-sentiment" ? netSentiment(first, second) : first];
    });
    put(row, Object.fromEntries(values));
  }
}

function sumsOf(aggregate: Aggregate, weight: RawBuilder<unknown> | undefined): RawBuilder<unknown>[] {
  switch (aggregate.kind) {
    case "count":
      return [weight === undefined ? sql`count(*)` : sql`round(sum(${weight}))`];
    case "net-sentiment":
      return ["positive", "negative"].map(
        (word) => sql`coalesce(sum(${weight ?? sql`1`}) filter (where m.sentiment = ${sql.lit(word)}), 0)`,
      );
    case "sum": {
      const summands = aggregate.fields.map((field) => sql`coalesce(${fieldSql(field, "m")}, 0)`);
      const one = sql`(${sql.join(summands, sql` + `)})`;
      return [weight === undefined ? sql`sum(${one})` : sql`round(sum(${one} * ${weight}))`];
    }
    case "distinct":
      return [];
  }
}

/** How many mentions the mention `m` represents; undefined if each represents itself. One that the sample leaves out has none. */
function weightSql({ range, samplePercentages }: CellsRequest): RawBuilder<unknown> | undefined {
  const percentages = range.queryIds.map((id) => samplePercentages.get(id) ?? 100);
  if (percentages.every((percentage) => percentage === 100)) return undefined;
  const cases = range.queryIds.map((id, index) => {
    const percentage = percentages[index] ?? 100;
    const weight = sql`${100 / percentage}::double precision`;
    const own =
      percentage === 100 ? weight : sql`case when ${inSampleSql(percentage)} then ${weight} else 0 end`;
    return sql`when ${id} then ${own}`;
  });
  return sql`case m.query_id ${sql.join(cases, sql` `)} end`;
}

async function countDifferent(
  db: Database,
  request: CellsRequest,
  name: AggregateName,
  field: Parameters<typeof fieldSql>[0],
  put: (row: KeyRow, values: Partial<Cell>) => void,
): Promise<void> {
  const { rows } = await sql<KeyRow & { different: string }>`
    select key1::text as key1, key2::text as key2, count(nullif(value, '')) as different
    from (
      select distinct d1.key as key1, d2.key as key2, ${fieldSql(field, "m")} as value
      from ${mentionsSql(request)}
    ) as seen group by key1, key2`.execute(db);
  for (const row of rows) put(row, { [name]: Number(row.different) });
}

/** Everything after `from`: the mentions of the range with their keys, only where both keys belong to the chart. */
function mentionsSql({ range, at, axes }: CellsRequest): RawBuilder<unknown> {
  const [first, second] = axes;
  return sql`local_api.mention m
    cross join lateral ${keySourceSql(first.source)} as d1
    cross join lateral ${keySourceSql(second.source)} as d2
    where m.query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${visibleSql(at)}
      and ${belongsSql("d1", first)} and ${belongsSql("d2", second)}`;
}

function belongsSql(alias: "d1" | "d2", { keys, source }: Axis): RawBuilder<boolean> {
  const key = sql.ref(`${alias}.key`);
  const names = keys.map((wantedKey) => wantedKey.key);
  switch (source.kind) {
    case "bucket":
      return sql`true`;
    case "text":
    case "texts":
      return sql`${key} = any(${names}::text[])`;
    case "flag":
      return sql`${key} = any(${names}::boolean[])`;
    case "clock":
      return sql`${key} = any(${names}::integer[])`;
    case "query":
    case "group":
    case "range":
    case "ids":
      return sql`${key} = any(${names}::bigint[])`;
  }
}

function placeOf(key1: string, key2: string): string {
  return JSON.stringify([key1, key2]);
}
