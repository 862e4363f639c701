import { createHash } from "node:crypto";
import type { Instant } from "../../lib/instant.ts";
import { foldText, startOf } from "../../lib/text.ts";
import type { SeenValue } from "../model/judging.ts";
import { eventAt, type Mention } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Novelty } from "../rules/novelty.ts";
import type { NewRule, Rule } from "../rules/rule.ts";
import { type AlertObservation, observationOf } from "./apply-observations.ts";

/** A mention that has a value, as a `new` rule reads it. */
export interface ValueUse {
  /** As shown to people; hostile. */
  readonly value: string;
  readonly author: string;
  readonly arrivedAt: Instant;
  readonly eventAt: Instant;
}

/** A new value with enough users, seen with this use: the first such use, or a later one while it is new. */
export interface LargeValue {
  readonly use: ValueUse;
  readonly firstAt: Instant;
  readonly authors: number;
  readonly isFirst: boolean;
}

interface NotedValues {
  readonly seen: readonly SeenValue[];
  readonly large: readonly LargeValue[];
  /** The first arrival in the series itself. */
  readonly knownSince: Instant;
}

/**
 * The entry of the series itself: its first arrival shows how long it is known. One mention of 2009 does not make it
 * old.
 */
export const SERIES_ITSELF = "";

export function valueHash(value: string): string {
  return hash(foldText(value), 16);
}

/** The keys of the stored values that `noteValues` needs: of these uses, and of the series itself. */
export function valueKeys(uses: readonly ValueUse[]): readonly string[] {
  return [...new Set([SERIES_ITSELF, ...uses.map(({ value }) => valueHash(value))])];
}

/**
 * Notes who used which value, in the order of `uses`. `known`: the stored values of these uses and the series itself. A
 * value counts only while it is new: `withinMs` from its first mention.
 */
export function noteValues(
  series: string,
  { atLeast, withinMs }: { readonly atLeast: number; readonly withinMs: number },
  known: readonly SeenValue[],
  uses: readonly ValueUse[],
): NotedValues {
  const values = new Map(known.map((value) => [value.value, value]));
  const touched = new Map<string, SeenValue>();
  const large: LargeValue[] = [];
  const put = (value: SeenValue): void => {
    values.set(value.value, value);
    touched.set(value.value, value);
  };
  for (const use of uses) {
    const itself = values.get(SERIES_ITSELF);
    if (itself === undefined || use.arrivedAt < itself.firstAt) {
      put({ series, value: SERIES_ITSELF, firstAt: use.arrivedAt, authors: [] });
    }
    const key = valueHash(use.value);
    const before = values.get(key);
    const firstAt = Math.min(before?.firstAt ?? use.eventAt, use.eventAt);
    const authors = before?.authors ?? [];
    const author = hash(use.author, 6);
    const isNew = use.eventAt - firstAt <= withinMs;
    const counts = isNew && authors.length < atLeast && !authors.includes(author);
    const now = counts ? [...authors, author] : authors;
    if (before === undefined || counts || firstAt < before.firstAt) {
      put({ series, value: key, firstAt, authors: now });
    }
    if (isNew && now.length >= atLeast) large.push({ use, firstAt, authors: now.length, isFirst: counts });
  }
  return { seen: [...touched.values()], large, knownSince: values.get(SERIES_ITSELF)?.firstAt ?? 0 };
}

/**
 * The values without those who used them in deleted mentions. One that nobody used any more has no authors: it is
 * forgotten, and new when it comes again. An author who used a value in another mention, too, is counted with the next.
 */
export function forgetUses(known: readonly SeenValue[], uses: readonly ValueUse[]): readonly SeenValue[] {
  return known.flatMap((value) => {
    const gone = new Set(
      uses.filter((use) => valueHash(use.value) === value.value).map(({ author }) => hash(author, 6)),
    );
    const authors = value.authors.filter((author) => !gone.has(author));
    return authors.length === value.authors.length ? [] : [{ ...value, authors }];
  });
}

/** The memories of the `new` rules, each once. */
export function noveltiesOf(rules: readonly Rule[]): readonly Novelty[] {
  const novelties = rules.flatMap((rule) => (rule.kind === "new" ? [rule.novelty] : []));
  return [...new Map(novelties.map((one) => [one.key, one])).values()];
}

/** The values that a mention uses, if the rule looks at it. */
export function usesOf(novelty: Novelty, mention: Mention): ValueUse[] {
  if (!novelty.counts(mention)) return [];
  const author = novelty.author(mention);
  return novelty.values(mention).map((value) => ({
    value,
    author,
    arrivedAt: mention.addedAt,
    eventAt: eventAt(mention),
  }));
}

/** What the alerts of a `new` rule learn of large values; values from before its warm-up has ended only teach. */
export function valueObservations(
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
        [novelty.facet]: startOf(foldText(use.value), 200),
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

function hash(text: string, length: number): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, length);
}
