import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { MARK, mark, unpackSpikeState } from "../../../src/monitor/rules/spike/spike-state.ts";
import type { WarmUp } from "../../../src/monitor/rules/warm-up.ts";
import { aWindowRule } from "./a-rule.ts";

const BUCKET = 300_000;
/** Not at the start of a day, so that the first day of the series is incomplete. */
const START = Date.UTC(2024, 0, 1, 7, 35);

/** Two mentions in each bucket; the verdict after each, and what the condition must still learn. */
function learn(lines: string, days: number, timezone = "UTC") {
  const { window } = aWindowRule(lines);
  let state = window.initial();
  const judged: { because: string; warmUp: WarmUp | undefined; state: unknown; at: number }[] = [];
  for (let bucket = START; bucket < START + days * DAY; bucket += BUCKET) {
    const arrivals = window.series.map(() => [{ bucket, count: 2 }]);
    const step = window.step(state, { bucket, bucketMs: BUCKET, timezone, arrivals });
    state = step.state;
    const at = bucket + BUCKET;
    const warmUp = window.warmUp(state, { until: at, timezone });
    judged.push({ because: step.verdict.because, warmUp, state, at });
  }
  return judged;
}

const LEARNERS: readonly [string, string, RegExp, number][] = [
  ["absence", "absence: { within: 2h }", /still learning/, 3],
  ["trend", "trend: { rising: 30%, over: 3d }", /whole days of history/, 20],
  [
    "share",
    "share: { of: { sentiment: negative }, unusual: true, among: 30, within: 1h }",
    /not known yet/,
    2,
  ],
];

for (const [kind, lines, silent, days] of LEARNERS) {
  test(`${kind} says that it learns exactly while its verdicts say so, and from the first day until when`, () => {
    const judged = learn(lines, days, "Europe/Berlin");
    // A verdict of absence uses what was known before its bucket.
    const late = kind === "absence" ? 1 : 0;
    for (const [i, { because }] of judged.entries()) {
      if (i >= late) expect(silent.test(because)).toBe(judged[i - late]?.warmUp !== undefined);
    }
    const learned = judged.find(({ warmUp }) => warmUp === undefined);
    const promised = judged[0]?.warmUp?.until ?? Number.NaN;
    expect(Math.abs((learned?.at ?? 0) - promised)).toBeLessThanOrEqual(2 * BUCKET);
  });
}

test("a spike rule learns for two hours, as long as its detector keeps silent", () => {
  const judged = learn("spike: { atLeast: 20 }", 1);
  for (const { warmUp, state } of judged) {
    const known = mark(unpackSpikeState((state as { spike: string }).spike), MARK.buckets);
    expect(warmUp === undefined).toBe(known >= 24);
  }
  expect(judged[0]?.warmUp).toEqual({ until: START + 2 * HOUR, needs: "1 h 55 min more" });
});

test("a share that is seldom seen waits for mentions, not for a day", () => {
  const { window } = aWindowRule(
    "share: { of: { sentiment: negative }, unusual: true, among: 30, within: 1h }",
  );
  let state = window.initial();
  for (let t = 0; t < 400; t++) {
    const bucket = START + t * BUCKET;
    const arrivals = window.series.map(() => (t % 100 === 0 ? [{ bucket, count: 1 }] : []));
    state = window.step(state, { bucket, bucketMs: BUCKET, arrivals }).state;
  }
  const judged = { until: START + 400 * BUCKET, timezone: "UTC" };
  expect(window.warmUp(state, judged)).toEqual({ until: null, needs: "57 more mentions" });
});

test("nothing is promised before the first mention, and what compares with nothing has nothing to learn", () => {
  const judged = { until: START, timezone: "UTC" };
  for (const [, lines] of [...LEARNERS, ["spike", "spike: { atLeast: 20 }"] as const]) {
    const { window } = aWindowRule(lines);
    expect(window.warmUp(window.initial(), judged)).toEqual({
      until: null,
      needs: "a first mention that it counts",
    });
  }
  for (const lines of [
    "volume: { atLeast: 5, within: 1h }",
    "share: { of: { sentiment: negative }, atLeast: 40%, among: 30, within: 1h }",
  ]) {
    const { window } = aWindowRule(lines);
    expect(window.warmUp(window.initial(), judged)).toBeUndefined();
  }
});

test("a silent series that was left alone has learned by the time that it was judged", () => {
  const { window } = aWindowRule("trend: { falling: 30%, over: 2d }");
  const bucket = START;
  const { state } = window.step(window.initial(), { bucket, bucketMs: BUCKET, arrivals: [[]] });
  expect(window.warmUp(state, { until: START + 4 * DAY, timezone: "UTC" })?.needs).toBe("13 more days");
  expect(window.warmUp(state, { until: START + 20 * DAY, timezone: "UTC" })).toBeUndefined();
});
