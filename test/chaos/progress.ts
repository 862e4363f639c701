import type { Instant } from "../../src/lib/instant.ts";
import { LATEST_MS, type PlannedMention } from "./stream.ts";
import type { World } from "./world.ts";

/** Every query is known, and its past is read: what is published from now on alerts. */
export function isWatching({ factsPool, queries }: World): Promise<boolean> {
  return isSo(
    factsPool.query(`select count(*) = ${queries.length} as yes from earshot.polls
      where poll = 'added' and complete_until is not null`),
  );
}

/** When everything that was published is visible, and nothing changes any more. */
export function lastMomentOf(mentions: readonly PlannedMention[], from: Instant): Instant {
  return from + Math.max(0, ...mentions.map(({ at, turnsAt }) => turnsAt ?? at + LATEST_MS));
}

/** By Earshot's own tables: everything is read up to the last moment, and no notification is pending. */
export function isDrained({ factsPool, clock }: World, lastMoment: Instant): Promise<boolean> {
  return isSo(
    factsPool.query(
      `select (select bool_and(complete_until > to_timestamp($1::float8 / 1000)) from earshot.polls)
        and not exists (select from earshot.notifications where state = 'due')
        and not exists (select from earshot.alert_receivers where next_at <= to_timestamp($2::float8 / 1000))
        and not exists (select from earshot.digests where state = 'due')
        and not exists (select from earshot.alert_messages m join earshot.alerts a on a.id = m.alert_id
          where m.watched and a.resolved_at is not null) as yes`,
      [lastMoment, clock.now()],
    ),
  );
}

async function isSo(answer: Promise<{ rows: { yes?: boolean }[] }>): Promise<boolean> {
  return (await answer).rows[0]?.yes === true;
}
