import { createSpikeState, type SpikeState, STATE_BYTES } from "./spike-state.ts";

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
