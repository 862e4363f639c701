import type { Instant } from "../../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { Novelty } from "../rules/novelty.ts";
import type { Rule } from "../rules/rule.ts";
import type { Facts } from "../store/stores.ts";
import type { AlertObservation } from "./apply-observations.ts";
import {
  forgetUses,
  type LargeValue,
  noteValues,
  noveltiesOf,
  usesOf,
  valueKeys,
  valueObservations,
} from "./note-values.ts";

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
      observations.push(...valueObservations(rule, query, large, knownSince));
    }
  }
  return observations;
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
  const known = await facts.values.find(projectId, queryId, novelty.key, valueKeys(uses));
  const noted = noteValues(novelty.key, novelty, known, uses);
  await facts.values.save(projectId, queryId, noted.seen);
  return { large: noted.large, knownSince: noted.knownSince };
}

/** Forgets who used which value in mentions that were deleted. */
export async function forgetValues(
  facts: Pick<Facts, "values">,
  { projectId, queryId }: Pick<Query, "projectId" | "queryId">,
  rules: readonly Rule[],
  mentions: readonly Mention[],
): Promise<void> {
  for (const novelty of noveltiesOf(rules)) {
    const uses = mentions.flatMap((mention) => usesOf(novelty, mention));
    if (uses.length === 0) continue;
    const known = await facts.values.find(projectId, queryId, novelty.key, valueKeys(uses));
    await facts.values.replace(projectId, queryId, forgetUses(known, uses));
  }
}
