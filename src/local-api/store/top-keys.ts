import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { KeySource } from "../charts/axis.ts";
import type { Database } from "./database.ts";
import { keySourceSql } from "./key-source-sql.ts";
import { type FieldOf, fieldSql } from "./mention-fields.ts";
import { type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";

export interface TopKey {
  readonly key: string;
  /** What most mentions with the key call it; null where they do not say. */
  readonly name: string | null;
  /** Mentions that have it. */
  readonly volume: number;
}

/** The keys that most mentions of the range have, by falling volume, equal ones by key. */
export async function readTopKeys(
  db: Database,
  request: {
    range: MentionRange;
    at: Instant;
    source: KeySource;
    nameField: FieldOf<"text"> | undefined;
    limit: number;
    /** Only these keys; undefined: any. */
    among?: readonly string[] | undefined;
  },
): Promise<TopKey[]> {
  const { range, at, source, nameField, limit, among } = request;
  const wanted = among === undefined ? sql`true` : sql`d.key::text = any(${among}::text[])`;
  if (range.queryIds.length === 0 || limit === 0) return [];
  const name =
    nameField === undefined
      ? sql`null::text`
      : sql`mode() within group (order by ${fieldSql(nameField, "m")})`;
  const { rows } = await sql<Omit<TopKey, "volume"> & { volume: string }>`
    select d.key::text as key, ${name} as name, count(*) as volume
    from local_api.mention m cross join lateral ${keySourceSql(source)} as d
    where m.query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${visibleSql(at)}
      and d.key is not null and d.key::text <> '' and ${wanted}
    group by d.key order by count(*) desc, d.key limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, volume: Number(row.volume) }));
}
