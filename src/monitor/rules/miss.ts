import { formatNumber } from "../../lib/numbers.ts";
import { cutText } from "../../lib/text.ts";

/** The first condition that a mention does not meet, and how far off it is. */
export interface Miss {
  /**
   * `Different`: it has another value. `Unknown`: the source does not say, and a rule matches only what is known.
   * `TooLow`, `TooHigh`: a number outside its limits. `Excluded`: it has what `not` excludes.
   */
  readonly outcome: "Different" | "Unknown" | "TooLow" | "TooHigh" | "Excluded";
  /** The key of `when`: `followers`; `not` for an exclusion. */
  readonly condition: string;
  /** A sentence without its full stop. It may repeat values of the mention, which are hostile: escape it. */
  readonly text: string;
  /** The number of the mention, and the limit that it is on the wrong side of; null where it is about words. */
  readonly value: number | null;
  readonly limit: number | null;
  /** How many further conditions of the same level are not met either. */
  readonly others: number;
  /** Of how many alternatives (`any`) it is the nearest; 1 where there was no choice. */
  readonly alternatives: number;
  /** 1 for each condition that is not met, less for a number that is close to its limit. Compares alternatives. */
  readonly distance: number;
}

const ONE = { value: null, limit: null, others: 0, alternatives: 1, distance: 1 } as const;

/** It has another value than the rule wants. `has`: the values of the mention. */
export function differs(
  condition: string,
  noun: string,
  has: readonly (string | null)[],
  wants: readonly string[],
): Miss {
  const known = has.flatMap((value) => (value === null || value.trim() === "" ? [] : [cutText(value, 80)]));
  const text = `the rule wants ${listed(wants)}`;
  if (has.length === 0) return { ...ONE, outcome: "Different", condition, text: `${noun}: none, ${text}` };
  return known.length === 0
    ? {
        ...ONE,
        outcome: "Unknown",
        condition,
        text: `${noun} is not known: the source does not say, and ${text}`,
      }
    : { ...ONE, outcome: "Different", condition, text: `${noun} is ${listed(known, "and")}, ${text}` };
}

/** The mention does not have what the rule looks for. */
export function lacks(condition: string, text: string): Miss {
  return { ...ONE, outcome: "Different", condition, text };
}

/** The mention's field is empty, because the source does not say or withholds it. */
export function isUnknown(condition: string, text: string): Miss {
  return { ...ONE, outcome: "Unknown", condition, text };
}

/** A number that is missing or outside `[atLeast, atMost]`; `noun`: "followers". */
export function outside(
  condition: string,
  noun: string,
  value: number | null,
  { atLeast, atMost }: { readonly atLeast?: number | undefined; readonly atMost?: number | undefined },
  format: (value: number) => string = formatNumber,
): Miss {
  if (value === null) {
    const wants = [
      ...(atLeast === undefined ? [] : [`at least ${format(atLeast)}`]),
      ...(atMost === undefined ? [] : [`at most ${format(atMost)}`]),
    ].join(" and ");
    const text = `${noun}: not known, because the source does not say; the rule wants ${wants}`;
    return { ...ONE, outcome: "Unknown", condition, text };
  }
  const isLow = atLeast !== undefined && value < atLeast;
  const limit = isLow ? atLeast : (atMost ?? value);
  const off = Math.abs(limit - value);
  const text = isLow
    ? `${noun}: ${format(value)}, at least ${format(limit)} needed: ${format(off)} short`
    : `${noun}: ${format(value)}, at most ${format(limit)} allowed: ${format(off)} too many`;
  const distance = Math.min(1, off / Math.max(1, Math.abs(limit), Math.abs(value)));
  return { ...ONE, outcome: isLow ? "TooLow" : "TooHigh", condition, text, value, limit, distance };
}

/** It has what `not` excludes; `why`: "negative". */
export function isExcluded(why: string): Miss {
  return { ...ONE, outcome: "Excluded", condition: "not", text: `the rule excludes it: ${why}` };
}

/** All parts have to match: the first that does not stands for them. */
export function firstOf(misses: readonly Miss[]): Miss {
  const [first, ...rest] = misses;
  if (first === undefined) throw new Error("a mention that meets every condition has no miss");
  const distance = misses.reduce((sum, miss) => sum + miss.distance, 0);
  return { ...first, others: first.others + rest.length, distance };
}

/** One part has to match: the nearest stands for them. */
export function nearestOf(misses: readonly Miss[]): Miss {
  const nearest = misses.reduce((best, miss) => (miss.distance < best.distance ? miss : best));
  return { ...nearest, alternatives: misses.length * nearest.alternatives };
}

/** The whole sentence: the condition, of how many alternatives it is the nearest, and how many others fail. */
export function describeMiss({ text, others, alternatives }: Miss): string {
  const nearest = alternatives === 1 ? "" : `the nearest of ${alternatives} alternatives: `;
  const more =
    others === 0 ? "" : `; ${others} more ${others === 1 ? "condition is" : "conditions are"} not met`;
  return `${nearest}${text}${more}`;
}

/** Long lists of a rule say nothing to a reader. */
const MOST_LISTED = 8;

function listed(words: readonly string[], joint = "or"): string {
  const shown = words.slice(0, MOST_LISTED);
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} ${joint} ${rest} more`;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} ${joint} ${shown.at(-1)}`;
}
