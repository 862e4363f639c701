import type { Instant } from "../../../lib/instant.ts";
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

/** The most bytes that a packed state takes. */
export const PACKED_BYTES = 12 + STATE_BYTES;

/**
 * A state as JSON: base64 of 1 kB. Packing loses nothing that could change a later verdict, so a stored series goes on
 * exactly.
 */
export function packSpikeState(state: SpikeState): string {
  PAGE[0] = VERSION;
  PAGE.writeDoubleLE(state.startAt, 4);
  FLOATS.set(state.numbers);
  SHORTS.set(state.expected, 2 * state.numbers.length);
  return PAGE.toString("base64", 0, PACKED_BYTES);
}

/** False for a state of a version that is not known here, as later code may have left it, and for a damaged one. */
export function canReadSpikeState(packed: unknown): boolean {
  return typeof packed === "string" && layOnPage(packed) && isValid();
}

/** A value that is not a number would spread to all that is learned, and the series would never page again. */
function isValid(): boolean {
  const floats = createSpikeState(0).numbers.length;
  return Number.isFinite(PAGE.readDoubleLE(4)) && FLOATS.subarray(0, floats).every(Number.isFinite);
}

/**
 * Writes the stored state over `into`, all of it. A caller that unpacks and packs many series can use the
 * same one for all, because making a new one takes longer than to unpack. Throws if the text cannot be read.
 */
export function unpackSpikeState(packed: string, into = createSpikeState(0)): SpikeState {
  if (!layOnPage(packed))
    throw new Error("a stored spike state is damaged, or of a version that is not known here");
  const { numbers, expected } = into;
  into.startAt = PAGE.readDoubleLE(4);
  numbers.set(FLOATS.subarray(0, numbers.length));
  expected.set(SHORTS.subarray(2 * numbers.length, 2 * numbers.length + expected.length));
  return into;
}

/** False where the text is no state, or of a version that is not known here. */
function layOnPage(packed: string): boolean {
  return PAGE.write(packed, "base64") === PACKED_BYTES && PAGE[0] === VERSION;
}

const VERSION = 1;
/** Version, three bytes left free, and the start; then floats, so it has to be a multiple of four. */
const HEAD = 12;
/** One page for all: packing never waits, so no two states are on it at once. Its spare byte shows what is too long. */
const PAGE = Buffer.from(new ArrayBuffer(PACKED_BYTES + 4));
const FLOATS = new Float32Array(PAGE.buffer, HEAD, STATE_BYTES >> 2);
const SHORTS = new Uint16Array(PAGE.buffer, HEAD, STATE_BYTES >> 1);

/**
 * Positive numbers from 1/512 to 8 million in 16 bits: 5 of exponent, 11 of mantissa, with an error of at most one part
 * in 4,096. Smaller and larger numbers become the nearest possible one.
 */
export function toShortFloat(value: number): number {
  float[0] = value;
  const code = (((bits[0] ?? 0) + HALF_STEP) >>> DROPPED) - SMALLEST;
  return code < 0 ? 0 : code > 0xffff ? 0xffff : code;
}

export function fromShortFloat(code: number): number {
  bits[0] = (code + SMALLEST) << DROPPED;
  return float[0] ?? 0;
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Bits of the mantissa of a 32-bit float that are left out, and half of what they can hold, to round. */
const DROPPED = 12;
const HALF_STEP = 1 << (DROPPED - 1);
/** The code of 2^-9, counted from zero: its exponent is 118 in a 32-bit float. */
const SMALLEST = 118 << (23 - DROPPED);
