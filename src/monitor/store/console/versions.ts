import { sql } from "kysely";
import { type Db, projects } from "../database.ts";

/** A token for each part of the console. It changes when the content of that part changes. */
interface Versions {
  readonly mentions: string;
  /** What pages count before anybody asks: it changes once what came is counted. */
  readonly counts: string;
  readonly alerts: string;
  readonly notifications: string;
  readonly inbox: string;
  readonly coverage: string;
}

export function createConsoleVersions(db: Db) {
  return {
    /** Cheap enough for one call a second: each token is made of the newest rows only. */
    async versions(): Promise<Versions> {
      const { rows } = await sql<Versions>`
        select
          (select ${digest(sql`m.query_id || m.resource_id || m.body`)} from (
            select * from earshot.mentions order by added_at desc, query_id desc, resource_id desc limit 50) m)
          || coalesce((select press::text from earshot.mention_steps order by at desc, press desc limit 1), '') as mentions,
          coalesce((select min(id)::text from earshot.stale_counts),
            (select 'all to ' || last_value from earshot.stale_counts_id_seq)) as counts,
          (select ${digest(sql`${ALERT}`)} from earshot.latest_alerts l
            join earshot.alerts a on a.project_id = l.project_id and a.id = l.alert_id where l.open)
          || (select ${digest(sql`${ALERT}`)} from (
            select * from earshot.alerts order by opened_at desc, id desc limit 50) a) as alerts,
          (select ${digest(sql`n.id::text || n.state || n.attempts || coalesce(n.last_error, '')`)}
            from ${projects} p cross join lateral (
              select * from earshot.notifications where project_id = p.project_id order by id desc limit 50) n)
          || (select count(*) || ':' || coalesce(sum(attempts), 0) from earshot.notifications where state = 'due')
            as notifications,
          (select ${digest(sql`i.id || extract(epoch from i.updated_at)`)} from (
            select * from earshot.inbox order by received_at desc, id desc limit 50) i) as inbox,
          (select ${digest(sql`w.query_id || w.poll || concat(w.polled_at, w.complete_until, q.ticked_until) || w.failures`)}
            from earshot.polls w join earshot.queries q using (project_id, query_id) where q.active)
          || (select coalesce(max(id), 0) from earshot.outages)
          || (select ${digest(sql`p.id::text || p.version || coalesce(p.refused::text, '')`)} from earshot.processes p)
            as coverage
      `.execute(db);
      const [versions] = rows;
      if (versions === undefined) throw new Error("the versions query gave no row");
      return versions;
    },
  };
}

const ALERT = sql`a.id::text || a.state || a.severity || a.mentions || md5(a.because || a.handling::text)`;

function digest(text: ReturnType<typeof sql>) {
  return sql`md5(coalesce(string_agg(${text}, ',' order by ${text}), ''))`;
}
