import { z } from "zod";
import { Duration, formatMinutes } from "../../../lib/duration.ts";
import { DAY, floorTo, type Instant, MINUTE } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { TimeZone } from "../../../lib/local-time.ts";
import { countedSubject, formatExpected, inPercent } from "../../../lib/numbers.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import { defineWindowCondition } from "../define-window-condition.ts";
import { Share } from "../params.ts";
import { turnHours } from "../spike/expectation.ts";
import { formatRarity } from "../spike/explain-spike.ts";
import { learnOnly } from "../spike/learn-only.ts";
import { lnNegativeBinomialLow } from "../spike/negative-binomial.ts";
import {
  canReadSpikeState,
  createSpikeState,
  MARK,
  mark,
  packSpikeState,
  unpackSpikeState,
} from "../spike/spike-state.ts";
import { AWAITS_FIRST_MENTION, warmUpUntil } from "../warm-up.ts";
import type { Shortfall, Tick, WindowCondition, WindowVerdict } from "../window-condition.ts";
import { total } from "../window-counts.ts";

const Params = z
  .strictObject({
    within: Duration.refine(
      (ms) => ms >= 30 * MINUTE && ms <= DAY && ms % BUCKET_MS === 0,
      "expected a multiple of 5m from 30m to 24h",
    )
      .prefault("2h")
      .describe("The time that is judged. A multiple of 5m from 30m to 24h."),
    expected: z
      .number()
      .min(5)
      .default(20)
      .describe("Judges only times in which so many mentions are usual. 5 or more."),
    atMost: Share.prefault("10%").describe("The most that may have come, as a share of what is usual."),
    oneFalseAlarmIn: Duration.refine((ms) => ms >= DAY, "expected a day or more")
      .prefault("30d")
      .describe("How seldom chance alone may open an alert. 1d or more."),
    timezone: TimeZone.exactOptional().describe(
      "Whose hours count, such as Europe/Berlin. Default: that of the query.",
    ),
  })
  .describe(
    "The query is much quieter than usual at these hours: people fell silent, or the query no longer finds them. Example: { within: 4h, atMost: 10% }",
  );

/** Counts and expectations of the window in slots, newest first; wide slots keep their number small. */
type Slots = {
  readonly newest: Instant;
  readonly counts: readonly number[];
  readonly expected: readonly number[];
};
type State = {
  readonly learned: string | null;
  readonly slots: Slots;
  /** The time zone of the learned hours; default UTC. */
  readonly zone?: string;
};

const MOST_SLOTS = 24;
/** Until a query is known for this long, its usual hours are unknown. */
const WARM_UP_BUCKETS = (2 * DAY) / BUCKET_MS;

/**
 * `absence: {within: 2h, atMost: 10%}`: the query is unusually quiet for these hours. At least `expected` mentions were
 * expected, at most `atMost` of them came, and chance explains it no more often than `oneFalseAlarmIn`. Judges only
 * times for which the source is complete.
 */
export const absence = defineWindowCondition({
  type: "absence",
  overAfterMs: 30 * MINUTE,
  params: Params,
  compile: ({ within, expected: least, atMost, oneFalseAlarmIn, timezone }, { series, subject }) => {
    const slotMs = Math.max(1, Math.ceil(within / MOST_SLOTS / BUCKET_MS)) * BUCKET_MS;
    const slots = Math.ceil(within / slotMs);
    const testsADay = Math.min(150, (TESTS_A_WINDOW * DAY) / within);
    const lnLimit = -Math.log((oneFalseAlarmIn / DAY) * testsADay);
    const rule: JudgedAbsence = { within, least, atMost, subject, testsADay, lnLimit };
    const key = stableHash({
      type: "absence",
      version: 1,
      within,
      series: series.key,
      // Rules with the same key share their state, so the key includes the hours.
      ...(timezone !== undefined && { timezone }),
    });
    const condition: WindowCondition = {
      type: "absence",
      key,
      baseline: key,
      series: [series],
      ...(timezone !== undefined && { timezone }),
      subject,
      inWords: `${inPercent(atMost)}% or less of the usual ${subject} in ${formatMinutes(within)}, at hours for which ${formatExpected(least)} or more are usual`,
      looksMs: [within, within],
      initial: (): State => ({ learned: null, slots: { newest: 0, counts: [], expected: [] } }),
      inherit: (state) => state,
      canRead: (json) => {
        const { learned } = json as State;
        return learned === null || canReadSpikeState(learned);
      },
      // A tick without mentions is evidence here.
      isAsleep: () => false,
      warmUp: (json, judged) => {
        const { learned } = json as State;
        if (learned === null) return AWAITS_FIRST_MENTION;
        const { startAt } = unpackSpikeState(learned, WORKSHEET);
        return warmUpUntil(startAt + WARM_UP_BUCKETS * BUCKET_MS, judged);
      },
      step: (json, tick) => {
        const before = json as State;
        const { bucket, bucketMs } = tick;
        const zone = timezone ?? tick.timezone ?? "UTC";
        const { state, learned } = learnTick(before, tick, zone);
        const moved = moveSlots(before.slots, tick, learned.leastExpected, slotMs, slots);
        const windowTo = bucket + bucketMs;
        const windowFrom = moved.newest - (moved.counts.length - 1) * slotMs;
        const observed = total(moved.counts);
        const expected = arrivedExpectation(moved, learned.arrived, windowTo, slotMs);
        const isKnown = learned.known >= WARM_UP_BUCKETS && moved.counts.length === slots;
        const spread = learned.cluster * expected + learned.wander * expected * expected;
        const { met, lnP } = judgeAbsence(rule, { isKnown, observed, expected, spread });
        const counted = `${countedSubject(observed, subject)} in ${formatMinutes(windowTo - windowFrom)}, ${formatExpected(expected)} expected`;
        return {
          state: {
            learned: packSpikeState(state),
            slots: moved,
            ...(zone !== "UTC" && { zone }),
          } satisfies State,
          verdict: {
            met,
            because: met
              ? `${counted}. Chance alone brings so few ${formatRarity(lnP, testsADay)}. ` +
                "Either people fell silent, or the query or its source no longer finds them."
              : `${counted}${isKnown ? "" : " (still learning when it usually speaks)"}`,
            windowFrom,
            windowTo,
            observed,
            values: { count: observed, expected, limit: atMost * expected, probability: Math.exp(lnP) },
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

const WORKSHEET = createSpikeState(0);
const TESTS_A_WINDOW = 4;

/** What a window is judged by. */
interface JudgedAbsence {
  readonly within: number;
  /** Fewer expected mentions are not judged. */
  readonly least: number;
  readonly atMost: number;
  readonly subject: string;
  readonly testsADay: number;
  readonly lnLimit: number;
}

/** Learns from the arrivals of a bucket, and of the buckets that were left out before it. */
function learnTick(before: State, { bucket, arrivals: [arrivals = []] }: Tick, zone: string) {
  const state =
    before.learned === null ? createSpikeState(bucket) : unpackSpikeState(before.learned, WORKSHEET);
  if (before.learned !== null) turnHours(state, before.zone ?? "UTC", zone, bucket);
  const missing = (bucket - state.startAt) / BUCKET_MS - mark(state, MARK.buckets);
  for (let i = 0; i < missing; i++) learnOnly(state, [], zone);
  const late = arrivals.map(({ bucket: event, count }) => ({
    age: Math.round((bucket - event) / BUCKET_MS),
    count,
  }));
  return { state, learned: learnOnly(state, late, zone) };
}

function judgeAbsence(
  { least, atMost, lnLimit }: JudgedAbsence,
  window: {
    /** Whether it is learned what is usual. */
    readonly isKnown: boolean;
    readonly observed: number;
    readonly expected: number;
    readonly spread: number;
  },
): { readonly met: boolean; readonly lnP: number } {
  const { isKnown, observed, expected, spread } = window;
  const isLow = isKnown && expected >= least && observed <= atMost * expected;
  const lnP = isLow ? lnNegativeBinomialLow(observed, expected, spread) : 0;
  return { met: isLow && lnP <= lnLimit, lnP };
}

/** The first limit that keeps a window from being unusually quiet. */
function shortfallOf(
  { count = 0, expected = 0, limit = 0, probability = 1 }: WindowVerdict["values"],
  rule: JudgedAbsence,
): Shortfall {
  const { within, least, subject, testsADay, lnLimit } = rule;
  const came = `${countedSubject(count, subject)} in ${formatMinutes(within)}, ${formatExpected(expected)} expected`;
  if (expected < least) {
    const text = `${came}: the rule is about times for which at least ${formatExpected(least)} are expected`;
    return { of: "expected", has: expected, needs: least, text };
  }
  if (count > limit) {
    const text = `${came}: it is only unusually quiet with at most ${formatExpected(limit)}`;
    return { of: "count", has: count, needs: limit, text };
  }
  const text = `${came}: chance alone brings so few ${formatRarity(Math.log(probability), testsADay)}, it has to be rarer than ${formatRarity(lnLimit, testsADay)}`;
  return { of: "rarity", has: probability, needs: Math.exp(lnLimit), text };
}

function moveSlots(
  before: Slots,
  { bucket, arrivals: [arrivals = []] }: Tick,
  expectation: number,
  slotMs: number,
  most: number,
): Slots {
  const newest = floorTo(bucket, slotMs);
  const steps = before.counts.length === 0 ? 1 : Math.round((newest - before.newest) / slotMs);
  const fresh = new Array<number>(Math.min(steps, most)).fill(0);
  const counts = [...fresh, ...before.counts].slice(0, most);
  const expected = [...fresh, ...before.expected].slice(0, most);
  expected[0] = Math.fround((expected[0] ?? 0) + expectation);
  for (const { bucket: event, count } of arrivals) {
    const age = Math.round((newest - floorTo(event, slotMs)) / slotMs);
    if (age >= 0 && age < counts.length) counts[age] = (counts[age] ?? 0) + count;
  }
  return { newest, counts, expected };
}

/** The expected mentions that should have arrived by now; a slot is as complete as its newest bucket. */
function arrivedExpectation(
  { newest, expected }: Slots,
  arrived: readonly number[] | undefined,
  until: Instant,
  slotMs: number,
): number {
  let sum = 0;
  for (const [index, part] of expected.entries()) {
    const end = Math.min(until, newest - (index - 1) * slotMs);
    const age = Math.round((until - end) / BUCKET_MS);
    sum += part * (arrived === undefined ? 1 : (arrived[age] ?? 1));
  }
  return sum;
}
