import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LateCount } from "../../../../src/monitor/rules/spike/detector.ts";
import {
  AT,
  canReadSpikeState,
  createSpikeState,
  PACKED_BYTES,
  packSpikeState,
  STATE_BYTES,
  unpackSpikeState,
} from "../../../../src/monitor/rules/spike/spike-state.ts";
import { runs } from "../../../runs.ts";
import { feed, MONDAY, ordinaryDays } from "./feed.ts";

function firstArrivals(from: number, to: number): LateCount[][] {
  return Array.from({ length: to - from }, (_, i) => [
    { age: 0, count: ((from + i) * 7) % 5 },
    { age: 3, count: ((from + i) * 3) % 2 },
  ]);
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

  it("in which a number is none, or the start, is not read: it would never page again", () => {
    const damaged = createSpikeState(MONDAY);
    feed(ordinaryDays(1, 3), { state: damaged });
    const valid = packSpikeState(damaged);
    damaged.numbers[AT.level] = Number.NaN;
    expect([packSpikeState(damaged), valid].map(canReadSpikeState)).toEqual([false, true]);
    expect(canReadSpikeState(packSpikeState(createSpikeState(Number.NaN)))).toBe(false);
  });

  it.each([
    ["nothing", ""],
    ["another text", "AAAA"],
    ["a version to come", Buffer.alloc(PACKED_BYTES, 2).toString("base64")],
    ["too much", Buffer.alloc(2_000, 1).toString("base64")],
  ])("that is %s is refused", (_, packed) => {
    expect(canReadSpikeState(packed)).toBe(false);
    expect(() => unpackSpikeState(packed)).toThrow(/spike state/);
  });
});
