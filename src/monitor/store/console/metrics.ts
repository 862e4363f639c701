import { sql } from "kysely";
import { DAY, type Instant } from "../../../lib/instant.ts";
import { uuid7Floor } from "../../../lib/uuid7.ts";
import type { MetricFacts, ShownHeartbeat } from "../../model/pipeline-facts.ts";
import { type Db, projects } from "../database.ts";

export function createConsoleMetrics(db: Db) {
  return {
    /** All counts for metrics. Growing tables are counted for the last day, by the time in their ids. */
    async metricFacts(now: Instant): Promise<MetricFacts> {
      const since = uuid7Floor(now - DAY);
      const [alerts, deliveries, notifications, failures, deadLetters, rows, size] = await Promise.all([
        sql<MetricFacts["alerts"][number]>`
          select a.severity, a.state, count(*) as n from earshot.latest_alerts l
          join earshot.alerts a on a.project_id = l.project_id and a.id = l.alert_id
          where l.open or a.id >= ${since}::uuid group by 1, 2 order by 1, 2`.execute(db),
        sql<MetricFacts["deliveries"][number]>`
          select n.receiver, d.outcome, d.code, count(*) as n
          from earshot.deliveries d join earshot.notifications n
            on n.project_id = d.project_id and n.id = d.notification_id
          where d.project_id in ${projects} and d.notification_id >= ${since}::uuid and n.id >= ${since}::uuid
          group by 1, 2, 3 order by 1, 2, 3`.execute(db),
        sql<MetricFacts["notifications"][number]>`
          select receiver, state, reason, count(*) as n from earshot.notifications
          where project_id in ${projects} and id >= ${since}::uuid group by 1, 2, 3 order by 1, 2, 3
        `.execute(db),
        sql<MetricFacts["failures"][number]>`
          select kind, reason, count(*) as n from earshot.failures group by 1, 2 order by 1, 2`.execute(db),
        sql<MetricFacts["deadLetters"][number]>`
          select kind, count(*) as n from earshot.dead_letters where settled_at is null group by 1 order by 1
        `.execute(db),
        sql<MetricFacts["rows"][number]>`
          select coalesce(p.relname, t.relname) as table, sum(t.n_live_tup)::bigint as n
          from pg_stat_user_tables t
          left join pg_inherits i on i.inhrelid = t.relid left join pg_class p on p.oid = i.inhparent
          where t.schemaname = 'earshot' group by 1 order by 1`.execute(db),
        sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db),
      ]);
      return {
        alerts: alerts.rows,
        deliveries: deliveries.rows,
        notifications: notifications.rows,
        failures: failures.rows,
        deadLetters: deadLetters.rows,
        rows: rows.rows,
        databaseBytes: size.rows[0]?.bytes ?? 0,
      };
    },

    async heartbeat(): Promise<ShownHeartbeat | null> {
      const { rows } = await sql<{ value: ShownHeartbeat }>`
        select value from earshot.settings where key = 'heartbeat'
      `.execute(db);
      return rows[0]?.value ?? null;
    },
  };
}
