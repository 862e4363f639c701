import type { Instant } from "../lib/instant.ts";
import { HOUR_BINS, LAG_EDGES, RING, WINDOWS } from "./constants.ts";

/**
 * All that the detector remembers of one series, in two arrays of constant size, together below 1 kB. The functions of
 * this folder that learn change the state that they are given; whoever wants the old one keeps its packed form.
 */
export interface SpikeState {
  /** Start of the series' first bucket; buckets are numbered from it. */
  startAt: Instant;
  /** Everything but the expectations, at the places that `AT` names. */
  readonly numbers: Float32Array;
  /** Ring by bucket number: what was expected, as short floats. */
  readonly expected: Uint16Array;
}

export const MARK = {
  /** Buckets closed so far; the number of the next one. Bucket numbers stay exact up to 2^24, which is 159 years. */
  buckets: 0,
  /** Number of the next bucket to be learned. */
  toLearn: 1,
  variationWeight: 2,
  /** Bucket number + 1 of the last page, 0 for never. */
  pagedAt: 3,
  open: 4,
  /** The newest bucket at which the open incident was still high. */
  highAt: 5,
  /** The score at which people were last told of the open incident, and how often they were told. */
  notifiedScore: 6,
  notifyCount: 7,
  /** The strongest moment of the open incident. */
  peakAt: 8,
  peakScore: 9,
  peakLnP: 10,
  peakWindow: 11,
  peakObserved: 12,
  peakExpected: 13,
  peakCompleteness: 14,
  /** Bucket number + 1 at which the gates were last passed, told or not; 0 for never. */
  passedAt: 15,
  /** 1 from the beginning of a wave that nobody was told of. */
  newWave: 16,
  /** Faded number of waves that are over. */
  waves: 17,
} as const;

const SIZES = {
  /** Faded sums of [counts, seasonal factors]. */
  level: 2,
  hourCounts: HOUR_BINS,
  hourLevels: HOUR_BINS,
  /** Faded [squared errors, expectations] of sparse buckets. */
  clusters: 2,
  /** Per window: faded [excess of squared errors] and [squared expectations]. */
  noise: WINDOWS.length,
  noiseWeight: WINDOWS.length,
  /** Per window: running sums of the cubed deviation from the level, and from the hour; their common weight is a mark. */
  levelCubes: WINDOWS.length,
  variationCubes: WINDOWS.length,
  /** Single numbers, by the names of `MARK`. */
  marks: Object.keys(MARK).length,
  /** Mentions by how many buckets after their own they became visible, in the bins of `LAG_EDGES`. */
  lags: LAG_EDGES.length,
  /** Ring by bucket number: mentions by event time. */
  counts: RING,
} as const;

/** Where each kind of number begins in `numbers`. */
export const AT = placesOf(SIZES);
const LENGTH = Object.values(SIZES).reduce((sum, size) => sum + size, 0);

export const STATE_BYTES = LENGTH * Float32Array.BYTES_PER_ELEMENT + RING * Uint16Array.BYTES_PER_ELEMENT;

export function createSpikeState(startAt: Instant): SpikeState {
  const block = new ArrayBuffer(STATE_BYTES);
  return {
    startAt,
    numbers: new Float32Array(block, 0, LENGTH),
    expected: new Uint16Array(block, LENGTH * Float32Array.BYTES_PER_ELEMENT, RING),
  };
}

export function mark(state: SpikeState, which: number): number {
  return state.numbers[AT.marks + which] ?? 0;
}

function placesOf<Kind extends string>(
  sizes: Readonly<Record<Kind, number>>,
): Readonly<Record<Kind, number>> {
  const places: Record<Kind, number> = { ...sizes };
  let next = 0;
  for (const kind of Object.keys(sizes) as Kind[]) {
    places[kind] = next;
    next += sizes[kind];
  }
  return places;
}
