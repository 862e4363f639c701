import type { Instant } from "../lib/instant.ts";
import { foldText } from "../lib/text.ts";
import { eventAt, type Mention } from "../model/mention.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { Novelty } from "../rules/novelty.ts";
import type { NewRule, Rule } from "../rules/rule.ts";
import type { Facts } from "../store/stores.ts";
import { type LargeValue, noteValues, SERIES_ITSELF, type ValueUse, valueHash } from "./note-values.ts";
import { type AlertObservation, observationOf } from "./record-observations.ts";

/**
 * Stores the values of new mentions for the `new` rules of a query, and returns those that have enough users. The
 * caller holds the query's lock. Values from before the rule's warm-up has ended only teach.
 */
export async function recordValues(
  facts: Pick<Facts, "values">,
  query: WatchedQuery,
  rules: readonly Rule[],
  counted: ReadonlySet<string>,
  mentions: readonly Mention[],
): Promise<AlertObservation[]> {
  const observations: AlertObservation[] = [];
  for (const novelty of noveltiesOf(rules).filter(({ key }) => counted.has(key))) {
    const { large, knownSince } = await noteMentions(facts, query, novelty, mentions);
    for (const rule of rules) {
      if (rule.kind !== "new" || rule.novelty.key !== novelty.key) continue;
      observations.push(...observationsOf(rule, query, large, knownSince));
    }
  }
  return observations;
}

/** The memories of the `new` rules, each once. */
export function noveltiesOf(rules: readonly Rule[]): readonly Novelty[] {
  const novelties = rules.flatMap((rule) => (rule.kind === "new" ? [rule.novelty] : []));
  return [...new Map(novelties.map((one) => [one.key, one])).values()];
}

/** Notes who used which value in these mentions. */
export async function noteMentions(
  facts: Pick<Facts, "values">,
  { projectId, queryId }: Pick<Query, "projectId" | "queryId">,
  novelty: Novelty,
  mentions: readonly Mention[],
): Promise<{ readonly large: readonly LargeValue[]; readonly knownSince: Instant }> {
  const uses = mentions.flatMap((mention) => usesOf(novelty, mention));
  if (uses.length === 0) return { large: [], knownSince: 0 };
  const keys = [...new Set([SERIES_ITSELF, ...uses.map(({ value }) => valueHash(value))])];
  const known = await facts.values.find(projectId, queryId, novelty.key, keys);
  const noted = noteValues(novelty.key, novelty, known, uses);
  await facts.values.save(projectId, queryId, noted.seen);
  const itself = [...noted.seen, ...known].find(({ value }) => value === SERIES_ITSELF);
  return { large: noted.large, knownSince: itself?.firstAt ?? 0 };
}

function usesOf(novelty: Novelty, mention: Mention): ValueUse[] {
  if (!novelty.counts(mention)) return [];
  const author = novelty.author(mention);
  return novelty.values(mention).map((value) => ({
    value,
    author,
    arrivedAt: mention.addedAt,
    eventAt: eventAt(mention),
  }));
}

function observationsOf(
  rule: NewRule,
  query: WatchedQuery,
  large: readonly LargeValue[],
  knownSince: Instant,
): AlertObservation[] {
  const { novelty } = rule;
  return large
    .filter(({ use, firstAt }) => {
      // A mention that arrives weeks after it was written, as in an import, is no news.
      const isNews = use.arrivedAt - use.eventAt <= novelty.withinMs;
      return isNews && use.arrivedAt >= query.watchFrom && firstAt - knownSince >= novelty.learnMs;
    })
    .map(({ use, firstAt, authors, isFirst }) => ({
      ...observationOf(rule, query, {
        query: query.name,
        [novelty.facet]: foldText(use.value).slice(0, 200),
      }),
      observe: () => ({
        kind: "evidence",
        at: use.arrivedAt,
        mentions: isFirst ? authors : 1,
        because: novelty.because(authors, use.eventAt - firstAt, firstAt - knownSince),
        windowFrom: firstAt,
        windowTo: Math.max(firstAt + 1, use.eventAt + 1),
        values: { count: authors, limit: novelty.atLeast },
      }),
    }));
}
