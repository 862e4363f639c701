import { type Alert, BUCKET_MS, type ConditionState, type Rule, type WatchedQuery } from "#monitor";
import { floorTo, type Instant } from "../../lib/instant.ts";
import { createSimulatedQuery } from "../backtest/simulate-query.ts";
import { asMention, type StoryQueries } from "./stage.ts";
import type { Story } from "./story.ts";

/** What the rules say in memory of a story that has begun, to know which times can be left out. */
export interface Forecast {
  /** Goes on to this stop; call it for every one, in order. */
  expectedAt(stop: Instant): StopForecast;
  /** Whether the alerts in the tables are those of the forecast at its last stop. */
  agreesWith(alerts: readonly Alert[]): boolean;
}

/**
 * What happens to the alerts at a stop, at most. `Growth`: more mentions of open alerts. Nobody is notified of them,
 * unless a reminder waits for new evidence. `News`: an alert opens, fires, rises, ends or gets worse.
 */
type StopForecast = "Nothing" | "Growth" | "News";

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
      {},
      { watched: query, states },
    ),
    mentions: story.mentions.filter(
      ({ query: name, at }) => String(queries.ids.get(name)) === query.queryId && at >= story.start,
    ),
    next: 0,
  }));
  const unknownFrom = Math.min(...[...story.changes, ...story.actions].map(({ at }) => at));
  const dependsOnPages = new Set(rules.filter(countsStory).map(({ name }) => name));
  const alerts = new Map<string, Alert>();
  let bucketEnd = floorTo(story.start, BUCKET_MS) + BUCKET_MS;
  let at = story.start;
  const take = (simulation: (typeof simulated)[number], until: Instant): void => {
    for (let next = simulation.mentions[simulation.next]; next !== undefined && next.at <= until; ) {
      simulation.one.take(asMention(next, queries));
      simulation.next += 1;
      next = simulation.mentions[simulation.next];
    }
  };
  return {
    expectedAt: (stop) => {
      at = stop;
      if (stop >= unknownFrom) return "News";
      const changed: Alert[] = [];
      for (; bucketEnd <= stop; bucketEnd += BUCKET_MS)
        for (const simulation of simulated) {
          take(simulation, bucketEnd - 1);
          changed.push(...simulation.one.closeBucket(bucketEnd).changed);
        }
      for (const simulation of simulated) {
        take(simulation, stop);
        changed.push(...simulation.one.commitPage(stop).changed);
      }
      const isNews = changed.some(
        (alert) => dependsOnPages.has(alert.rule) || isNewsAfter(alerts.get(alert.id), alert),
      );
      for (const alert of changed) alerts.set(alert.id, alert);
      return isNews ? "News" : changed.length > 0 ? "Growth" : "Nothing";
    },
    agreesWith: (stored) => at >= unknownFrom || factsOf([...alerts.values()]) === factsOf(stored),
  };
}

/** A story is counted with its whole page. Fewer stops make larger pages, in which it is large from the first mention. */
function countsStory(rule: Rule): boolean {
  return rule.kind === "mention" && rule.countsStory;
}

/** Whether somebody may have to be notified: decisions compare these with the last notification. */
function isNewsAfter(before: Alert | undefined, { state, severity, notifyCount }: Alert): boolean {
  return before?.state !== state || before.severity !== severity || before.notifyCount !== notifyCount;
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
