import { createSimulatedQuery } from "../backtest/simulate-query.ts";
import { floorTo, type Instant } from "../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import { BUCKET_MS, type ConditionState } from "../model/judging.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import { asMention, type StoryQueries } from "./stage.ts";
import type { Story } from "./story.ts";

/** What the rules say in memory of a story that has begun, to know at which stops of the clock an alert changes. */
export interface Forecast {
  /** Goes on to this stop; call it for every one, in order. Returns whether an alert may change there. */
  changesAt(stop: Instant): boolean;
  /** Whether the alerts in the tables are those of the forecast at its last stop. */
  agreesWith(alerts: readonly Alert[]): boolean;
}

/**
 * Goes on from what the queries have learned at the first stop, by the same functions as the monitor. What people and
 * the source do later is not part of it: from then on every stop may change something.
 */
export function createForecast(
  story: Story,
  rules: readonly Rule[],
  queries: StoryQueries,
  watched: readonly { readonly query: WatchedQuery; readonly states: readonly ConditionState[] }[],
): Forecast {
  const simulated = watched.map(({ query, states }) => ({
    one: createSimulatedQuery(
      query,
      rules.filter((rule) => rule.appliesTo(query)),
      story.start,
      undefined,
      { watched: query, states },
    ),
    mentions: story.mentions.filter(
      ({ query: name, at }) => String(queries.ids.get(name)) === query.queryId && at >= story.start,
    ),
    taken: 0,
  }));
  const unknownFrom = Math.min(...[...story.changes, ...story.actions].map(({ at }) => at));
  const alerts = new Map<string, Alert>();
  let bucketEnd = floorTo(story.start, BUCKET_MS) + BUCKET_MS;
  let at = story.start;
  const take = (its: (typeof simulated)[number], until: Instant): void => {
    for (let next = its.mentions[its.taken]; next !== undefined && next.at <= until; ) {
      its.one.take(asMention(next, queries));
      its.taken += 1;
      next = its.mentions[its.taken];
    }
  };
  return {
    changesAt: (stop) => {
      at = stop;
      if (stop >= unknownFrom) return true;
      const changed: Alert[] = [];
      for (; bucketEnd <= stop; bucketEnd += BUCKET_MS)
        for (const its of simulated) {
          take(its, bucketEnd - 1);
          changed.push(...its.one.closeBucket(bucketEnd));
        }
      for (const its of simulated) {
        take(its, stop);
        changed.push(...its.one.commitPage(stop));
      }
      for (const alert of changed) alerts.set(alert.id, alert);
      return changed.length > 0;
    },
    agreesWith: (stored) => at >= unknownFrom || factsOf([...alerts.values()]) === factsOf(stored),
  };
}

/** All that the rules decide of alerts; ids differ, and how often people were notified is not forecast. */
function factsOf(alerts: readonly Alert[]): string {
  const facts = alerts.map(({ fingerprint, state, severity, mentions, because, ...moments }) => {
    const { openedAt, firedAt, lastSeenAt, resolvedAt, windowFrom, windowTo } = moments;
    return JSON.stringify([
      fingerprint,
      openedAt,
      state,
      severity,
      mentions,
      because,
      firedAt,
      lastSeenAt,
      resolvedAt,
      windowFrom,
      windowTo,
    ]);
  });
  return facts.sort().join("\n");
}
