import { sql } from "kysely";
import type { Db } from "./database.ts";

/** How much a place takes. `everyMs` 0: as much as comes. */
interface Pace {
  readonly key: string;
  readonly everyMs: number;
  /** So many at once after a rest. */
  readonly burst: number;
}

/** Places that messages go to, with the pace that they bear. All moments are the database's. */
export function createChannelLimitStore(db: Db) {
  return {
    /**
     * Takes the next place in line, or null where there is none now: it is closed, or its pace is used up. `failures`
     * is how often it failed in a row before.
     */
    async take({ key, everyMs, burst }: Pace): Promise<{ readonly failures: number } | null> {
      const { rows } = await sql<{ failures: number }>`
        insert into earshot.channel_limits as l (channel, tokens) values (${key}, ${burst - 1})
        on conflict (channel) do update set counted_wall = greatest(now(), l.counted_wall), tokens = ${tokensLeft(everyMs, burst)} - 1
        where l.closed_until_wall <= now() and ${tokensLeft(everyMs, burst)} >= 1
        returning failures
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Nothing went there after all. */
    async giveBack(key: string): Promise<void> {
      await sql`update earshot.channel_limits set tokens = tokens + 1 where channel = ${key}`.execute(db);
    },

    /** Takes nothing for so long, and then one message at a time until one has arrived. */
    async close(key: string, forMs: number, reason: string): Promise<void> {
      const until = sql`now() + make_interval(secs => ${forMs / 1000})`;
      await sql`
        insert into earshot.channel_limits as l (channel, tokens, counted_wall, closed_until_wall, failures, reason)
        values (${key}, 1, ${until}, ${until}, 1, ${reason})
        on conflict (channel) do update set closed_until_wall = greatest(l.closed_until_wall, ${until}), tokens = 1,
          counted_wall = greatest(l.closed_until_wall, ${until}), failures = l.failures + 1, reason = ${reason}
      `.execute(db);
    },

    /** It works again. */
    async reopen(key: string): Promise<void> {
      await sql`
        update earshot.channel_limits set failures = 0, reason = null, closed_until_wall = '-infinity' where channel = ${key}
      `.execute(db);
    },

    /** Those that took something in the last minute, or wait for their vendor: what stands in line there is no standstill. */
    async moving(): Promise<string[]> {
      const { rows } = await sql<{ key: string }>`
        select channel as key from earshot.channel_limits
        where closed_until_wall > now() - interval '1 min' or counted_wall > now() - interval '1 min'
      `.execute(db);
      return rows.map((row) => row.key);
    },

    /** Those that take nothing at this moment, and for how long. */
    async closed(): Promise<{ key: string; forMs: number; reason: string | null }[]> {
      const { rows } = await sql<{ key: string; forMs: number; reason: string | null }>`
        select channel as key, extract(epoch from closed_until_wall - now())::float8 * 1000 as "forMs", reason
        from earshot.channel_limits where closed_until_wall > now() order by channel
      `.execute(db);
      return rows;
    },
  };
}

/** What has come together since it was last counted; after a failure never more than one. */
function tokensLeft(everyMs: number, burst: number) {
  const most = sql`(case when l.failures > 0 then 1 else ${burst}::float8 end)`;
  if (everyMs <= 0) return sql`${burst}::float8`;
  return sql`least(${most}, l.tokens + greatest(0, extract(epoch from now() - l.counted_wall)::float8) * 1000 / ${everyMs}::float8)`;
}
