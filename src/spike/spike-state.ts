import type { Instant } from "../lib/instant.ts";
import { HOUR_BINS, LAG_EDGES, RING, WINDOWS } from "./constants.ts";

/**
 * The detector's state of one series, in two arrays of constant size, together below 1 kB. The learning functions of
 * this folder change the state in place; a caller that needs the old one keeps its packed form.
 */
export interface SpikeState {
  /** Start of the series' first bucket; buckets are numbered from it. */
  startAt: Instant;
  /** Everything but the expectations, at the indices of `AT`. */
  readonly numbers: Float32Array;
  /** Ring by bucket number: the expectations, as short floats. */
  readonly expected: Uint16Array;
}

export const MARK = {
  /** Buckets closed so far; the number of the next one. Bucket numbers stay exact up to 2^24, which is 159 years. */
  buckets: 0,
  /** Number of the next bucket to be learned. */
  toLearn: 1,
  variationWeight: 2,
  /** Bucket number + 1 of the last notification, 0 for never. */
  pagedAt: 3,
  open: 4,
  /** The newest bucket at which the open episode was still high. */
  highAt: 5,
  /** The score at the last notification of the open episode, and the number of its notifications. */
  notifiedScore: 6,
  notifyCount: 7,
  /** The strongest moment of the open episode. */
  peakAt: 8,
  peakScore: 9,
  peakLnP: 10,
  peakWindow: 11,
  peakObserved: 12,
  peakExpected: 13,
  peakCompleteness: 14,
  /** Bucket number + 1 at which the gates were last passed, notified or not; 0 for never. */
  passedAt: 15,
  /** 1 from the start of a wave without a notification. */
  newWave: 16,
  /** Faded number of ended waves. */
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
