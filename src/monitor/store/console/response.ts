import { sql } from "kysely";
import type { Instant } from "../../../lib/instant.ts";
import { storableJson } from "../../../lib/json.ts";
import type { QueryKey } from "../../model/mention-counts.ts";
import { type AnsweredAlert, MOST_ANSWERED_ALERTS } from "../../model/shown.ts";
import { at, type Db } from "../database.ts";

export function createConsoleResponse(db: Db) {
  return {
    /**
     * Alerts of these queries that fired in [from, to), newest first, each with the first action of a person on it or on
     * its incident. Somebody who had the incident before the alert joined it was there at once.
     */
    async answeredAlerts(
      queries: readonly QueryKey[],
      { from, to }: { readonly from: Instant; readonly to: Instant },
    ): Promise<AnsweredAlert[]> {
      const keys = queries.map(({ projectId, queryId }) => ({ projectId, queryId }));
      const { rows } = await sql<AnsweredAlert>`
        select a.id as "alertId", a.rule, a.query_name as "queryName", a.severity, a.fired_at as "firedAt",
          case when p.at is not null then greatest(a.fired_at, p.at) end as "answeredAt", (a.handling->>'relevant')::boolean as relevant,
          (select count(*) from earshot.notifications n where n.project_id = a.project_id and n.alert_id = a.id
            and n.state = 'sent' and n.kind not in ('digest', 'test'))::int as messages
        from json_to_recordset(${storableJson(keys)}::json) as q("projectId" text, "queryId" text)
        join earshot.alerts a on a.project_id = q."projectId" and a.query_id = q."queryId"
        left join lateral (
          select min(at) as at from (
            select e.at from earshot.alert_events e where e.project_id = a.project_id and e.alert_id = a.id
              and e.what in ('AcknowledgedBy', 'AssignedBy', 'ResolvedBy', 'NotRelevantSaid')
            union all
            select t.at from earshot.incident_alerts m
            join earshot.incident_entries t on t.project_id = m.project_id and t.incident_id = m.incident_id
            where m.project_id = a.project_id and m.alert_id = a.id and t.actor is not null
              and t.kind in ('Handled', 'Over')) acts) p on true
        where a.fired_at >= ${at(from)} and a.fired_at < ${at(to)} and a.opened_at < ${at(to)}
        order by a.fired_at desc, a.id desc limit ${MOST_ANSWERED_ALERTS}
      `.execute(db);
      return rows;
    },
  };
}
