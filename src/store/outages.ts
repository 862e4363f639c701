import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { Outage } from "../model/failure.ts";
import { at, type Db } from "./database.ts";

/** Outages that several processes saw, or that followed each other closely, are one outage. */
const APART_SECONDS = 30;

export function createOutageStore(db: Db) {
  return {
    /** Stores an outage, or extends the one that it belongs to. */
    async note({ engine, outcome, from, to, because }: Outage): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtext('earshot.outages'))`.execute(tx);
        const { numAffectedRows } = await sql`
          update earshot.outages set from_at = least(from_at, ${at(from)}), to_at = greatest(to_at, ${at(to)}),
            because = coalesce(because, ${because}::text)
          where engine = ${engine} and outcome = ${outcome}
            and from_at <= ${at(to)} + make_interval(secs => ${APART_SECONDS})
            and to_at >= ${at(from)} - make_interval(secs => ${APART_SECONDS})
        `.execute(tx);
        if (numAffectedRows !== 0n) return;
        await sql`
          insert into earshot.outages (engine, outcome, from_at, to_at, because)
          values (${engine}, ${outcome}, ${at(from)}, ${at(to)}, ${because}::text)
        `.execute(tx);
      });
    },

    /** Those that ended after `since`, newest first, a hundred at most. */
    async endedAfter(since: Instant): Promise<Outage[]> {
      const { rows } = await sql<Outage>`
        select engine, outcome, from_at as "from", to_at as "to", because from earshot.outages
        where to_at > ${at(since)} order by to_at desc, id desc limit 100
      `.execute(db);
      return rows;
    },
  };
}
