import {
  closeBucket,
  type LateCount,
  type SpikeObservation,
  type SpikeSettings,
} from "../../../../src/monitor/rules/spike/detector.ts";
import { gatesOf } from "../../../../src/monitor/rules/spike/sensitivity.ts";
import {
  createSpikeState,
  packSpikeState,
  type SpikeState,
  unpackSpikeState,
} from "../../../../src/monitor/rules/spike/spike-state.ts";

export const MONDAY = Date.UTC(2024, 0, 1);

export const settings: SpikeSettings = {
  gates: gatesOf("remarkable"),
  cooldownBuckets: 36,
  atLeast: 0,
};

export function feed(
  counts: readonly (number | readonly LateCount[])[],
  options: { settings?: Partial<SpikeSettings>; state?: SpikeState; stored?: boolean } = {},
): SpikeObservation[] {
  let state = options.state ?? createSpikeState(MONDAY);
  return counts.map((count) => {
    const arrivals = typeof count === "number" ? [{ age: 0, count }] : count;
    const observation = closeBucket(state, arrivals, { ...settings, ...options.settings });
    if (options.stored === true) state = unpackSpikeState(JSON.parse(JSON.stringify(packSpikeState(state))));
    return observation;
  });
}

/** Counts like those of a query with day and night, the same in every run. */
export function ordinaryDays(days: number, perBucket: number, seed = 1): number[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
  return Array.from({ length: days * 288 }, (_, t) => {
    const rate = perBucket * (1 + 0.6 * Math.sin((2 * Math.PI * t) / 288));
    const limit = Math.exp(-rate);
    let count = 0;
    for (let product = random(); product > limit; product *= random()) count++;
    return count;
  });
}
