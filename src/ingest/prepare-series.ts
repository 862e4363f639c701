import { eventAt } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import { seriesOf } from "./assess-mention.ts";
import type { IngestStore } from "./ports.ts";
import { createTally } from "./tally.ts";

/**
 * Counts what a new or edited rule counts in the mentions that are stored already, so that its baseline starts from
 * history. Runs before the rules are used; a second run, here or in another process, finds nothing to do. Returns how
 * many series were new.
 */
export async function prepareSeries(
  store: IngestStore,
  query: Query,
  rules: readonly Rule[],
): Promise<number> {
  const wanted = seriesOf(rules);
  const registered = await store.counts.series(query.projectId, query.queryId);
  if (wanted.every((series) => registered.has(series.key))) return 0;
  return store.transaction(async (facts) => {
    await facts.queries.lock(query.projectId, query.queryId);
    const known = await facts.counts.series(query.projectId, query.queryId);
    const fresh = wanted.filter((series) => !known.has(series.key));
    if (fresh.length === 0) return 0;
    for await (const mentions of facts.mentions.byArrival(query.projectId, query.queryId)) {
      const tally = createTally();
      for (const mention of mentions) {
        for (const series of fresh) {
          if (series.counts(mention)) tally.add(series.key, mention.addedAt, eventAt(mention), 1);
        }
      }
      await facts.counts.add(query.projectId, query.queryId, tally.changes());
    }
    await facts.counts.addSeries(
      query.projectId,
      query.queryId,
      fresh.map((series) => series.key),
    );
    return fresh.length;
  });
}
