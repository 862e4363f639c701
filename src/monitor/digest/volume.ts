import { DAY, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { instantOf, localDateOf, offsetAt, plusDays } from "../../lib/local-time.ts";
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

/** Bars of volume and sentiment; null if there were no mentions. */
export function volumeOf(
  period: Period,
  counts: readonly VolumeCount[],
  timezone: string,
): DigestVolume | null {
  const step = volumeStep(period);
  const found = new Map(counts.map((one) => [one.step, one]));
  const begins = step === "hour" ? hoursOf(period) : daysOf(period, timezone);
  return barsOf(
    step,
    begins.map((at, index) => {
      const { mentions = 0, negative = 0 } = found.get(index) ?? {};
      return { at, mentions, negative };
    }),
  );
}

/** When each hour of the period begins. */
function hoursOf({ from, to }: Period): Instant[] {
  return Array.from({ length: Math.max(1, Math.ceil((to - from) / HOUR)) }, (_, n) => from + n * HOUR);
}

/** When each day begins: at the time of day at which the period does, whatever clocks do in between. */
function daysOf({ from, to }: Period, timezone: string): Instant[] {
  const minutes = ((((from + offsetAt(from, timezone)) % DAY) + DAY) % DAY) / MINUTE;
  const first = localDateOf(from, timezone);
  const begins = [from];
  for (let n = 1; ; n++) {
    const at = instantOf(timezone, plusDays(first, n), minutes);
    if (at >= to) return begins;
    begins.push(at);
  }
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
