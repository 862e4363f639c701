import { sql } from "kysely";
import { DAY } from "../../lib/instant.ts";
import type { Notification } from "../model/notification.ts";
import type { UncorrectedMessages } from "../model/pipeline-facts.ts";
import type { Db } from "./database.ts";
import { NOTIFICATION_COLUMNS } from "./sending.ts";

/** The message of a notification that is to be corrected. */
interface CorrectionKey {
  readonly projectId: string;
  readonly notificationId: string;
}

/** `version` and `attempts` identify a claim. */
interface ClaimedCorrection extends CorrectionKey {
  readonly version: number;
  readonly attempts: number;
}

/** Longer than a vendor may take to answer: a correction has no heartbeat. */
const LEASE_SECONDS = 60;

/** Messages that show something that was deleted, until they are corrected or people have deleted them. */
export function createCorrectionStore(db: Db) {
  return {
    /**
     * Claims a correction. Null: it is not due, another worker has it, or the message is still being sent. A message
     * that was never sent needs none.
     */
    async claim({ projectId, notificationId }: CorrectionKey): Promise<{
      readonly claim: ClaimedCorrection;
      readonly notification: Notification;
    } | null> {
      const { rows } = await sql<{ version: number; attempts: number }>`
        update earshot.corrections set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS}),
          attempts = attempts + 1
        where project_id = ${projectId} and notification_id = ${notificationId}::uuid and ${DUE}
        returning version, attempts
      `.execute(db);
      const [claimed] = rows;
      if (claimed === undefined) return null;
      const claim = { projectId, notificationId, ...claimed };
      const found = await sql<Notification>`
        select ${NOTIFICATION_COLUMNS} from earshot.notifications
        where project_id = ${projectId} and id = ${notificationId}::uuid
      `.execute(db);
      const [notification] = found.rows;
      if (notification?.state === "sent") return { claim, notification };
      // Somebody has just asked for it to be sent again.
      if (notification?.state === "due") await this.postpone(claim, 0, null);
      else await this.settle(claim);
      return null;
    },

    /**
     * Done, or nothing to do. One that is wanted anew meanwhile stays, and is due at once. A mail that was on its way when
     * it was wanted has stored its subject since. The next one counts on from this: a program knows it by its number.
     */
    async settle({ projectId, notificationId, version }: ClaimedCorrection): Promise<void> {
      await sql`
        update earshot.notifications
        set vendor_ref = vendor_ref - 'subject' || jsonb_build_object('corrected', ${version}::text)
        where project_id = ${projectId} and id = ${notificationId}::uuid and vendor_ref is not null
      `.execute(db);
      const { numAffectedRows } = await sql`
        delete from earshot.corrections where project_id = ${projectId} and notification_id = ${notificationId}::uuid
          and version = ${version}
      `.execute(db);
      // A statement of its own: it sees who wanted it anew while the one before waited for the row.
      if (numAffectedRows === 0n)
        await sql`
          update earshot.corrections set leased_until_wall = null
          where project_id = ${projectId} and notification_id = ${notificationId}::uuid and version <> ${version}
        `.execute(db);
    },

    /**
     * It is tried again after `retryAfterMs`. Null: it is not possible, for this reason, and is tried once a day, since
     * people may delete the message. It stays not possible until it is done, whatever a later try meets.
     */
    async postpone(
      { projectId, notificationId, version }: ClaimedCorrection,
      retryAfterMs: number | null,
      problem: string | null,
    ): Promise<void> {
      await sql`
        update earshot.corrections set leased_until_wall = null,
          next_try_wall = case when version = ${version} or ${retryAfterMs !== null}
            then now() + make_interval(secs => ${(retryAfterMs ?? DAY) / 1000}) else next_try_wall end,
          problem = case when version = ${version} and ${retryAfterMs === null} then ${problem}::text else problem end
        where project_id = ${projectId} and notification_id = ${notificationId}::uuid
      `.execute(db);
    },

    /** By receiver, messages that could not be corrected, and where the newest three of them are found. */
    async notPossible(): Promise<UncorrectedMessages[]> {
      const { rows } = await sql<UncorrectedMessages>`
        with stuck as (
          select n.receiver, c.problem, c.next_try_wall, n.sent_at, n.digest_name as digest,
            (select a.rule from earshot.alerts a where a.project_id = n.project_id and a.id = n.alert_id) as rule,
            row_number() over (partition by n.receiver order by n.sent_at desc, n.id) as place
          from earshot.corrections c
          join earshot.notifications n on n.project_id = c.project_id and n.id = c.notification_id
          where c.problem is not null)
        select receiver, count(*)::int as n, (array_agg(problem order by next_try_wall desc))[1] as error,
          extract(epoch from min(next_try_wall) - interval '1 day')::float8 * 1000 as since,
          json_agg(json_build_object('rule', rule, 'digest', digest, 'sentAt', extract(epoch from sent_at) * 1000)
            order by place) filter (where place <= 3) as newest
        from stuck group by receiver order by receiver
      `.execute(db);
      return rows;
    },
  };
}

// A message that is still being sent is waited for: a try before it would only count towards giving up.
const DUE = sql`next_try_wall <= now() and (leased_until_wall is null or leased_until_wall < now())
  and not exists (select from earshot.notifications n where n.project_id = corrections.project_id
    and n.id = corrections.notification_id and n.state = 'due')`;

export function correctionsDue(limit: number) {
  return sql<CorrectionKey>`
    select project_id as "projectId", notification_id as "notificationId" from earshot.corrections
    where ${DUE} order by next_try_wall limit ${limit}`;
}
