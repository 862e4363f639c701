import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WAVE_GAP_BUCKETS } from "../../../../src/monitor/rules/spike/constants.ts";
import { forgetEpisode } from "../../../../src/monitor/rules/spike/episode.ts";
import { factorsOf, gatesOf, TUNING } from "../../../../src/monitor/rules/spike/sensitivity.ts";
import {
  createSpikeState,
  MARK,
  mark,
  packSpikeState,
} from "../../../../src/monitor/rules/spike/spike-state.ts";
import { feed, MONDAY, ordinaryDays } from "./feed.ts";

const WEEK = 7 * 288;
const BURST = [20, 40, 40, 30, 30, 20, 15, 10];
const history = ordinaryDays(10, 3);
/** What waves as close together as they can be counted would add up to. */
const MOST_WAVES = 1 / (1 - factorsOf(TUNING).waveFading ** (WAVE_GAP_BUCKETS + 1));

function withBursts(days: number, every: number, times = 1): number[] {
  return ordinaryDays(days, 3, 5).map((count, t) => count + times * (BURST[t % every] ?? 0));
}

/** The memory of waves after each bucket. */
function wavesOf(counts: readonly number[], start = createSpikeState(MONDAY)): number[] {
  return counts.map((count) => {
    feed([count], { state: start });
    return mark(start, MARK.waves);
  });
}

describe("the memory of waves", () => {
  it("knows of a wave once it has been over for six hours, and forgets half of it in a week", () => {
    const waves = wavesOf([...history, ...BURST, ...ordinaryDays(8, 3, 5)]);
    const counted = waves.findIndex((number) => number > 0);
    expect(counted).toBeGreaterThan(history.length + WAVE_GAP_BUCKETS);
    expect(counted).toBeLessThan(history.length + BURST.length + 24 + WAVE_GAP_BUCKETS + 2);
    expect(waves[counted]).toBe(1);
    expect(waves[counted + WEEK]).toBeCloseTo(0.5, 3);
  });

  it("is bounded, grows by one at most, and fades in every other bucket", () => {
    const piece = fc.record({
      calm: fc.integer({ min: 1, max: 250 }),
      burst: fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const counts = pieces.flatMap(({ calm, burst }) => [
          ...ordinaryDays(1, 2, calm).slice(0, calm),
          ...burst,
        ]);
        let before = 0;
        for (const waves of wavesOf(counts)) {
          const faded = factorsOf(TUNING).waveFading * before;
          expect([faded, faded + 1].some((number) => Math.abs(waves - number) < 1e-5)).toBe(true);
          expect(waves).toBeLessThanOrEqual(MOST_WAVES);
          before = waves;
        }
      }),
      { numRuns: 25 },
    );
  });

  it("is the same whether empty buckets are closed one by one or caught up with, and between which it is stored", () => {
    const counts = [
      ...history,
      ...BURST,
      ...new Array<number>(200).fill(0),
      ...BURST,
      ...new Array<number>(90).fill(0),
    ];
    const [one, other] = [createSpikeState(MONDAY), createSpikeState(MONDAY)];
    feed(counts, { state: one });
    feed(
      counts.map((count) => (count === 0 ? [] : [{ age: 0, count }])),
      { state: other },
    );
    expect(packSpikeState(one)).toBe(packSpikeState(other));
    expect(mark(one, MARK.waves)).toBeGreaterThan(1);
    expect(feed(counts, { stored: true })).toEqual(feed(counts));
  });

  it("survives that somebody else begins to watch, and grows only where a gate asks for a score", () => {
    const counts = [...history, ...BURST, ...ordinaryDays(1, 3, 5)];
    const state = createSpikeState(MONDAY);
    feed(counts, { state });
    const known = mark(state, MARK.waves);
    expect(known).toBeGreaterThan(0);
    forgetEpisode(state);
    expect(mark(state, MARK.waves)).toBe(known);
    const other = createSpikeState(MONDAY);
    feed(counts, { state: other, settings: { gates: gatesOf("any anomaly") } });
    expect(mark(other, MARK.waves)).toBe(0);
  });

  it("counts a wave whether or not it was reported", () => {
    const state = createSpikeState(MONDAY);
    const calm = ordinaryDays(1, 3, 5).slice(0, 100);
    const steps = feed([...history, ...BURST, ...calm, ...BURST, ...calm], {
      state,
      settings: { cooldownBuckets: 288 },
    });
    expect(steps.filter(({ step }) => step === "opened")).toHaveLength(1);
    expect(mark(state, MARK.waves)).toBeGreaterThan(1.9);
  });
});

describe("a burst that comes again and again", () => {
  const pages = (counts: readonly number[], tuning = TUNING): number[] =>
    feed([...history, ...counts], { settings: { tuning } })
      .filter(({ step }) => step === "opened" || step === "renewed")
      .map(({ bucket }) => bucket - history.length);

  it("once an hour for a week pages a few times, and one ten times as large is still reported", () => {
    const hourly = withBursts(7, 12);
    const reported = pages([...hourly, ...withBursts(1, 12, 10).slice(0, 12)]);
    expect(reported.filter((bucket) => bucket < WEEK).length).toBeLessThan(10);
    expect(reported.filter((bucket) => bucket >= WEEK)).toHaveLength(1);
  });

  it("once a day is reported less and less often, and each time if the rule wants every burst", () => {
    const daily = withBursts(21, 288);
    const everyOne = { ...TUNING, waveWeight: 0 };
    expect(pages(daily).length).toBeLessThan(12);
    expect(pages(daily, everyOne).length).toBeGreaterThan(pages(daily).length);
  });
});
