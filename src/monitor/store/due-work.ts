import { sql } from "kysely";
import { followChannel } from "../../lib/follow-channel.ts";
import type { Instant } from "../../lib/instant.ts";
import type { PollKey } from "../model/poll.ts";
import type { SourceName } from "../model/query.ts";
import { editsDue } from "./alert-messages.ts";
import { correctionsDue } from "./corrections.ts";
import { staleCountsDue } from "./count-mentions.ts";
import type { Database, Db } from "./database.ts";
import { decisionsDue } from "./decisions.ts";
import { pollsDue, windowsDue } from "./polls.ts";
import { deliveriesDue } from "./sending.ts";

interface DueTerms {
  readonly now: Instant;
  readonly bucketMs: number;
  /** Receivers whose messages can be edited. */
  readonly liveReceivers: readonly string[];
  /** Sources without a rate limit; the polls of the others are planned. */
  readonly unplanned: readonly SourceName[];
  /** Of each source. */
  readonly mostPolls: number;
  readonly mostDeliveries: number;
  readonly mostEdits: number;
}

interface DueWork {
  readonly polls: readonly PollKey[];
  readonly windows: readonly { readonly projectId: string; readonly queryId: string }[];
  readonly decisions: DueWork["windows"];
  /** Those to closed channels, too. */
  readonly deliveries: readonly { readonly projectId: string; readonly notificationId: string }[];
  readonly edits: readonly {
    readonly projectId: string;
    readonly alertId: string;
    readonly receiver: string;
  }[];
  readonly corrections: DueWork["deliveries"];
  /** Mentions changed since they were counted. */
  readonly hasStaleCounts: boolean;
  /** Editions of digests are announced and not built. */
  readonly hasDigests: boolean;
  /** Somebody gets a view by mail. */
  readonly hasMails: boolean;
  /** Keys of the jobs that are dead letters. */
  readonly deadJobs: readonly string[];
  readonly closedChannels: readonly string[];
}

/** Decisions about alerts that are left for later. */
export interface DecisionsLeft {
  /** When the next one is due; null if none is. */
  readonly nextAt: Instant | null;
  /** Whether a reminder is overdue that only new evidence releases. */
  readonly waitsForEvidence: boolean;
}

const CHANNEL = "earshot_due";

/** Calls `onDue` after each commit that announced work, in whatever process; see `followChannel`. */
export function followDueWork(
  { pool }: Pick<Database, "pool">,
  onDue: () => void,
  onBroken: (error: unknown) => void,
): () => Promise<void> {
  return followChannel(pool, CHANNEL, onDue, onBroken);
}

/** Everything that is due, for the sweep: each kind is defined in its own file. */
export function createDueWorkStore(db: Db) {
  return {
    /** A sweep follows the commit at once, where a process listens; otherwise within a second as always. */
    async announce(): Promise<void> {
      await sql`select pg_notify(${CHANNEL}, '')`.execute(db);
    },

    /** One statement: a sweep that finds nothing costs one question. */
    async find(terms: DueTerms): Promise<DueWork> {
      const { now, bucketMs, liveReceivers, unplanned, mostPolls, mostDeliveries, mostEdits } = terms;
      const ofEach = unplanned.map((source) => sql`(${pollsDue(now, mostPolls, source)})`);
      const polls = ofEach.length === 0 ? sql`select where false` : sql.join(ofEach, sql` union all `);
      const { rows } = await sql<DueWork>`
        select ${listOf(polls)} as polls, ${listOf(windowsDue(bucketMs, now))} as windows,
          ${listOf(decisionsDue(now))} as decisions, ${listOf(deliveriesDue(mostDeliveries, []))} as deliveries,
          ${listOf(editsDue(liveReceivers, mostEdits))} as edits, ${listOf(correctionsDue(mostEdits))} as corrections,
          ${staleCountsDue} as "hasStaleCounts",
          exists (select from earshot.digests where state = 'due') as "hasDigests",
          exists (select from earshot.view_mails) as "hasMails",
          array(select scope from earshot.dead_letters where kind = 'job' and settled_at is null) as "deadJobs",
          array(select k.channel from earshot.channel_limits k
            join earshot.channel_limits l on l.channel = coalesce(k.same_as, k.channel)
            where l.closed_until_wall > now()) as "closedChannels"
      `.execute(db);
      const [due] = rows;
      if (due === undefined) throw new Error("the database returned no row");
      return due;
    },

    /** For drivers that wait until nothing is left to do: how much is being done or waits for another try. */
    async unsettled(): Promise<number> {
      const { rows } = await sql<{ inHand: number }>`
        select (select count(*) from earshot.polls join earshot.queries q using (project_id, query_id)
            where q.active and (leased_until_wall > now() or retry_at_wall > now()))
          + (select count(*) from earshot.notifications where state = 'due' and leased_until_wall > now())
          + (select count(*) from earshot.alert_messages where watched and leased_until_wall > now())
          + (select count(*) from earshot.corrections
            where problem is null and (leased_until_wall > now() or next_try_wall > now())) as "inHand"
      `.execute(db);
      return rows[0]?.inHand ?? 0;
    },

    /** Reads all receivers of all alerts: for a driver whose database holds few. */
    async decisionsLeft(): Promise<DecisionsLeft> {
      const { rows } = await sql<DecisionsLeft>`
        select min(next_at) as "nextAt", coalesce(bool_or(entry->>'last' = 'NoNewEvidence'), false) as "waitsForEvidence"
        from earshot.alert_receivers
      `.execute(db);
      return rows[0] ?? { nextAt: null, waitsForEvidence: false };
    },
  };
}

function listOf(due: ReturnType<typeof sql>) {
  return sql`(select coalesce(json_agg(one), '[]') from (${due}) as one)`;
}
