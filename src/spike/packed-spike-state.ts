import { LONGEST_WINDOW, RING } from "./constants.ts";
import { AT, createSpikeState, MARK, mark, type SpikeState, STATE_BYTES } from "./spike-state.ts";
import { readFirstVersion, type SpikeStateV1 } from "./spike-state-v1.ts";

/**
 * A state as JSON: base64 of at most 1 kB, and of 0.7 kB while mentions are punctual. Packing loses nothing that could
 * change a later verdict, so a stored series goes on exactly. States stored by the first version are read too.
 */
export type PackedSpikeState = string | SpikeStateV1;

/** The most bytes that a packed state takes. */
export const PACKED_BYTES = 12 + STATE_BYTES;

export function packSpikeState(state: SpikeState): string {
  const punctual = isPunctual(state);
  PAGE[0] = VERSION;
  PAGE[1] = punctual ? PUNCTUAL : WHOLE;
  PAGE.writeDoubleLE(state.startAt, 4);
  NUMBERS.set(state.numbers);
  if (!punctual) {
    EXPECTED.set(state.expected);
    return PAGE.toString("base64", 0, PACKED_BYTES);
  }
  // The sums and marks stand before the first bin of lags. What follows it is written over.
  let float = AT.lags + 1;
  let short = 2 * (float + LONGEST_WINDOW);
  let slot = nextSlot(state);
  for (let age = 1; age <= LONGEST_WINDOW; age++) {
    slot = slot === 0 ? RING - 1 : slot - 1;
    FLOATS[float++] = state.numbers[AT.counts + slot] ?? 0;
    SHORTS[short++] = state.expected[slot] ?? 0;
  }
  return PAGE.toString("base64", 0, HEAD + 2 * short);
}

/**
 * Writes the stored state over `into`, all of it: who unpacks and packs a series at once can use the same one for all,
 * since making a new one takes longer than to unpack. Throws if it is not a state, or of a version not known here.
 */
export function unpackSpikeState(packed: PackedSpikeState, into = createSpikeState(0)): SpikeState {
  if (typeof packed !== "string") return readFirstVersion(packed, into);
  const length = PAGE.write(packed, "base64");
  const version = PAGE[0];
  const form = PAGE[1];
  const expectedLength = form === PUNCTUAL ? PUNCTUAL_BYTES : PACKED_BYTES;
  if (version !== VERSION || length !== expectedLength) {
    throw new Error(
      `a stored spike state has the version ${version} and ${length} bytes, which is not known`,
    );
  }
  into.startAt = PAGE.readDoubleLE(4);
  if (form !== PUNCTUAL) {
    into.numbers.set(NUMBERS);
    into.expected.set(EXPECTED);
    return into;
  }
  let float = AT.lags + 1;
  into.numbers.set(FIRST_NUMBERS);
  into.numbers.fill(0, float);
  let short = 2 * (float + LONGEST_WINDOW);
  let slot = nextSlot(into);
  for (let age = 1; age <= LONGEST_WINDOW; age++) {
    slot = slot === 0 ? RING - 1 : slot - 1;
    into.numbers[AT.counts + slot] = FLOATS[float++] ?? 0;
    into.expected[slot] = SHORTS[short++] ?? 0;
  }
  return into;
}

/** Nothing came late and nothing waits to be learned: then no verdict looks further back than the longest window. */
function isPunctual(state: SpikeState): boolean {
  if (mark(state, MARK.toLearn) !== mark(state, MARK.buckets)) return false;
  for (let bin = AT.lags + 1; bin < AT.counts; bin++) if (state.numbers[bin] !== 0) return false;
  return true;
}

/** Slot of the next bucket. Those before the series began are read by nobody yet. */
function nextSlot(state: SpikeState): number {
  return mark(state, MARK.buckets) % RING;
}

const VERSION = 2;
const PUNCTUAL = 1;
const WHOLE = 0;
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
