import { LONGEST_WINDOW, RING } from "./constants.ts";
import { AT, createSpikeState, MARK, mark, type SpikeState, STATE_BYTES } from "./spike-state.ts";
import { isFirstVersion, readFirstVersion, type SpikeStateV1 } from "./spike-state-v1.ts";
import { takeHourForLevel, takeSquaresForCubes } from "./usual-variation.ts";

/**
 * A state as JSON: base64 of 1 kB. Packing loses nothing that could change a later verdict, so a stored series
 * continues exactly. It also reads states of the first three versions. Those hold two hours of counts; missing hours
 * are read as empty ones with no expectation.
 */
export type PackedSpikeState = string | SpikeStateV1;

/** The largest packed state, in bytes. */
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

/** False for a state of an unknown version, such as one that later code has left, and for a damaged one. */
export function canReadSpikeState(packed: PackedSpikeState): boolean {
  return typeof packed === "string" ? layOnPage(packed) && isValid() : isFirstVersion(packed);
}

/** A NaN would spread to everything learned, and the series would never fire again. */
function isValid(): boolean {
  const floats = createSpikeState(0).numbers.length;
  return Number.isFinite(PAGE.readDoubleLE(4)) && FLOATS.subarray(0, floats).every(Number.isFinite);
}

/**
 * Writes the whole stored state over `into`. A caller can reuse one object for all series, because creating a new one
 * takes longer than unpacking. Throws if the state cannot be read.
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

function readPage(into: SpikeState): void {
  const { numbers, expected } = into;
  const { lags, floats } = placesOnPage();
  into.startAt = PAGE.readDoubleLE(4);
  numbers.set(lags === AT.lags ? FLOATS.subarray(0, AT.lags) : OLD_SUMS_AND_MARKS);
  // The last mark, which older versions lack: no waves.
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

/** False if the page holds no state, or one of an unknown version. */
function layOnPage(packed: string): boolean {
  return PAGE.write(packed, "base64") === PACKED_BYTES && PAGE[0] === VERSION;
}

/** Start of the lags on the page, and end of its floats: one float earlier in the versions without waves. */
function placesOnPage(): { readonly lags: number; readonly floats: number } {
  const missing = PAGE[0] === VERSION ? 0 : 1;
  return { lags: AT.lags - missing, floats: AT.counts + RING - missing };
}

/** Slot of the next bucket. Slots before the series began are not read yet. */
function nextSlot(state: SpikeState): number {
  return mark(state, MARK.buckets) % RING;
}

const VERSION = 4;
/** No waves yet, and the usual variation measured from one side. */
const OF_CUBES = 3;
/** Laid out in the same way; the usual variation was a mean square. */
const OF_SQUARES = 2;
const WHOLE = 0;
/** Written before the detector used five hours of counts: punctual mentions only, and the longest window's buckets. */
const PUNCTUAL = 1;
const FLOAT = Float32Array.BYTES_PER_ELEMENT;
/** Version, form, two free bytes, and the start; floats follow, so it must be a multiple of four. */
const HEAD = 12;
const PUNCTUAL_BYTES = HEAD + FLOAT * (AT.lags + LONGEST_WINDOW) + 2 * LONGEST_WINDOW;
/** One page for all, because packing is synchronous. Its spare byte reveals a state that is too long. */
const PAGE = Buffer.from(new ArrayBuffer(PACKED_BYTES + 4));
const FLOATS = new Float32Array(PAGE.buffer, HEAD, STATE_BYTES >> 2);
const SHORTS = new Uint16Array(PAGE.buffer, HEAD, STATE_BYTES >> 1);
