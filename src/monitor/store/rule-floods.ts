import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { HeldRule, RuleFlood } from "../model/rule-flood.ts";
import { at, type Db } from "./database.ts";

type QueryKey = { readonly projectId: string; readonly queryId: string };

const COLUMNS = sql`h.rule, h.window_from as "windowFrom", h.in_window as "inWindow", h.held_at as "heldAt", h.held, h.last_at as "lastAt"`;

/** Rules that open too many alerts for a query, while they are held and afterwards. They change under the lock of their query. */
export function createRuleFloodStore(db: Db) {
  return {
    /** What is held now; of the other rules, how many alerts they opened in [from, to). */
    async ofRules(
      { projectId, queryId }: QueryKey,
      rules: readonly string[],
      from: Instant,
      to: Instant,
    ): Promise<RuleFlood[]> {
      const { rows } = await sql<RuleFlood>`
        select ${COLUMNS} from earshot.held_rules h
        where project_id = ${projectId} and query_id = ${queryId} and rule = any(${[...rules]}::text[]) and resumed_at is null
        union all
        select rule, ${at(from)}, count(*)::int, null, 0, ${at(from)} from earshot.alerts a
        where project_id = ${projectId} and query_id = ${queryId} and rule = any(${[...rules]}::text[])
          and opened_at >= ${at(from)} and opened_at < ${at(to)}
          and not exists (select from earshot.held_rules h where h.project_id = a.project_id and h.query_id = a.query_id
            and h.rule = a.rule and h.resumed_at is null)
        group by rule
      `.execute(db);
      return rows;
    },

    /** Those with `heldAt`: held, or no more since `resumedAt`. */
    async save(
      { projectId, queryId }: QueryKey,
      floods: readonly (RuleFlood & { readonly resumedAt: Instant | null })[],
    ): Promise<void> {
      if (floods.length === 0) return;
      await sql`
        insert into earshot.held_rules (project_id, query_id, rule, held_at, window_from, in_window, held, last_at, resumed_at)
        select ${projectId}, ${queryId}, rule, to_timestamp("heldAt" / 1000), to_timestamp("windowFrom" / 1000), "inWindow",
          held, to_timestamp("lastAt" / 1000), to_timestamp("resumedAt" / 1000)
        from json_to_recordset(${storableJson(floods)}::json) as f(rule text, "heldAt" double precision,
          "windowFrom" double precision, "inWindow" integer, held integer, "lastAt" double precision,
          "resumedAt" double precision)
        on conflict (project_id, query_id, rule, held_at) do update set window_from = excluded.window_from,
          in_window = excluded.in_window, held = excluded.held, last_at = excluded.last_at, resumed_at = excluded.resumed_at
      `.execute(db);
    },

    /** The rules that are held, of all watched queries. */
    async held(): Promise<HeldRule[]> {
      const { rows } = await sql<HeldRule>`
        select ${COLUMNS}, h.project_id as "projectId", h.query_id as "queryId", q.name as "queryName"
        from earshot.held_rules h join earshot.queries q using (project_id, query_id)
        where h.resumed_at is null and q.active order by q.name, h.rule
      `.execute(db);
      return rows;
    },

    /** Since when the rule was held at this moment; null if it was not. */
    async heldSince(
      { projectId, queryId }: QueryKey,
      rule: string,
      moment: Instant,
    ): Promise<Instant | null> {
      const { rows } = await sql<{ heldAt: Instant }>`
        select held_at as "heldAt" from earshot.held_rules
        where project_id = ${projectId} and query_id = ${queryId} and rule = ${rule} and held_at <= ${at(moment)}
          and (resumed_at is null or resumed_at > ${at(moment)})
        order by held_at desc limit 1
      `.execute(db);
      return rows[0]?.heldAt ?? null;
    },
  };
}
