import { formatMinutes } from "../../../lib/duration.ts";
import { DAY } from "../../../lib/instant.ts";
import { countedSubject, formatExpected, formatNumber } from "../../../lib/numbers.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import { HOUR_BINS } from "./constants.ts";
import type { SpikeMoment } from "./episode.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/**
 * The numbers of a spike in a sentence, and what weakens them in others: `62 negative mentions in 30 min, 11 expected
 * at this hour. Chance alone hardly ever brings so many.` `subject` is "negative mentions". If the moment is past at the
 * bucket `now`, the sentence says so, because readers must not take it for the present.
 */
export function explainSpike(
  state: SpikeState,
  moment: SpikeMoment,
  subject: string,
  { now = moment.bucket }: { readonly now?: number } = {},
): string {
  const window = formatMinutes(moment.window * BUCKET_MS);
  const past = isPast(moment, now);
  const peak = past ? " at the peak" : "";
  const sentences = [
    `${countedSubject(moment.observed, subject)} in ${window}${peak}, ${formatExpected(moment.expected)} expected at this hour.`,
    ...chanceOf(state, moment),
  ];
  if (moment.completeness < 0.9) {
    const percent = Math.round(moment.completeness * 100);
    sentences.push(
      past
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

/** Whether a moment is no longer the present at the bucket `now`. */
export function isPast({ bucket }: Pick<SpikeMoment, "bucket">, now: number): boolean {
  return now - bucket >= PAST_BUCKETS;
}

/**
 * How rarely chance alone brings this, in words, where the history shows what is usual. A number of years would be another
 * one at each moment of the same spike, and nobody could count it again.
 */
function chanceOf(state: SpikeState, moment: SpikeMoment): string[] {
  const words = historyDays(state, moment) < ENOUGH_DAYS ? null : rarityInWords(moment.lnP);
  return words === null ? [] : [`Chance alone ${words} brings so many.`];
}

/** Below this, what is usual at an hour of the week is not known well enough for a claim about chance. */
const ENOUGH_DAYS = 14;

function historyDays(state: SpikeState, { bucket }: SpikeMoment): number {
  return (Math.min(mark(state, MARK.toLearn), bucket) * BUCKET_MS) / DAY;
}

/** The short text of an ordinary bucket, made every five minutes for every query. */
export function explainQuiet(moment: SpikeMoment, subject: string): string {
  const window = formatMinutes(moment.window * BUCKET_MS);
  return `${countedSubject(moment.observed, subject)} in ${window}, ${formatExpected(moment.expected)} expected`;
}

/** A warning for a query that had little history at that moment. */
function formatHistory(state: SpikeState, moment: SpikeMoment): string | undefined {
  const days = historyDays(state, moment);
  if (days >= ENOUGH_DAYS) return undefined;
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

/**
 * How often noise alone reaches the chance `exp(lnP)` at one hour of the day: `about once in 5 months`. A day acts like
 * 150 independent tests, so an hour like 6. It claims no more than a hundred years, because rarer chances were never
 * tested. `testsADay` is the number of independent tests of that chance in a day.
 */
export function formatRarity(lnP: number, testsADay = TESTS_AN_HOUR): string {
  // Round down, to claim nothing too rare; add a little first, so that 16 days do not become 15.
  const days = daysBetween(lnP, testsADay);
  if (!(days < 100 * YEAR)) return "less than once in 100 years";
  if (days < 2) return "about once a day";
  if (days >= 2 * YEAR) return `about once in ${formatNumber(Math.floor(days / YEAR))} years`;
  if (days >= 60) return `about once in ${Math.floor(days / 30)} months`;
  return `about once in ${Math.floor(days)} days`;
}

/** `seldom`, `hardly ever`; null where chance brings it too often for it to say something. */
export function rarityInWords(lnP: number, testsADay = TESTS_AN_HOUR): string | null {
  const days = daysBetween(lnP, testsADay);
  if (days < 60) return null;
  return days < 2 * YEAR ? "seldom" : "hardly ever";
}

function daysBetween(lnP: number, testsADay: number): number {
  return (Math.exp(-lnP) / testsADay) * (1 + 1e-9);
}

const TESTS_AN_HOUR = 150 / 24;
const YEAR = 365.25;
