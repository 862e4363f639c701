import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WINDOWS } from "../../src/spike/constants.ts";
import type { LateCount } from "../../src/spike/detector.ts";
import {
  canReadSpikeState,
  PACKED_BYTES,
  type PackedSpikeState,
  packSpikeState,
  unpackSpikeState,
} from "../../src/spike/packed-spike-state.ts";
import {
  AT,
  createSpikeState,
  MARK,
  mark,
  type SpikeState,
  STATE_BYTES,
} from "../../src/spike/spike-state.ts";
import { usualVariation } from "../../src/spike/usual-variation.ts";
import { runs } from "../runs.ts";
import { feed, MONDAY, ordinaryDays } from "./feed.ts";

const FIRST = join(import.meta.dirname, "fixtures", "state-v1.json");
const THIRD = join(import.meta.dirname, "fixtures", "state-v3.json");
/** Of the second version, with two hours of counts. */
const PUNCTUAL = join(import.meta.dirname, "fixtures", "state-v2-punctual.json");

/** What the state in the fixture was taught with. */
function firstArrivals(from: number, to: number): LateCount[][] {
  return Array.from({ length: to - from }, (_, i) => [
    { age: 0, count: ((from + i) * 7) % 5 },
    { age: 3, count: ((from + i) * 3) % 2 },
  ]);
}

/** States of older versions say less of the swing, and so do the scores that were measured in it. */
function withoutSwing(state: SpikeState): string {
  const rest = unpackSpikeState(packSpikeState(state));
  rest.numbers.fill(0, AT.levelCubes, AT.variationCubes + WINDOWS.length);
  for (const which of [MARK.variationWeight, MARK.peakScore, MARK.notifiedScore])
    rest.numbers[AT.marks + which] = 0;
  return packSpikeState(rest);
}

describe("a stored state", () => {
  it("takes at most a kilobyte", () => {
    expect(STATE_BYTES).toBeLessThanOrEqual(1_000);
    expect(PACKED_BYTES).toBeLessThanOrEqual(1_000);
    const state = createSpikeState(MONDAY);
    feed(ordinaryDays(3, 300), { state });
    feed(firstArrivals(0, 50), { state });
    expect(Buffer.from(packSpikeState(state), "base64").length).toBeLessThanOrEqual(PACKED_BYTES);
  });

  it("is the same after it was read and stored again", () => {
    const arrival = fc.record({ age: fc.integer({ min: 0, max: 40 }), count: fc.nat(5_000) });
    const stream = fc.array(fc.array(arrival, { maxLength: 3 }), { maxLength: 90 });
    fc.assert(
      fc.property(stream, fc.boolean(), (arrivals, punctual) => {
        const state = createSpikeState(MONDAY + 173_123);
        feed(
          arrivals.map((each) => each.map(({ age, count }) => ({ age: punctual ? 0 : age, count }))),
          { state },
        );
        const stored = packSpikeState(state);
        expect(canReadSpikeState(stored)).toBe(true);
        expect(packSpikeState(unpackSpikeState(stored))).toBe(stored);
        expect(unpackSpikeState(stored).startAt).toBe(state.startAt);
        // What another series left on the sheet does not shine through.
        const used = createSpikeState(0);
        feed(firstArrivals(0, 80), { state: used });
        expect(packSpikeState(unpackSpikeState(stored, used))).toBe(stored);
      }),
      { numRuns: runs(60) },
    );
  });

  it("of the first version goes on as if it had never been another, but for its swing, which is guessed", () => {
    const first = JSON.parse(readFileSync(FIRST, "utf8")) as PackedSpikeState;
    const taught = createSpikeState(MONDAY);
    feed(firstArrivals(0, 900), { state: taught });
    const kept = unpackSpikeState(first);
    const swing = [AT.levelCubes, AT.variationCubes + WINDOWS.length] as const;
    for (let window = 0; window < WINDOWS.length; window++)
      expect(usualVariation(kept, window) / usualVariation(taught, window)).toBeCloseTo(1, 0);
    kept.numbers.set(taught.numbers.subarray(...swing), AT.levelCubes);
    kept.numbers[AT.marks + MARK.variationWeight] = mark(taught, MARK.variationWeight);
    const goesOn = [...firstArrivals(900, 1_000), ...new Array<number>(8).fill(60)];
    const read = feed(goesOn, { state: kept });
    const known = feed(goesOn, { state: taught });
    expect(read.map(({ step }) => step)).toEqual(known.map(({ step }) => step));
    expect(read.some(({ step }) => step === "opened")).toBe(true);
    for (const [i, { expected, score }] of read.entries()) {
      expect(expected).toBeCloseTo(known[i]?.expected ?? 0, 1);
      expect(Math.abs(score - (known[i]?.score ?? 0))).toBeLessThan(0.05 + 0.02 * Math.abs(score));
    }
  });

  it("that holds two hours of counts goes on, and is whole again after five", () => {
    const few = (from: number, to: number): number[] =>
      Array.from({ length: to - from }, (_, i) => (((from + i) * 7) % 5 > 3 ? 1 : 0));
    const taught = createSpikeState(MONDAY);
    feed(few(0, 900), { state: taught });
    const stored = JSON.parse(readFileSync(PUNCTUAL, "utf8")) as PackedSpikeState;
    const read = unpackSpikeState(stored, unpackSpikeState(packSpikeState(taught)));
    const goesOn = [...few(900, 960), 9, 9, 9];
    const steps = feed(goesOn, { state: read }).map(({ step, lnP }) => [step, lnP]);
    expect(steps.slice(60)).toEqual(
      feed(goesOn, { state: taught })
        .map(({ step, lnP }) => [step, lnP])
        .slice(60),
    );
    expect(steps.some(([step]) => step === "opened")).toBe(true);
    for (let window = 0; window < WINDOWS.length; window++)
      expect(usualVariation(read, window) / usualVariation(taught, window)).toBeCloseTo(1, 0);
    expect(withoutSwing(read)).toBe(withoutSwing(taught));
  });

  it("of the third version keeps what was learned from the hour, which the level begins with, and knows no waves", () => {
    const read = unpackSpikeState(JSON.parse(readFileSync(THIRD, "utf8")) as PackedSpikeState);
    const taught = createSpikeState(MONDAY);
    feed(firstArrivals(0, 900), { state: taught });
    const cubes = (from: number) => Array.from(read.numbers.subarray(from, from + WINDOWS.length));
    expect(cubes(AT.levelCubes)).toEqual(cubes(AT.variationCubes));
    expect(Math.min(...cubes(AT.variationCubes))).toBeGreaterThan(0);
    expect(mark(read, MARK.waves)).toBe(0);
    // A mean over a longer past: near to what it would be now.
    for (let window = 0; window < WINDOWS.length; window++)
      expect(usualVariation(read, window) / usualVariation(taught, window)).toBeCloseTo(1, 0);
    expect(withoutSwing(read)).toBe(withoutSwing(taught));
    const steps = feed([...firstArrivals(900, 1_000), ...new Array<number>(8).fill(60)], { state: read });
    expect(steps.some(({ step }) => step === "opened")).toBe(true);
  });

  it("in which a number is none, or the start, is not read: it would never page again", () => {
    const damaged = createSpikeState(MONDAY);
    feed(ordinaryDays(1, 3), { state: damaged });
    const sound = packSpikeState(damaged);
    damaged.numbers[AT.level] = Number.NaN;
    expect([packSpikeState(damaged), sound].map(canReadSpikeState)).toEqual([false, true]);
    expect(canReadSpikeState(packSpikeState(createSpikeState(Number.NaN)))).toBe(false);
  });

  it.each([
    ["nothing", ""],
    ["another text", "AAAA"],
    ["a version to come", Buffer.from([5, ...new Array<number>(703).fill(0)]).toString("base64")],
    ["too much", Buffer.alloc(2_000, 2).toString("base64")],
    ["a broken block of the first version", { startAt: 0, block: "AAAA" }],
  ])("that is %s is refused", (_, packed) => {
    expect(canReadSpikeState(packed)).toBe(false);
    expect(() => unpackSpikeState(packed)).toThrow(/spike state/);
  });
});
