import { type RawBuilder, sql } from "kysely";
import type { KeySource } from "../charts/axis.ts";
import { fieldSql } from "./mention-fields.ts";

/**
 * A subquery over the mention `m`, for use after `cross join lateral`: the keys of the mention on an axis, each once,
 * as its only column `key`. No row, or a null, where the mention has none.
 */
export function keySourceSql(source: KeySource): RawBuilder<unknown> {
  switch (source.kind) {
    case "bucket": {
      const starts = source.starts.map((start) => new Date(start));
      return sql`(select width_bucket(m.date, ${starts}::timestamptz[]) - 1 as key)`;
    }
    case "clock": {
      const part = sql.raw(source.part === "hourOfDay" ? "hour" : "isodow");
      return sql`(select extract(${part} from m.date at time zone ${source.zone})::integer as key)`;
    }
    case "query":
      return sql`(select m.query_id as key)`;
    case "group": {
      const groups = source.members.map((member) => member.group);
      const queries = source.members.map((member) => member.query);
      return sql`(select member.group_id as key
        from unnest(${groups}::bigint[], ${queries}::bigint[]) as member (group_id, query_id)
        where member.query_id = m.query_id)`;
    }
    case "flag":
    case "text":
      return sql`(select ${fieldSql(source.field, "m")} as key)`;
    case "texts":
    case "ids":
      return sql`(select distinct member as key from unnest(${fieldSql(source.field, "m")}) as member)`;
  }
}
