import { createHash } from "node:crypto";
import type { Instant } from "../lib/instant.ts";
import { foldText } from "../lib/text.ts";
import type { SeenValue } from "../model/judging.ts";

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

export interface NotedValues {
  readonly seen: readonly SeenValue[];
  readonly large: readonly LargeValue[];
}

/**
 * The entry of the series itself: its first arrival shows how long it is known. One mention of 2009 does not make it
 * old.
 */
export const SERIES_ITSELF = "";

export function valueHash(value: string): string {
  return hash(foldText(value), 16);
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
  return { seen: [...touched.values()], large };
}

function hash(text: string, length: number): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, length);
}
