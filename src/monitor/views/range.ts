import { DateTime } from "luxon";
import { z } from "zod";
import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import { QUARTER } from "../model/mention-counts.ts";

/** Up to now: `24h` begins with an hour, the others with a day of the zone. */
export const RANGES = ["24h", "7d", "30d", "90d"] as const;
export const STEPS = ["hour", "day", "week"] as const;
type Step = (typeof STEPS)[number];

const moment = () => z.coerce.number().int().min(1).max(4e12).nullable().catch(null);

/** The time that an address asks for; invalid values are ignored. */
export const RangeQuestion = z.object({
  last: z.enum(RANGES).nullable().catch(null),
  from: moment(),
  to: moment(),
  by: z.enum(STEPS).nullable().catch(null),
});
export type RangeQuestion = z.output<typeof RangeQuestion>;

/** A period in steps, and the period before in as many. Moments are whole quarters of an hour. */
export interface Range {
  readonly zone: string;
  readonly by: Step;
  /** What the address calls it; null for a range of moments. */
  readonly last: (typeof RANGES)[number] | null;
  /** Where each step begins, and where the last one ends. */
  readonly moments: readonly Instant[];
  readonly before: readonly Instant[];
}

const MOST_HOURS = 14 * 24;
const MOST_DAYS = 366;
const LONGEST_MS = 5 * 366 * DAY;

/** By hour up to three days, by day up to two months, else by week, unless the address asks for another step that fits. */
export function readRange(question: RangeQuestion, now: Instant, zone: string): Range {
  const { from, to, last } = spanOf(question, now, zone);
  const length = to - from;
  const fitting = length <= 3 * DAY ? "hour" : length <= 62 * DAY ? "day" : "week";
  const by = question.by !== null && fits(question.by, length) ? question.by : fitting;
  const moments = stepsOf(from, to, by, zone);
  // As long as the period, or longer by less than an hour, a day or a week: so both have the same hours and weekdays.
  const unit = by === "hour" ? "hours" : "days";
  const units = Math.ceil(local(to, zone).diff(local(from, zone), unit).as(unit));
  const shift = by === "week" ? Math.ceil(units / 7) * 7 : units;
  const before = moments.map((at) =>
    by === "hour" ? at - shift * HOUR : local(at, zone).minus({ days: shift }).toMillis(),
  );
  return { zone, by, last, moments, before };
}

/** [from, to) of a range. */
export function spanOfMoments(moments: readonly Instant[]): { readonly from: Instant; readonly to: Instant } {
  return { from: moments[0] ?? 0, to: moments.at(-1) ?? 0 };
}

function spanOf({ last, from, to }: RangeQuestion, now: Instant, zone: string) {
  const end = Math.ceil(now / QUARTER) * QUARTER;
  if (last === null && from !== null && from < (to ?? end)) {
    const until = Math.ceil((to ?? end) / QUARTER) * QUARTER;
    return {
      from: Math.max(Math.floor(from / QUARTER) * QUARTER, until - LONGEST_MS),
      to: until,
      last: null,
    };
  }
  const named = last ?? "7d";
  const begin =
    named === "24h"
      ? local(now, zone).startOf("hour").minus({ hours: 23 })
      : local(now, zone)
          .startOf("day")
          .minus({ days: Number.parseInt(named, 10) - 1 });
  // At the first moment of an hour, the quarter of now has not ended yet.
  return { from: begin.toMillis(), to: Math.max(end, begin.toMillis() + QUARTER), last: named };
}

function fits(by: Step, length: number): boolean {
  if (by === "hour") return length <= MOST_HOURS * HOUR;
  return by === "week" || length <= MOST_DAYS * DAY;
}

/** Steps of the calendar of a zone, cut at both ends; a day is an hour shorter or longer when clocks change. */
function stepsOf(from: Instant, to: Instant, by: Step, zone: string): Instant[] {
  const first = local(from, zone).startOf(by);
  const moments = [from];
  for (let n = 1; ; n++) {
    // An hour is as long as every other, whatever clocks do, and there are many.
    const at = by === "hour" ? first.toMillis() + n * HOUR : first.plus({ [`${by}s`]: n }).toMillis();
    if (at >= to) return [...moments, to];
    moments.push(at);
  }
}

/** A page asks several times for the label of a step, and a calendar takes its time. Kept as long as the range of its request. */
const labels = new WeakMap<Range, Map<number, string>>();

/** `14:00`, `Tue 3 Mar`, `2 Mar to 8 Mar`; an hour of a range of several days has its day. */
export function labelOf(range: Range, step: number): string {
  const known = labels.get(range) ?? new Map<number, string>();
  labels.set(range, known);
  const label = known.get(step) ?? writeLabel(range, step);
  known.set(step, label);
  return label;
}

function writeLabel({ by, zone, moments }: Range, step: number): string {
  const at = local(moments[step] ?? 0, zone);
  if (by === "hour") return `${at.toFormat("ccc d LLL, HH:mm")}${whichOfTwo(at)}`;
  if (by === "day") return at.toFormat("ccc d LLL");
  return `${at.toFormat("d LLL")} to ${local((moments[step + 1] ?? 0) - 1, zone).toFormat("d LLL")}`;
}

/** In autumn an hour comes twice: ` CEST` for the first one. */
function whichOfTwo(at: DateTime): string {
  return at.getPossibleOffsets().length > 1 ? ` ${at.setLocale("en-GB").offsetNameShort}` : "";
}

/** What a label of the axis has room for. */
export function shortLabelOf({ by, zone, moments }: Range, step: number): string {
  const at = local(moments[step] ?? 0, zone);
  return at.toFormat(by === "hour" && at.hour !== 0 ? "HH:mm" : "d LLL");
}

/** `Mon 2 Mar, 14:00 to Tue 3 Mar, 09:15`. */
export function describeSpan({ from, to }: { from: Instant; to: Instant }, zone: string): string {
  return `${describeMoment(from, zone)} to ${describeMoment(to, zone)}`;
}

export function describeMoment(at: Instant, zone: string): string {
  const moment = local(at, zone);
  return moment.toFormat(
    moment.valueOf() === moment.startOf("day").valueOf() ? "ccc d LLL yyyy" : "ccc d LLL yyyy, HH:mm",
  );
}

/** What is left of a range from a moment inside of it. */
export function rangeSince(range: Range, since: Instant): Range {
  const moments = [since, ...range.moments.filter((at) => at > since)];
  return { ...range, moments, before: range.before.slice(-moments.length) };
}

function local(at: Instant, zone: string): DateTime {
  return DateTime.fromMillis(at, { zone, locale: "en" });
}
