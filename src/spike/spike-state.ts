import type { Instant } from "../lib/instant.ts";
import { HOUR_BINS, OLDEST_LATE_BUCKET, RING, WINDOWS } from "./constants.ts";

/**
 * All that the detector remembers of one series, in one block of 32-bit floats of constant size (1.2 kB). The functions
 * of this folder that learn change the state that they are given; whoever wants the old one keeps its packed form.
 */
export interface SpikeState {
  /** Start of the series' first bucket; buckets are numbered from it. */
  readonly startAt: Instant;
  readonly block: Float32Array;
  /** Faded sums of [counts, seasonal factors]. */
  readonly level: Float32Array;
  readonly hourCounts: Float32Array;
  readonly hourLevels: Float32Array;
  /** Faded [squared errors, expectations] of sparse buckets. */
  readonly clusters: Float32Array;
  /** Per window: faded [excess of squared errors] and [squared expectations]. */
  readonly noise: Float32Array;
  readonly noiseWeight: Float32Array;
  /** Per window: running sums of the deviation and its square; their common weight is in `marks`. */
  readonly swingMean: Float32Array;
  readonly swingSquare: Float32Array;
  /** Rings by bucket number: mentions by event time, and what was expected. */
  readonly counts: Float32Array;
  readonly expected: Float32Array;
  /** Mentions by how many buckets after their own they became visible. */
  readonly lags: Float32Array;
  /** Single numbers, by the names of `MARK`. Bucket numbers stay exact up to 2^24, which is 159 years. */
  readonly marks: Float32Array;
}

export const MARK = {
  /** Buckets closed so far; the number of the next one. */
  buckets: 0,
  /** Number of the next bucket to be learned. */
  toLearn: 1,
  swingWeight: 2,
  /** Bucket number + 1 of the last page, 0 for never. */
  pagedAt: 3,
  open: 4,
  /** The newest bucket at which the open incident was still high. */
  highAt: 5,
  /** The score at which people were last told of the open incident, and how often they were told. */
  toldScore: 6,
  tellings: 7,
  /** The strongest moment of the open incident. */
  peakAt: 8,
  peakScore: 9,
  peakLnP: 10,
  peakWindow: 11,
  peakObserved: 12,
  peakExpected: 13,
  peakCompleteness: 14,
} as const;

const SIZES = [
  2,
  HOUR_BINS,
  HOUR_BINS,
  2,
  WINDOWS.length,
  WINDOWS.length,
  WINDOWS.length,
  WINDOWS.length,
  RING,
  RING,
  OLDEST_LATE_BUCKET + 1,
  Object.keys(MARK).length,
];
const LENGTH = SIZES.reduce((sum, size) => sum + size, 0);

export const STATE_BYTES = LENGTH * Float32Array.BYTES_PER_ELEMENT;

export function createSpikeState(startAt: Instant): SpikeState {
  return stateOver(startAt, new Float32Array(LENGTH));
}

/** The state as JSON: the block in base64, about 1.6 kB. Packing loses nothing, so a stored series goes on exactly. */
export type PackedSpikeState = { readonly startAt: Instant; readonly block: string };

export function packSpikeState(state: SpikeState): PackedSpikeState {
  const { buffer, byteOffset, byteLength } = state.block;
  return { startAt: state.startAt, block: Buffer.from(buffer, byteOffset, byteLength).toString("base64") };
}

export function unpackSpikeState(packed: PackedSpikeState): SpikeState {
  const bytes = Buffer.from(packed.block, "base64");
  if (bytes.length !== STATE_BYTES) {
    throw new Error(`a spike state holds ${STATE_BYTES} bytes, not ${bytes.length}`);
  }
  // A copy, because small buffers are parts of a pool that others write to.
  const block = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return stateOver(packed.startAt, block);
}

export function mark(state: SpikeState, which: number): number {
  return state.marks[which] ?? 0;
}

function stateOver(startAt: Instant, block: Float32Array): SpikeState {
  let offset = 0;
  const next = (size: number): Float32Array => {
    offset += size;
    return block.subarray(offset - size, offset);
  };
  return {
    startAt,
    block,
    level: next(2),
    hourCounts: next(HOUR_BINS),
    hourLevels: next(HOUR_BINS),
    clusters: next(2),
    noise: next(WINDOWS.length),
    noiseWeight: next(WINDOWS.length),
    swingMean: next(WINDOWS.length),
    swingSquare: next(WINDOWS.length),
    counts: next(RING),
    expected: next(RING),
    lags: next(OLDEST_LATE_BUCKET + 1),
    marks: next(Object.keys(MARK).length),
  };
}
