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

/**
 * What is left to do, by Earshot's own tables; nothing: everything is read up to the last moment, and no notification is
 * pending.
 */
export async function leftToDo({ factsPool, clock }: World, lastMoment: Instant): Promise<readonly string[]> {
  const { rows } = await factsPool.query<{ left: string }>(
    `select 'read: ' || query_id || ' ' || poll || ' is complete until ' || coalesce(complete_until::text, 'never') || ', '
          || to_json(w) as left
        from earshot.polls w where complete_until is null or complete_until <= to_timestamp($1::float8 / 1000)
      union all select 'send: ' || to_json(n) from earshot.notifications n where state = 'due'
      union all select 'decide: ' || to_json(r) from earshot.alert_receivers r where next_at <= to_timestamp($2::float8 / 1000)
      union all select 'digest: ' || to_json(d) from earshot.digests d where state = 'due'
      union all select 'edit: ' || to_json(m) from earshot.alert_messages m join earshot.alerts a on a.id = m.alert_id
        where m.watched and a.resolved_at is not null`,
    [lastMoment, clock.now()],
  );
  return rows.map(({ left }) => left);
}

export async function isDrained(world: World, lastMoment: Instant): Promise<boolean> {
  return (await leftToDo(world, lastMoment)).length === 0;
}

async function isSo(answer: Promise<{ rows: { yes?: boolean }[] }>): Promise<boolean> {
  return (await answer).rows[0]?.yes === true;
}
