import { sql } from "kysely";
import type { Db } from "./database.ts";

/** How much a channel accepts. `everyMs` 0: no limit. */
interface Pace {
  readonly key: string;
  readonly everyMs: number;
  /** The burst after a pause. */
  readonly burst: number;
}

/** Channels that messages go to, and their rate limits. All moments are the database's. */
export function createChannelLimitStore(db: Db) {
  return {
    /**
     * Takes the next slot of the channel. Null: the channel is closed, or its limit is used up. `failures`: earlier
     * failures in a row.
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

    /** Gives the slot back: nothing was sent. */
    async giveBack(key: string): Promise<void> {
      await sql`update earshot.channel_limits set tokens = tokens + 1 where channel = ${key}`.execute(db);
    },

    /** Closes the channel for this time. After it, one message at a time tries it until one arrives. */
    async close(key: string, forMs: number, reason: string): Promise<void> {
      const until = sql`now() + make_interval(secs => ${forMs / 1000})`;
      await sql`
        insert into earshot.channel_limits as l (channel, tokens, counted_wall, closed_until_wall, failures, reason)
        values (${key}, 1, ${until}, ${until}, 1, ${reason})
        on conflict (channel) do update set closed_until_wall = greatest(l.closed_until_wall, ${until}), tokens = 1,
          counted_wall = greatest(l.closed_until_wall, ${until}), failures = l.failures + 1, reason = ${reason}
      `.execute(db);
    },

    /** The channel works again. */
    async reopen(key: string): Promise<void> {
      await sql`
        update earshot.channel_limits set failures = 0, reason = null, closed_until_wall = '-infinity' where channel = ${key}
      `.execute(db);
    },

    /** Channels that are sending or rate-limited: their backlog is not a stall. */
    async moving(): Promise<string[]> {
      const { rows } = await sql<{ key: string }>`
        select channel as key from earshot.channel_limits
        where closed_until_wall > now() - interval '1 min' or counted_wall > now() - interval '1 min'
      `.execute(db);
      return rows.map((row) => row.key);
    },

    /** Channels that are closed now, and for how long. */
    async closed(): Promise<{ key: string; forMs: number; reason: string | null }[]> {
      const { rows } = await sql<{ key: string; forMs: number; reason: string | null }>`
        select channel as key, extract(epoch from closed_until_wall - now())::float8 * 1000 as "forMs", reason
        from earshot.channel_limits where closed_until_wall > now() order by channel
      `.execute(db);
      return rows;
    },
  };
}

/** The slots that have refilled since the last count; at most one after a failure. */
function tokensLeft(everyMs: number, burst: number) {
  const most = sql`(case when l.failures > 0 then 1 else ${burst}::float8 end)`;
  if (everyMs <= 0) return sql`${burst}::float8`;
  return sql`least(${most}, l.tokens + greatest(0, extract(epoch from now() - l.counted_wall)::float8) * 1000 / ${everyMs}::float8)`;
}
