import type { Instant } from "../../lib/instant.ts";
import type { Query } from "../model/query.ts";
import type { Novelty } from "../rules/novelty.ts";
import type { Rule } from "../rules/rule.ts";
import type { Series } from "../rules/window-condition.ts";
import type { Facts, Stores } from "../store/stores.ts";
import { countedBy, seriesOf } from "./assess-mention.ts";
import type { DistinctAuthorChange } from "./count-distinct-authors.ts";
import { noveltiesOf } from "./note-values.ts";
import { countedAt, createPageCounts } from "./page-counts.ts";
import { recordCounts } from "./record-counts.ts";
import { noteMentions } from "./record-values.ts";

/**
 * Counts the stored mentions for a new or edited rule, so that its baseline starts from history. A series that no rule
 * uses any more is dropped at once and starts anew when a rule uses it again: otherwise its counts would have a hole,
 * which would teach that few mentions are usual. Runs before the rules are used; a second run, here or in another
 * process, finds nothing to do. Returns how many series were new.
 *
 * @param known the series that are counted, if the caller has read them for many queries at once
 */
export async function prepareSeries(
  store: Pick<Stores, "counts" | "transaction">,
  query: Query,
  rules: readonly Rule[],
  known?: readonly string[],
): Promise<number> {
  const keys = new Set([...seriesOf(rules), ...noveltiesOf(rules)].map(({ key }) => key));
  const registered = new Set(known ?? (await store.counts.series(query.projectId, query.queryId)));
  if (keys.size === registered.size && [...keys].every((key) => registered.has(key))) return 0;
  return store.transaction(async (facts) => {
    const locked = await facts.queries.lock(query.projectId, query.queryId);
    const known = await facts.counts.series(query.projectId, query.queryId);
    const left = [...known].filter((key) => !keys.has(key));
    if (left.length > 0) await facts.counts.leaveSeries(query.projectId, query.queryId, left);
    const series = seriesOf(rules).filter(({ key }) => !known.has(key));
    const novelties = noveltiesOf(rules).filter(({ key }) => !known.has(key));
    const fresh = [...series, ...novelties].map(({ key }) => key);
    if (fresh.length === 0) return 0;
    await facts.counts.clear(query.projectId, query.queryId, fresh);
    const first = await countStored(facts, query, series, novelties);
    // Counts what a state missed, unless those mentions are deleted: then the state starts anew, too.
    const baselines = rules.flatMap((rule) =>
      rule.kind === "window" && rule.window.series.some(({ key }) => fresh.includes(key))
        ? [rule.window.baseline]
        : [],
    );
    const since = first ?? locked?.tickedUntil ?? 0;
    await facts.conditions.removeStopped(query.projectId, query.queryId, baselines, since);
    await facts.counts.addSeries(query.projectId, query.queryId, fresh);
    return fresh.length;
  });
}

/** Returns when the first stored mention arrived; null if none is stored. */
async function countStored(
  facts: Facts,
  query: Query,
  series: readonly Series[],
  novelties: readonly Novelty[],
): Promise<Instant | null> {
  let first: Instant | null = null;
  for await (const mentions of facts.mentions.byArrival(query.projectId, query.queryId)) {
    first ??= mentions[0]?.mention.addedAt ?? null;
    const pageCounts = createPageCounts();
    const distinctAuthors: DistinctAuthorChange[] = [];
    for (const { mention, story } of mentions) {
      const counted = countedBy(series, mention, story);
      const moment = { arrivedAt: mention.addedAt, eventAt: countedAt(mention) };
      for (const key of counted.series) pageCounts.add(key, moment.arrivedAt, moment.eventAt, 1);
      for (const author of counted.distinctAuthors) distinctAuthors.push({ ...author, ...moment, n: 1 });
    }
    await recordCounts(facts, query, pageCounts.changes(), distinctAuthors);
    const stored = mentions.map(({ mention }) => mention);
    for (const novelty of novelties) await noteMentions(facts, query, novelty, stored);
  }
  return first;
}
