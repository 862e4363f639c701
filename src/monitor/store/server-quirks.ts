import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { isQuirkName, type ObservedQuirk, type QuirkName, type ServerQuirk } from "../model/server-quirk.ts";
import { at, type Db } from "./database.ts";

/** Quirks that were observed on the server of one account. */
export function createServerQuirkStore(db: Db, account: string) {
  return {
    async all(): Promise<ReadonlyMap<QuirkName, ServerQuirk>> {
      const { rows } = await sql<ServerQuirk>`
        select quirk, value, ms, first_at as "firstAt", last_at as "lastAt" from earshot.server_quirks
        where account = ${account}
      `.execute(db);
      return new Map(rows.filter(({ quirk }) => isQuirkName(quirk)).map((row) => [row.quirk, row]));
    },

    /** An unchanged value is written at most once an hour. Keeps the highest `ms`, but for a clock the last. */
    async note(findings: readonly ObservedQuirk[], now: Instant): Promise<void> {
      if (findings.length === 0) return;
      const rows = [...new Map(findings.map((one) => [one.quirk, one])).values()].sort((a, b) =>
        a.quirk < b.quirk ? -1 : 1,
      );
      await sql`
        insert into earshot.server_quirks as t (account, quirk, value, ms, first_at, last_at)
        select ${account}, quirk, value, ms, ${at(now)}, ${at(now)}
        from json_to_recordset(${storableJson(rows)}::json) as f(quirk text, value text, ms double precision)
        on conflict (account, quirk) do update
          set value = excluded.value, last_at = excluded.last_at,
            ms = case when t.quirk = 'clock' or t.value <> excluded.value then excluded.ms
              else greatest(t.ms, excluded.ms) end,
            first_at = case when t.value = excluded.value then t.first_at else excluded.first_at end
          where t.value <> excluded.value or t.last_at <= excluded.last_at - interval '1 hour'
            or coalesce(excluded.ms, 0) > coalesce(t.ms, 0) * 1.1
      `.execute(db);
    },
  };
}
