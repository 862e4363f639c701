import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LateCount, SpikeObservation } from "../../../../src/monitor/rules/spike/detector.ts";
import { gatesOf } from "../../../../src/monitor/rules/spike/sensitivity.ts";
import { createSpikeState, packSpikeState } from "../../../../src/monitor/rules/spike/spike-state.ts";
import { runs } from "../../../runs.ts";
import { feed, MONDAY, ordinaryDays } from "./feed.ts";

const opened = (observations: readonly SpikeObservation[]): number[] =>
  observations.filter(({ step }) => step === "opened").map(({ bucket }) => bucket);
const zeros = (length: number): number[] => new Array<number>(length).fill(0);

const BURST = [20, 40, 40, 30, 30, 20, 15, 10];
const history = ordinaryDays(10, 3);

describe("the detector", () => {
  it("is quiet on ordinary days", () => {
    expect(opened(feed(ordinaryDays(20, 3)))).toEqual([]);
  });

  it("pages once for a burst, within a quarter of an hour, and resolves after half an hour of calm", () => {
    const after = ordinaryDays(1, 3, 7);
    const observations = feed([...history, ...BURST, ...after]);
    const [page, ...more] = opened(observations);
    expect(more).toEqual([]);
    expect(page).toBeLessThan(history.length + 3);
    const over = observations.find(({ step }) => step === "resolved");
    const lastHigh = observations.findLast(({ score, bucket }) => score >= 2 && bucket < (over?.bucket ?? 0));
    expect(over?.bucket).toBe((lastHigh?.bucket ?? 0) + 6);
  });

  it("watches a new series for two hours before it pages", () => {
    const burst = [...new Array<number>(30).fill(0), 200, 300];
    expect(opened(feed([1, 0, 2, 200, 300, ...zeros(10)]))).toEqual([]);
    expect(opened(feed([1, 0, 2, ...burst])).length).toBe(1);
  });

  it("takes no morning for a spike in a query that it knows since last night", () => {
    const night = (hours: number): number[] =>
      Array.from({ length: hours * 12 }, (_, n) => (n % 6 === 0 ? 1 : 0));
    const morning = new Array<number>(24).fill(2);
    expect(opened(feed([...night(9), ...morning]))).toEqual([]);
    expect(opened(feed([...night(9 + 24), ...morning]))).toHaveLength(1);
  });

  it("reports again when the score doubles, and when it would fire anew after the cooldown", () => {
    const storm = [...new Array<number>(3).fill(25), ...new Array<number>(60).fill(120)];
    const steps = feed([...history, ...storm]).map(({ step }) => step);
    expect(steps.filter((step) => step === "opened").length).toBe(1);
    expect(steps).toContain("escalated");
    expect(steps.indexOf("renewed") - steps.indexOf("opened")).toBeGreaterThanOrEqual(36);
  });

  it("reports a burst three days after a crisis that was ten times as large", () => {
    const crisis = BURST.map((count) => count * 20);
    const counts = [...history, ...crisis, ...ordinaryDays(3, 3, 5), ...BURST.map((count) => count * 2)];
    expect(opened(feed(counts)).at(-1)).toBeGreaterThan(counts.length - BURST.length);
  });

  it("does not page twice within the cooldown, though the incident between was over", () => {
    const twice = [...history, ...BURST, ...ordinaryDays(1, 3, 3).slice(0, 60), ...BURST];
    expect(opened(feed(twice, { settings: { cooldownBuckets: 144 } })).length).toBe(1);
    expect(opened(feed(twice)).length).toBe(2);
  });

  it("reports a second wave within the cooldown at once if it is larger, and only then", () => {
    const wave = (times: number): number[] => BURST.map((count) => count * times);
    const calm = ordinaryDays(1, 3, 3).slice(0, 40);
    const day = { settings: { cooldownBuckets: 288 } };
    const reported = (second: number): number =>
      feed([...history, ...BURST, ...calm, ...wave(second), ...calm], day).filter(
        ({ step }) => step === "opened" || step === "renewed",
      ).length;
    expect([reported(0.7), reported(1.6), reported(3)]).toEqual([1, 2, 2]);
  });

  it("requires more when it is strict, and less when it reports any anomaly", () => {
    const small = [...history, 9, 9, 10, ...ordinaryDays(1, 3, 5)];
    const pages = (sensitivity: Parameters<typeof gatesOf>[0]) =>
      opened(feed(small, { settings: { gates: gatesOf(sensitivity) } })).length;
    expect([pages("strict"), pages("remarkable"), pages("any anomaly")]).toEqual([0, 0, 1]);
  });

  it("looks at five hours where two are expected to hold fewer than four mentions, and only there", () => {
    // One or two an hour, as long as nobody would call a burst, where one a day is usual.
    const rise = Array.from({ length: 72 }, (_, t) => (t % 7 === 0 ? 1 : 0));
    const sparse = [...ordinaryDays(20, 1 / 288), ...rise];
    const [page] = feed(sparse, { stored: true }).filter(({ step }) => step === "opened");
    expect(page).toMatchObject({ window: 60 });
    const busy = feed([...history, ...BURST, ...ordinaryDays(5, 3, 5)]);
    expect(Math.max(...busy.map(({ window }) => window))).toBe(24);
  });

  it("never pages below the floor", () => {
    expect(opened(feed([...history, ...BURST], { settings: { atLeast: 10_000 } }))).toEqual([]);
  });
});

describe("late mentions", () => {
  const late = (counts: readonly number[], age: number): LateCount[][] =>
    counts.map((count, t) => [
      { age: 0, count: Math.floor(count / 2) },
      { age, count: Math.ceil((counts[t - age] ?? 0) / 2) },
    ]);

  it("count by their own time: a burst that arrives late is still found", () => {
    expect(opened(feed(late([...history, ...BURST, ...zeros(6)], 4))).length).toBe(1);
  });

  it("cannot page once they are older than three hours", () => {
    const imported = Array.from({ length: 500 }, (_, age) => ({ age: age + 37, count: 50 }));
    expect(opened(feed([...history, imported, ...ordinaryDays(1, 3, 9)]))).toEqual([]);
  });

  it("cannot page when an outage delivers them all at once", () => {
    const outage = ordinaryDays(1, 3, 5).slice(0, 24);
    const flush = outage.map((count, t) => ({ age: outage.length - t, count }));
    expect(opened(feed([...history, ...zeros(24), flush, ...ordinaryDays(1, 3, 9).slice(24)]))).toEqual([]);
  });

  it("before the series began, or from the future, are left out", () => {
    const [first] = feed([
      [
        { age: 3, count: 100 },
        { age: -1, count: 100 },
        { age: 0, count: 2 },
      ],
    ]);
    expect(first?.observed).toBe(2);
  });

  it("that leave the slice are taken back", () => {
    const observations = feed([5, [{ age: 1, count: -3 }], [{ age: 0, count: -9 }]]);
    expect(observations.map(({ observed }) => observed)).toEqual([5, 0, 0]);
  });
});

describe("whatever arrives", () => {
  const arrival = fc.record({
    age: fc.integer({ min: -1, max: 60 }),
    count: fc.integer({ min: -50, max: 1_000_000 }),
  });
  const stream = fc.array(fc.oneof(fc.constant([]), fc.array(arrival, { maxLength: 4 })), {
    minLength: 1,
    maxLength: 120,
  });

  it("no number of the state or of a report becomes NaN", () => {
    fc.assert(
      fc.property(stream, (arrivals) => {
        const state = createSpikeState(MONDAY);
        const observations = feed(arrivals, { state });
        expect(state.numbers.every(Number.isFinite)).toBe(true);
        for (const { score, lnP, observed, expected, completeness } of observations) {
          expect([score, lnP, observed, expected].every(Number.isFinite)).toBe(true);
          expect(lnP).toBeLessThanOrEqual(0);
          expect(completeness).toBeGreaterThan(0);
          expect(completeness).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it("a replay reports the same, also when the state is stored between all buckets", () => {
    fc.assert(
      fc.property(stream, (arrivals) => {
        expect(feed(arrivals, { stored: true })).toEqual(feed(arrivals));
      }),
      { numRuns: runs(50) },
    );
  });

  it("more mentions in the last bucket never make it less significant or less unusual", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 25, maxLength: 80 }), fc.nat(80), (counts, more) => {
        const [less, greater] = [0, more].map((extra) => {
          const tail = (counts.at(-1) ?? 0) + extra;
          return feed([...counts.slice(0, -1), tail]).at(-1);
        });
        expect(greater?.lnP).toBeLessThanOrEqual((less?.lnP ?? 0) + 1e-9);
        expect(greater?.score).toBeGreaterThanOrEqual((less?.score ?? 0) - 1e-9);
      }),
    );
  });

  it("the order of the pages that brought the mentions of a bucket does not matter, nor how they were cut", () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 1_000 }), (arrivals, seed) => {
        const shuffled = arrivals.map((each) =>
          each
            .flatMap(({ age, count }) => {
              const part = count > 0 ? seed % (count + 1) : 0;
              return [
                { age, count: count - part },
                { age, count: part },
              ];
            })
            .sort((a, b) => ((a.age * seed + a.count) % 13) - ((b.age * seed + b.count) % 13)),
        );
        const [one, other] = [createSpikeState(MONDAY), createSpikeState(MONDAY)];
        expect(feed(shuffled, { state: one })).toEqual(feed(arrivals, { state: other }));
        expect(packSpikeState(one)).toBe(packSpikeState(other));
      }),
      { numRuns: runs(50) },
    );
  });

  it("mentions that come late but before their windows close count like punctual ones", () => {
    const counts = [...history, 5, 6, 7, 8, 6, 5];
    const [punctual, delayed] = [counts, [...counts.slice(0, -1), [{ age: 0, count: 5 }]]].map((each) =>
      feed(each).at(-1),
    );
    expect(delayed).toEqual(punctual);
  });
});
