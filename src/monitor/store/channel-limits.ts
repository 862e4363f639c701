import { sql } from "kysely";
import { type Db, withoutSync } from "./database.ts";

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
     * failures in a row. `keys`: see `keysOf`.
     */
    async take({ key, everyMs, burst }: Pace): Promise<ChannelSlot | null> {
      const { rows } = await sql<ChannelSlot>`
        insert into earshot.channel_limits as l (channel, tokens)
        select ${channelOf(key)}, ${burst - 1}::float8 where ${withoutSync}
        on conflict (channel) do update set counted_wall = greatest(now(), l.counted_wall), tokens = ${tokensLeft(everyMs, burst)} - 1
        where l.closed_until_wall <= now() and ${tokensLeft(everyMs, burst)} >= 1
        returning failures, array(${keysSql(key)}) as keys
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Gives the slot back: nothing was sent. */
    async giveBack(key: string): Promise<void> {
      await sql`update earshot.channel_limits set tokens = tokens + 1 where channel = ${channelOf(key)}
      `.execute(db);
    },

    /** The vendor calls this channel `channel`: from now on both keys have one limit. */
    async name(key: string, channel: string): Promise<void> {
      // What the key has used up or waits for holds for the channel: else each name would bring a burst of its own.
      await sql`
        with renamed as (
          update earshot.channel_limits set same_as = ${channel}
          where channel = ${key} and same_as is distinct from ${channel} returning *)
        insert into earshot.channel_limits as l (channel, tokens, counted_wall, closed_until_wall, failures, reason)
        select ${channel}, tokens, counted_wall, closed_until_wall, failures, reason from renamed
        on conflict (channel) do update set tokens = least(l.tokens, excluded.tokens),
          closed_until_wall = greatest(l.closed_until_wall, excluded.closed_until_wall),
          failures = greatest(l.failures, excluded.failures), reason = coalesce(excluded.reason, l.reason)
      `.execute(db);
    },

    /** Every key that has the limit of this one, which is among them. */
    async keysOf(key: string): Promise<string[]> {
      const { rows } = await keysSql(key).execute(db);
      return rows.map((row) => row.key);
    },

    /** Closes the channel for this time. After it, one message at a time tries it until one arrives. */
    async close(key: string, forMs: number, reason: string): Promise<void> {
      const until = sql`now() + make_interval(secs => ${forMs / 1000})`;
      await sql`
        insert into earshot.channel_limits as l (channel, tokens, counted_wall, closed_until_wall, failures, reason)
        values (${channelOf(key)}, 1, ${until}, ${until}, 1, ${reason})
        on conflict (channel) do update set closed_until_wall = greatest(l.closed_until_wall, ${until}), tokens = 1,
          counted_wall = greatest(l.closed_until_wall, ${until}), failures = l.failures + 1, reason = ${reason}
      `.execute(db);
    },

    /** The channel works again. */
    async reopen(key: string): Promise<void> {
      await sql`
        update earshot.channel_limits set failures = 0, reason = null, closed_until_wall = '-infinity'
        where channel = ${channelOf(key)}
      `.execute(db);
    },

    /** Channels that are sending or rate-limited: their backlog is not a stall. */
    async moving(): Promise<string[]> {
      const { rows } = await sql<{ key: string }>`
        select k.channel as key from ${KEYS}
        where l.closed_until_wall > now() - interval '1 min' or l.counted_wall > now() - interval '1 min'
      `.execute(db);
      return rows.map((row) => row.key);
    },

    /** Channels that are closed now, and for how long. */
    async closed(): Promise<{ key: string; forMs: number; reason: string | null }[]> {
      const { rows } = await sql<{ key: string; forMs: number; reason: string | null }>`
        select k.channel as key, extract(epoch from l.closed_until_wall - now())::float8 * 1000 as "forMs", l.reason
        from ${KEYS} where l.closed_until_wall > now() order by k.channel
      `.execute(db);
      return rows;
    },
  };
}

/** The channel that has the limit of this key: another one if the vendor's answer named it. */
function channelOf(key: string) {
  return sql`coalesce((select same_as from earshot.channel_limits where channel = ${key}), ${key})`;
}

function keysSql(key: string) {
  return sql<{ key: string }>`
    select ${key} as key union select ${channelOf(key)} union
      select channel from earshot.channel_limits where same_as = ${channelOf(key)}`;
}

interface ChannelSlot {
  readonly failures: number;
  readonly keys: readonly string[];
}

/** Every key k with the row l that holds its limit. */
const KEYS = sql`earshot.channel_limits k join earshot.channel_limits l on l.channel = coalesce(k.same_as, k.channel)`;

/** What has come together since it was last counted; after a failure never more than one. */
function tokensLeft(everyMs: number, burst: number) {
  const most = sql`(case when l.failures > 0 then 1 else ${burst}::float8 end)`;
  if (everyMs <= 0) return sql`${burst}::float8`;
  return sql`least(${most}, l.tokens + greatest(0, extract(epoch from now() - l.counted_wall)::float8) * 1000 / ${everyMs}::float8)`;
}
