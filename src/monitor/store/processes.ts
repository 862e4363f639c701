import { sql } from "kysely";
import { type Instant, SECOND } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { RefusedReload, ReloadRequest, RunningProcess } from "../model/process.ts";
import type { Db } from "./database.ts";

/** A process that was not seen for so long is gone. It reports itself every second, later on a very busy machine. */
const GONE_AFTER_MS = 20 * SECOND;

/** What a process reports about itself. */
export type ProcessReport = Pick<
  RunningProcess,
  "id" | "host" | "pid" | "roles" | "version" | "answered" | "loop"
> & { readonly refused: Omit<RefusedReload, "at"> | null };

/** The processes that run now, and what they were asked to reload. */
export function createProcessStore(db: Db) {
  return {
    /**
     * Reports that this process lives, and what it runs; forgets those that are gone. Returns the newest request to
     * reload, if there ever was one.
     */
    async report(one: ProcessReport): Promise<ReloadRequest | null> {
      const refused = one.refused === null ? null : storableJson(one.refused);
      await sql`
        insert into earshot.processes as p (id, host, pid, roles, version, refused, answered, loop_mean_ms, loop_max_ms)
        values (${one.id}, ${one.host}, ${one.pid}, ${[...one.roles]}, ${one.version},
          ${refused}::jsonb || jsonb_build_object('at', ${WALL}), ${one.answered},
          ${one.loop.meanMs}, ${one.loop.maxMs})
        on conflict (id) do update set version = excluded.version, answered = excluded.answered, seen_wall = now(),
          loop_mean_ms = excluded.loop_mean_ms, loop_max_ms = excluded.loop_max_ms,
          since_wall = case when p.version = excluded.version then p.since_wall else now() end,
          refused = case when p.refused - 'at' = excluded.refused - 'at' and p.answered is not distinct from excluded.answered
            then p.refused else excluded.refused end
      `.execute(db);
      await sql`
        delete from earshot.processes where seen_wall < now() - make_interval(secs => ${GONE_AFTER_MS / SECOND})
      `.execute(db);
      return requested(db);
    },

    /** The process stops. */
    async leave(id: string): Promise<void> {
      await sql`delete from earshot.processes where id = ${id}`.execute(db);
    },

    /** Asks all processes to reload their files, which have to be of this version. */
    async request(id: string, version: string): Promise<ReloadRequest> {
      const { rows } = await sql<{ value: ReloadRequest }>`
        insert into earshot.settings (key, value)
        values (${REQUEST}, jsonb_build_object('id', ${id}::text, 'version', ${version}::text, 'at', ${WALL}))
        on conflict (key) do update set value = excluded.value returning value
      `.execute(db);
      const [row] = rows;
      if (row === undefined) throw new Error("the request to reload was not stored");
      return row.value;
    },

    requested: () => requested(db),

    /** The database's time, with which the moments of processes are to be compared. */
    async wall(): Promise<Instant> {
      const { rows } = await sql<{ wall: Instant }>`select now() as wall`.execute(db);
      const [row] = rows;
      if (row === undefined) throw new Error("the database returned no time");
      return row.wall;
    },

    /**
     * Whether all processes that live run this version; null: whether they run one at all. While they do not, a rule or
     * receiver that one does not know may be known to the others. Work that ends with the version before asks for that.
     */
    async allRun(version: string | null): Promise<boolean> {
      const { rows } = await sql<{ one: boolean }>`
        select count(distinct version) <= 1 and coalesce(min(version) = ${version}, true) as one from earshot.processes
        where seen_wall >= now() - make_interval(secs => ${GONE_AFTER_MS / SECOND})
      `.execute(db);
      return rows[0]?.one ?? true;
    },

    /** Those that live, by host. */
    async running(): Promise<RunningProcess[]> {
      const { rows } = await sql<RunningProcess>`
        select id, host, pid, roles, started_wall as "startedAt", version, since_wall as since, refused, answered,
          jsonb_build_object('meanMs', loop_mean_ms, 'maxMs', loop_max_ms) as loop
        from earshot.processes where seen_wall >= now() - make_interval(secs => ${GONE_AFTER_MS / SECOND})
        order by host, started_wall, pid limit 1000
      `.execute(db);
      return rows;
    },
  };
}

const REQUEST = "reload-request";

/** Milliseconds, as the program counts them. */
const WALL = sql`floor(extract(epoch from clock_timestamp()) * 1000)`;

async function requested(db: Db): Promise<ReloadRequest | null> {
  const { rows } = await sql<{ value: ReloadRequest }>`
    select value from earshot.settings where key = ${REQUEST}
  `.execute(db);
  return rows[0]?.value ?? null;
}
