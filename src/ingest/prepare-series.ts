import { eventAt } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import { countedBy, seriesOf } from "./assess-mention.ts";
import type { VoiceChange } from "./count-voices.ts";
import type { IngestStore } from "./ports.ts";
import { recordCounts } from "./record-counts.ts";
import { noteMentions, noveltiesOf } from "./record-values.ts";
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
  const wanted = [...seriesOf(rules), ...noveltiesOf(rules)];
  const registered = await store.counts.series(query.projectId, query.queryId);
  if (wanted.every((series) => registered.has(series.key))) return 0;
  return store.transaction(async (facts) => {
    await facts.queries.lock(query.projectId, query.queryId);
    const known = await facts.counts.series(query.projectId, query.queryId);
    const fresh = seriesOf(rules).filter((series) => !known.has(series.key));
    const novelties = noveltiesOf(rules).filter((novelty) => !known.has(novelty.key));
    if (fresh.length + novelties.length === 0) return 0;
    for await (const mentions of facts.mentions.byArrival(query.projectId, query.queryId)) {
      const tally = createTally();
      const voices: VoiceChange[] = [];
      for (const mention of mentions) {
        const counted = countedBy(fresh, mention);
        const moment = { arrivedAt: mention.addedAt, eventAt: eventAt(mention) };
        for (const key of counted.series) tally.add(key, moment.arrivedAt, moment.eventAt, 1);
        for (const voice of counted.voices) voices.push({ ...voice, ...moment, n: 1 });
      }
      await recordCounts(facts, query, tally.changes(), voices);
      for (const novelty of novelties) await noteMentions(facts, query, novelty, mentions);
    }
    await facts.counts.addSeries(
      query.projectId,
      query.queryId,
      [...fresh, ...novelties].map(({ key }) => key),
    );
    return fresh.length + novelties.length;
  });
}
