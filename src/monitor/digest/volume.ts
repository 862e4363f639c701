import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import type { DigestTotals, DigestView, DigestVolume } from "../templates/digest-view.ts";
import type { Period } from "./schedule.ts";

/** Mentions of a digest's queries in one step of its period; steps count from 0. */
export interface VolumeCount {
  readonly step: number;
  readonly mentions: number;
  readonly negative: number;
}

/** Hours of a period of up to two days, else days. */
export function volumeStep({ from, to }: Period): "hour" | "day" {
  return to - from <= 2 * DAY ? "hour" : "day";
}

/** Bars of volume and sentiment; null if there were no mentions. Days are in the reader's time zone. */
export function volumeOf(period: Period, counts: readonly VolumeCount[]): DigestVolume | null {
  const step = volumeStep(period);
  const length = step === "hour" ? HOUR : DAY;
  const found = new Map(counts.map((one) => [one.step, one]));
  const bars = Math.max(1, Math.round((period.to - period.from) / length));
  return barsOf(
    step,
    Array.from({ length: bars }, (_, index) => {
      const { mentions = 0, negative = 0 } = found.get(index) ?? {};
      return { at: period.from + index * length, mentions, negative };
    }),
  );
}

/** Bars of steps without gaps; null if there were no mentions. */
export function barsOf(
  step: DigestVolume["step"],
  counts: readonly { readonly at: Instant; readonly mentions: number; readonly negative: number }[],
): DigestVolume | null {
  const most = Math.max(0, ...counts.map(({ mentions }) => mentions));
  if (most === 0) return null;
  const bars = counts.map(({ at, mentions, negative }) => {
    const height = Math.round((HEIGHT * mentions) / most);
    const negativeHeight = mentions === 0 ? 0 : Math.round((height * negative) / mentions);
    return { at, mentions, negative, negativeHeight, otherHeight: height - negativeHeight };
  });
  const peakAt = bars.find(({ mentions }) => mentions === most)?.at ?? 0;
  return { step, most, bars, line: bars.map(({ mentions }) => blockOf(mentions / most)).join(""), peakAt };
}

const HEIGHT = 60;
const BLOCKS = "▁▂▃▄▅▆▇█";

function blockOf(part: number): string {
  return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(part * BLOCKS.length))] ?? "▁";
}

/**
 * Whether one line is enough for a period: it was read to its end, nothing fired, and no query was clearly busier, more
 * negative or more silent than in the period before. Without a period before, only a period without mentions is quiet,
 * because the usual count is unknown.
 */
export function isQuiet(view: Omit<DigestView, "quiet">): boolean {
  if (view.completeUntil < view.periodTo || view.alerts.length + view.incidents.length > 0) return false;
  return [view.totals, ...view.perQuery].every(isAsUsual);
}

function isAsUsual({ mentions, negative, previousMentions, previousNegative }: DigestTotals): boolean {
  if (previousMentions === null || previousNegative === null) return mentions === 0;
  return (
    !isClearlyMore(mentions, previousMentions) &&
    !isClearlyMore(negative, previousNegative) &&
    !hasFallenSilent(mentions, previousMentions)
  );
}

/** At least half as much more, and a dozen more: two mentions after one are not news. */
function isClearlyMore(now: number, before: number): boolean {
  return now > 1.5 * before && now >= before + 12;
}

/** If a busy query is suddenly silent, a feed may be broken: that is worth reading. */
function hasFallenSilent(now: number, before: number): boolean {
  return before >= 24 && now < before / 4;
}
