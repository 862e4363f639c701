import { formatMinutes } from "../lib/duration.ts";
import { DAY } from "../lib/instant.ts";
import { countedSubject, formatExpected, formatNumber } from "../lib/numbers.ts";
import { BUCKET_MS, HOUR_BINS } from "./constants.ts";
import { formatRarity } from "./format-rarity.ts";
import type { SpikeMoment } from "./peak.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/**
 * The numbers of a spike in a sentence, and what weakens them in others: `62 negative mentions in 30 min, 11 expected
 * at this hour; by chance about once in 8 years; 6.3× its usual variation; 3rd such burst this week.` `subject` is
 * "negative mentions", `nth` the number of this burst in the last seven days. If the moment is past at the bucket
 * `now`, the sentence says so, because readers must not take it for the present.
 */
export function explainSpike(
  state: SpikeState,
  moment: SpikeMoment,
  subject: string,
  { now = moment.bucket, nth = 1 }: { readonly now?: number; readonly nth?: number } = {},
): string {
  const window = formatMinutes(moment.window * BUCKET_MS);
  const isPast = now - moment.bucket >= PAST_BUCKETS;
  const peak = isPast ? " at the peak" : "";
  const clauses = [
    `${countedSubject(moment.observed, subject)} in ${window}${peak}, ${formatExpected(moment.expected)} expected at this hour`,
    `by chance ${formatRarity(moment.lnP)}`,
    `${formatScore(moment.score)}× its usual variation`,
    ...(nth > 1 ? [`${formatOrdinal(nth)} such burst this week`] : []),
  ];
  const sentences = [`${clauses.join("; ")}.`];
  if (moment.completeness < 0.9) {
    const percent = Math.round(moment.completeness * 100);
    sentences.push(
      isPast
        ? `Then about ${percent}% of those ${window} had arrived.`
        : `About ${percent}% of the last ${window} has arrived.`,
    );
  }
  const young = formatHistory(state, moment);
  if (young !== undefined) sentences.push(young);
  return sentences.join(" ");
}

/** After half an hour the newest windows have other numbers. */
const PAST_BUCKETS = 6;

function formatScore(score: number): string {
  return score < 100 ? String(Math.round(score * 10) / 10) : formatNumber(score);
}

/** `2nd`, `3rd`, `11th`, `21st`. */
function formatOrdinal(number: number): string {
  return `${number}${ORDINAL_ENDINGS[ORDINALS.select(number)] ?? "th"}`;
}

const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });
const ORDINAL_ENDINGS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = {
  one: "st",
  two: "nd",
  few: "rd",
};

/** The short text of an ordinary bucket, made every five minutes for every query. */
export function explainQuiet(moment: SpikeMoment, subject: string): string {
  const window = formatMinutes(moment.window * BUCKET_MS);
  return `${countedSubject(moment.observed, subject)} in ${window}, ${formatExpected(moment.expected)} expected`;
}

/** A warning for a query that had little history at that moment. */
function formatHistory(state: SpikeState, { bucket }: SpikeMoment): string | undefined {
  const days = (Math.min(mark(state, MARK.toLearn), bucket) * BUCKET_MS) / DAY;
  if (days >= 14) return undefined;
  const length = days < 2 ? formatMinutes(Math.floor(days * 24) * 3_600_000) : `${Math.floor(days)} days`;
  const unseen = isUnseen(state, HOUR_BINS / 2) ? "weekend" : isUnseen(state, 0) ? "working day" : undefined;
  return `Judged on ${length} of history${unseen === undefined ? "" : `, no ${unseen} seen yet`}.`;
}

function isUnseen(state: SpikeState, firstBin: number): boolean {
  for (let bin = firstBin; bin < firstBin + HOUR_BINS / 2; bin++) {
    if ((state.numbers[AT.hourLevels + bin] ?? 0) > 0) return false;
  }
  return true;
}
