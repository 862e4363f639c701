import { LONGEST_WINDOW, RING } from "./constants.ts";
import { AT, createSpikeState, MARK, mark, type SpikeState, STATE_BYTES } from "./spike-state.ts";
import { isFirstVersion, readFirstVersion, type SpikeStateV1 } from "./spike-state-v1.ts";
import { takeSquaresForCubes } from "./usual-swing.ts";

/**
 * A state as JSON: base64 of 1 kB. Packing loses nothing that could change a later verdict, so a stored series goes on
 * exactly. States of the first two versions are read too. What those lack that hold two hours of counts is read as hours
 * in which nothing was expected and nothing came.
 */
export type PackedSpikeState = string | SpikeStateV1;

/** The most bytes that a packed state takes. */
export const PACKED_BYTES = 12 + STATE_BYTES;

export function packSpikeState(state: SpikeState): string {
  PAGE[0] = VERSION;
  PAGE[1] = WHOLE;
  PAGE.writeDoubleLE(state.startAt, 4);
  NUMBERS.set(state.numbers);
  EXPECTED.set(state.expected);
  return PAGE.toString("base64", 0, PACKED_BYTES);
}

/** False for a state of a version that is not known here, as later code may have left it, and for a damaged one. */
export function canReadSpikeState(packed: PackedSpikeState): boolean {
  return typeof packed === "string" ? layOnPage(packed) && isSound() : isFirstVersion(packed);
}

/** A number that is none would spread to all that is learned, and the series would never page again. */
function isSound(): boolean {
  return Number.isFinite(PAGE.readDoubleLE(4)) && NUMBERS.every(Number.isFinite);
}

/**
 * Writes the stored state over `into`, all of it: who unpacks and packs a series at once can use the same one for all,
 * since making a new one takes longer than to unpack. Throws if it cannot be read.
 */
export function unpackSpikeState(packed: PackedSpikeState, into = createSpikeState(0)): SpikeState {
  if (typeof packed !== "string") readFirstVersion(packed, into);
  else if (!layOnPage(packed))
    throw new Error("a stored spike state is damaged, or of a version that is not known here");
  else if (PAGE[1] === PUNCTUAL) readPunctual(into);
  else readWhole(into);
  if (typeof packed !== "string" || PAGE[0] === OF_SQUARES) takeSquaresForCubes(into);
  return into;
}

function readWhole(into: SpikeState): void {
  into.startAt = PAGE.readDoubleLE(4);
  into.numbers.set(NUMBERS);
  into.expected.set(EXPECTED);
}

function readPunctual(into: SpikeState): void {
  into.startAt = PAGE.readDoubleLE(4);
  let float = AT.lags + 1;
  into.numbers.set(FIRST_NUMBERS);
  into.numbers.fill(0, float);
  into.expected.fill(0);
  let short = 2 * (float + LONGEST_WINDOW);
  let slot = nextSlot(into);
  for (let age = 1; age <= LONGEST_WINDOW; age++) {
    slot = slot === 0 ? RING - 1 : slot - 1;
    into.numbers[AT.counts + slot] = FLOATS[float++] ?? 0;
    into.expected[slot] = SHORTS[short++] ?? 0;
  }
}

/** False where what lies there now is no state, or of a version that is not known here. */
function layOnPage(packed: string): boolean {
  const length = PAGE.write(packed, "base64");
  const known = PAGE[0] === VERSION || PAGE[0] === OF_SQUARES;
  return known && length === (PAGE[1] === PUNCTUAL ? PUNCTUAL_BYTES : PACKED_BYTES);
}

/** Slot of the next bucket. Those before the series began are read by nobody yet. */
function nextSlot(state: SpikeState): number {
  return mark(state, MARK.buckets) % RING;
}

const VERSION = 3;
/** Laid out in the same way; the swing was a mean square. */
const OF_SQUARES = 2;
const WHOLE = 0;
/** Written until five hours of counts were looked at: punctual mentions only, and the buckets of the longest window. */
const PUNCTUAL = 1;
/** Version, form, two bytes left free, and the start; then floats, so it has to be a multiple of four. */
const HEAD = 12;
const PUNCTUAL_BYTES = HEAD + 4 * (AT.lags + 1 + LONGEST_WINDOW) + 2 * LONGEST_WINDOW;
/** One page for all: packing never waits, so no two states are on it at once. Its spare byte shows what is too long. */
const PAGE = Buffer.from(new ArrayBuffer(PACKED_BYTES + 4));
const FLOATS = new Float32Array(PAGE.buffer, HEAD, STATE_BYTES >> 2);
const SHORTS = new Uint16Array(PAGE.buffer, HEAD, STATE_BYTES >> 1);
const NUMBERS = FLOATS.subarray(0, AT.counts + RING);
const FIRST_NUMBERS = FLOATS.subarray(0, AT.lags + 1);
const EXPECTED = SHORTS.subarray(2 * (AT.counts + RING));
