import { z } from "zod";
import { Duration } from "../../../lib/duration.ts";
import { DAY, HOUR, type Instant } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { TimeZone } from "../../../lib/local-time.ts";
import { countedSubject, formatExpected, formatNumber } from "../../../lib/numbers.ts";
import { compareDays, historyDays, LONGEST_MEMORY_DAYS } from "../compare-days.ts";
import { defineWindowCondition } from "../define-window-condition.ts";
import { localDay, startOfLocalDay } from "../local-day.ts";
import { CountedUnit, inUnit } from "../slice.ts";
import { formatRarity } from "../spike/explain-spike.ts";
import { AWAITS_FIRST_MENTION, warmUpUntil } from "../warm-up.ts";
import type { Shortfall, WindowCondition, WindowVerdict } from "../window-condition.ts";

/** `50%` → 0.5; more than 100% is possible. */
const Percent = z
  .string()
  .regex(/^\d+(\.\d+)?\s*%$/, "expected a percentage such as 30%")
  .transform((text) => Number.parseFloat(text) / 100)
  .refine((part) => part >= 0.05 && part <= 10, "expected 5% to 1000%")
  .meta({ bounds: "From 5% to 1000%", patternErrorMessage: "expected a percentage such as 30%" });

const Params = z
  .strictObject({
    rising: Percent.exactOptional().describe(
      "By how much the last days are above the same weekdays of the weeks before, such as 30%.",
    ),
    falling: Percent.refine((part) => part < 1, "nothing can fall by 100% or more")
      .exactOptional()
      .describe("The opposite of rising, such as 30%. Below 100%."),
    over: Duration.refine(
      (ms) => ms % DAY === 0 && ms >= 2 * DAY && ms <= 7 * DAY,
      "expected whole days from 2d to 7d",
    )
      .prefault("3d")
      .describe(
        "How many days, each of which has to be above (or below) its weekday. Whole days from 2d to 7d.",
      ),
    atLeast: z
      .number()
      .min(1)
      .default(20)
      .describe("So many mentions a day are needed, now or usually. Fewer say nothing."),
    count: CountedUnit,
    timezone: TimeZone.exactOptional().describe(
      "Whose days count, such as Europe/Berlin. Default: that of the query.",
    ),
    oneFalseAlarmIn: Duration.refine((ms) => ms >= 7 * DAY, "expected 7d or more")
      .prefault("90d")
      .describe("How seldom chance alone may open an alert. 7d or more."),
  })
  .refine(
    ({ rising, falling }) => (rising === undefined) !== (falling === undefined),
    "it needs either rising or falling",
  )
  .meta({
    oneOf: [{ required: ["rising"] }, { required: ["falling"] }],
    description:
      "A slow change: each of the last days is above (or below) the same weekday before. Judged once a day. Example: { rising: 30%, over: 3d }",
  });

/**
 * Counts by day of publication, newest day first. `newest` is the newest day's number since 1970, in milliseconds of
 * UTC days.
 */
type State = { readonly newest: number; readonly days: readonly number[] };

/** A day is judged once its late mentions are in. */
const SETTLE_MS = 3 * HOUR;

/**
 * `trend: {rising: 30%, over: 3d}`: each of the last days is above the same weekdays of the weeks before, together by
 * this much, and chance explains it no more often than `oneFalseAlarmIn`. A single high day is a spike, not a trend.
 * The verdict changes once a day; it needs two weeks of history and the judged days. Days are those of `timezone`, else
 * of the query's time zone.
 */
export const trend = defineWindowCondition({
  type: "trend",
  overAfterMs: 0,
  params: Params,
  compile: ({ rising, falling, over, atLeast, count, timezone, oneFalseAlarmIn }, slice) => {
    const { series, subject } = inUnit(slice, count);
    const span = over / DAY;
    const rule: JudgedTrend = {
      ...{ rising, falling, atLeast, subject, span },
      lnLimit: -Math.log(oneFalseAlarmIn / DAY),
    };
    const key = stableHash({
      type: "trend",
      version: 1,
      series: series.key,
      ...(timezone !== undefined && { timezone }),
    });
    const condition: WindowCondition = {
      type: "trend",
      key,
      baseline: key,
      series: [series],
      subject,
      inWords: `on each of the last ${span} days ${rising === undefined ? "fewer" : "more"} ${subject} than on the same weekdays before, together by ${formatNumber((rising ?? falling ?? 0) * 100)}% or more, and ${formatNumber(atLeast)} a day at least`,
      looksMs: [over + SETTLE_MS, over + SETTLE_MS],
      initial: (): State => ({ newest: 0, days: [] }),
      inherit: (state) => state,
      isAsleep: (json) => (json as State).days.every((day) => day === 0),
      warmUp: (json, judged) => {
        const { newest, days } = json as State;
        if (days.length === 0) return AWAITS_FIRST_MENTION;
        const zone = timezone ?? judged.timezone;
        // The first and the newest day of a series are incomplete.
        const missing = historyDays(span) - (days.length - 2);
        return warmUpUntil(startOfLocalDay(newest / DAY + missing, zone) + SETTLE_MS, judged);
      },
      step: (json, { bucket, bucketMs, arrivals: [arrivals = []], timezone: usual = "UTC" }) => {
        const zone = timezone ?? usual;
        const newest = localDay(bucket, zone);
        const state = addDays(json as State, newest, zone, arrivals);
        const closedAt = bucket + bucketMs;
        // The newest day is always open; the one before it is open until its late mentions are in.
        const open = closedAt - startOfLocalDay(newest, zone) >= SETTLE_MS ? 1 : 2;
        // The first day of a series is incomplete.
        const closed = state.days.slice(open, Math.max(open, state.days.length - 1));
        const windowTo = startOfLocalDay(newest - (open - 1), zone);
        const found = compareDays(closed, span);
        const met = found !== undefined && isTrend(rule, found);
        return {
          state,
          verdict: {
            met,
            because:
              found === undefined
                ? `${formatNumber(closed.length)} whole days of history, ${formatNumber(historyDays(span))} are needed`
                : explainTrend(rule, found, met),
            windowFrom: startOfLocalDay(newest - (open - 1) - span, zone),
            windowTo,
            observed: Math.round(found?.observed ?? 0),
            values: {
              count: found?.observed ?? 0,
              expected: found?.expected ?? 0,
              change: found === undefined ? 0 : changeOf(found),
              probability: Math.exp(found?.lnP ?? 0),
            },
          },
        };
      },
      missing: (json, tick) => {
        const { verdict } = condition.step(json, tick);
        return verdict.met ? [] : [shortfallOf(verdict.values, rule)];
      },
    };
    return condition;
  },
});

/** What days are judged by. */
interface JudgedTrend {
  readonly rising: number | undefined;
  readonly falling: number | undefined;
  /** Mentions a day. */
  readonly atLeast: number;
  readonly subject: string;
  readonly span: number;
  readonly lnLimit: number;
}

type ComparedDays = NonNullable<ReturnType<typeof compareDays>>;

function changeOf({ observed, expected }: ComparedDays): number {
  return observed / Math.max(expected, 1e-9) - 1;
}

function isTrend({ rising, falling, atLeast, span, lnLimit }: JudgedTrend, found: ComparedDays): boolean {
  const change = changeOf(found);
  const limit = rising ?? -(falling ?? 0);
  return (
    (rising === undefined ? change <= limit && found.allBelow : change >= limit && found.allAbove) &&
    Math.max(found.observed, found.expected) / span >= atLeast &&
    found.lnP <= lnLimit
  );
}

function explainTrend({ rising, subject, span }: JudgedTrend, found: ComparedDays, met: boolean): string {
  const days =
    `${countedSubject(found.observed / span, subject)} a day over the last ${span} days, ` +
    `${formatExpected(found.expected / span)} on the same weekdays before (${formatChange(changeOf(found))})`;
  if (!met) return days;
  const side = rising === undefined ? "below" : "above";
  return `${days}. Each of the days was ${side}. Chance alone brings that ${formatRarity(found.lnP, 1)}.`;
}

/** The first limit that keeps the days from being a trend. */
function shortfallOf(
  { count: total = 0, expected = 0, change = 0, probability = 1 }: WindowVerdict["values"],
  rule: JudgedTrend,
): Shortfall {
  const { subject, span, atLeast, rising, falling, lnLimit } = rule;
  const perDay = Math.max(total, expected) / span;
  const limit = rising ?? -(falling ?? 0);
  const days = `${formatExpected(total)} ${subject} in ${span} days, ${formatExpected(expected)} usual`;
  if (perDay < atLeast) {
    const text = `${days}: the rule is about at least ${formatNumber(atLeast)} a day`;
    return { of: "count", has: perDay, needs: atLeast, text };
  }
  if (rising === undefined ? change > limit : change < limit) {
    const text = `${days}: ${formatChange(change)}, at least ${formatChange(limit)} needed`;
    return { of: "usual", has: change, needs: limit, text };
  }
  if (Math.log(probability) > lnLimit) {
    const text = `${days}: chance alone brings that ${formatRarity(Math.log(probability), 1)}, it has to be rarer than ${formatRarity(lnLimit, 1)}`;
    return { of: "rarity", has: probability, needs: Math.exp(lnLimit), text };
  }
  const text = `${days}: not each of the ${span} days was ${rising === undefined ? "below" : "above"} the same weekdays before`;
  return { of: "days", has: 0, needs: span, text };
}

/** `0.3` → `+30%`. */
function formatChange(change: number): string {
  return `${change >= 0 ? "+" : "−"}${formatNumber(Math.abs(change) * 100)}%`;
}

function addDays(
  before: State,
  day: number,
  zone: string,
  arrivals: readonly { readonly bucket: Instant; readonly count: number }[],
): State {
  const newest = day * DAY;
  // After a change of zone the same day may be judged twice, but never an older one.
  const steps = before.days.length === 0 ? 1 : Math.max(0, Math.round((newest - before.newest) / DAY));
  if (steps === 0 && arrivals.length === 0) return before;
  const fresh = new Array<number>(Math.min(steps, LONGEST_MEMORY_DAYS)).fill(0);
  const days = [...fresh, ...before.days].slice(0, LONGEST_MEMORY_DAYS);
  for (const { bucket: event, count } of arrivals) {
    const age = day - localDay(event, zone);
    if (age >= 0 && age < days.length) days[age] = Math.max(0, (days[age] ?? 0) + count);
  }
  return { newest, days };
}
