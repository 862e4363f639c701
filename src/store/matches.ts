import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import { type Match, matchKey } from "../model/verdict.ts";
import type { Db } from "./database.ts";
import { dayOf } from "./mention-day.ts";

/** Which rule a mention met, and to which alert it went. */
export function createMatchStore(db: Db) {
  return {
    /** Which of these mentions each rule has already alerted on: `rule\u0000queryId\u0000resourceId`. */
    async alreadyMatched(
      projectId: string,
      matches: readonly { rule: string; mention: Mention }[],
    ): Promise<Set<string>> {
      if (matches.length === 0) return new Set();
      const keys = matches.map(({ rule, mention }) => ({
        rule,
        q: mention.queryId,
        r: mention.resourceId,
        d: dayOf(mention),
      }));
      const { rows } = await sql<{ rule: string; queryId: string; resourceId: string }>`
        select m.rule, m.query_id as "queryId", m.resource_id as "resourceId"
        from json_to_recordset(${JSON.stringify(keys)}::json) as k(rule text, q text, r text, d date)
        join earshot.matches m on m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day = d
          and m.rule = k.rule
      `.execute(db);
      return new Set(rows.map((row) => matchKey(row.rule, row)));
    },

    async addMatches(projectId: string, matches: readonly Match[]): Promise<void> {
      if (matches.length === 0) return;
      const rows = matches.map(({ rule, mention, alertId, at, because }) => ({
        rule,
        q: mention.queryId,
        r: mention.resourceId,
        d: dayOf(mention),
        alert: alertId,
        at,
        because,
      }));
      await sql`
        insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
        select ${projectId}, q, r, d, rule, alert, to_timestamp(at / 1000), because
        from json_to_recordset(${JSON.stringify(rows)}::json)
          as m(q text, r text, d date, rule text, alert uuid, at double precision, because text)
        on conflict do nothing
      `.execute(db);
    },

    /** The rules that a mention met, and the alerts that it belongs to. */
    async matchesOf(
      projectId: string,
      mention: Mention,
    ): Promise<{ rule: string; alertId: string; at: Instant; because: string }[]> {
      const { rows } = await sql<{ rule: string; alertId: string; at: Instant; because: string }>`
        select rule, alert_id as "alertId", at, because from earshot.matches
        where project_id = ${projectId} and query_id = ${mention.queryId} and resource_id = ${mention.resourceId}
        order by at, rule
      `.execute(db);
      return rows;
    },
  };
}
