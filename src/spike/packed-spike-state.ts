import { LONGEST_WINDOW, RING } from "./constants.ts";
import { AT, createSpikeState, MARK, mark, type SpikeState, STATE_BYTES } from "./spike-state.ts";
import { isFirstVersion, readFirstVersion, type SpikeStateV1 } from "./spike-state-v1.ts";
import { takeHourForLevel, takeSquaresForCubes } from "./usual-variation.ts";

/**
 * A state as JSON: base64 of 1 kB. Packing loses nothing that could change a later verdict, so a stored series goes on
 * exactly. States of the first three versions are read too. What those lack that hold two hours of counts is read as
 * hours in which nothing was expected and nothing came.
 */
export type PackedSpikeState = string | SpikeStateV1;

/** The most bytes that a packed state takes. */
export const PACKED_BYTES = 12 + STATE_BYTES;

export function packSpikeState(state: SpikeState): string {
  PAGE[0] = VERSION;
  PAGE[1] = WHOLE;
  PAGE.writeDoubleLE(state.startAt, 4);
  FLOATS.set(state.numbers);
  SHORTS.set(state.expected, 2 * state.numbers.length);
  return PAGE.toString("base64", 0, PACKED_BYTES);
}

/** False for a state of a version that is not known here, as later code may have left it, and for a damaged one. */
export function canReadSpikeState(packed: PackedSpikeState): boolean {
  return typeof packed === "string" ? layOnPage(packed) && isValid() : isFirstVersion(packed);
}

/** A number that is none would spread to all that is learned, and the series would never page again. */
function isValid(): boolean {
  const { lags, floats } = placesOnPage();
  const used = PAGE[1] === PUNCTUAL ? lags + 1 + LONGEST_WINDOW : floats;
  return Number.isFinite(PAGE.readDoubleLE(4)) && FLOATS.subarray(0, used).every(Number.isFinite);
}

/**
 * Writes the stored state over `into`, all of it: who unpacks and packs a series at once can use the same one for all,
 * since making a new one takes longer than to unpack. Throws if it cannot be read.
 */
export function unpackSpikeState(packed: PackedSpikeState, into = createSpikeState(0)): SpikeState {
  if (typeof packed !== "string") readFirstVersion(packed, into);
  else if (!layOnPage(packed))
    throw new Error("a stored spike state is damaged, or of a version that is not known here");
  else readPage(into);
  if (typeof packed !== "string" || PAGE[0] === OF_SQUARES) takeSquaresForCubes(into);
  if (typeof packed !== "string" || PAGE[0] !== VERSION) takeHourForLevel(into);
  return into;
}

function readPage(into: SpikeState): void {
  const { numbers, expected } = into;
  const { lags, floats } = placesOnPage();
  into.startAt = PAGE.readDoubleLE(4);
  numbers.set(lags === AT.lags ? FLOATS.subarray(0, AT.lags) : OLD_SUMS_AND_MARKS);
  // The last mark, which older versions lack: no wave is remembered.
  if (lags !== AT.lags) numbers[AT.lags - 1] = 0;
  if (PAGE[1] === PUNCTUAL) readPunctual(into, lags);
  else {
    numbers.set(FLOATS.subarray(lags, floats), AT.lags);
    expected.set(SHORTS.subarray(2 * floats, 2 * floats + RING));
  }
}

function readPunctual(into: SpikeState, lags: number): void {
  let float = lags + 1;
  into.numbers[AT.lags] = FLOATS[lags] ?? 0;
  into.numbers.fill(0, AT.lags + 1);
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
  if (PAGE[0] === VERSION) return PAGE[1] === WHOLE && length === PACKED_BYTES;
  if (PAGE[0] !== OF_CUBES && PAGE[0] !== OF_SQUARES) return false;
  return length === (PAGE[1] === PUNCTUAL ? PUNCTUAL_BYTES : PACKED_BYTES - FLOAT);
}

/** Where the lags begin on the page, and where its floats end: one float earlier in the versions without waves. */
function placesOnPage(): { readonly lags: number; readonly floats: number } {
  const missing = PAGE[0] === VERSION ? 0 : 1;
  return { lags: AT.lags - missing, floats: AT.counts + RING - missing };
}

/** Slot of the next bucket. Those before the series began are read by nobody yet. */
function nextSlot(state: SpikeState): number {
  return mark(state, MARK.buckets) % RING;
}

const VERSION = 4;
/** No waves yet, and the usual variation measured from one side. */
const OF_CUBES = 3;
/** Laid out in the same way; the usual variation was a mean square. */
const OF_SQUARES = 2;
const WHOLE = 0;
/** Written until five hours of counts were looked at: punctual mentions only, and the buckets of the longest window. */
const PUNCTUAL = 1;
const FLOAT = Float32Array.BYTES_PER_ELEMENT;
/** Version, form, two bytes left free, and the start; then floats, so it has to be a multiple of four. */
const HEAD = 12;
const PUNCTUAL_BYTES = HEAD + FLOAT * (AT.lags + LONGEST_WINDOW) + 2 * LONGEST_WINDOW;
/** One page for all: packing never waits, so no two states are on it at once. Its spare byte shows what is too long. */
const PAGE = Buffer.from(new ArrayBuffer(PACKED_BYTES + 4));
const FLOATS = new Float32Array(PAGE.buffer, HEAD, STATE_BYTES >> 2);
const SHORTS = new Uint16Array(PAGE.buffer, HEAD, STATE_BYTES >> 1);
const OLD_SUMS_AND_MARKS = FLOATS.subarray(0, AT.lags - 1);
