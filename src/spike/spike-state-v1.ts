import type { Instant } from "../lib/instant.ts";
import { OLDEST_LATE_BUCKET, RING } from "./constants.ts";
import { binOfLag } from "./lateness.ts";
import { toShortFloat } from "./short-float.ts";
import { AT, MARK, type SpikeState } from "./spike-state.ts";

/** How states were stored first: one block of 32-bit floats, in base64. */
export interface SpikeStateV1 {
  readonly startAt: Instant;
  readonly block: string;
}

export function isFirstVersion({ block }: SpikeStateV1): boolean {
  return typeof block === "string" && Buffer.byteLength(block, "base64") === 4 * LENGTH;
}

/** Reads a state of the first version. What it does not know yet begins as if the last page had been the last wave. */
export function readFirstVersion(packed: SpikeStateV1, into: SpikeState): SpikeState {
  if (!isFirstVersion(packed)) throw new Error("a stored spike state of the first version is damaged");
  const { startAt, block } = packed;
  const bytes = Buffer.from(block, "base64");
  const old = (index: number): number => bytes.readFloatLE(4 * index);
  const { numbers, expected } = into;
  into.startAt = startAt;
  numbers.fill(0);
  for (let i = 0; i < SUMS; i++) numbers[i] = old(i);
  for (let slot = 0; slot < RING; slot++) {
    numbers[AT.counts + slot] = old(SUMS + slot);
    expected[slot] = toShortFloat(old(SUMS + RING + slot));
  }
  for (let lag = 0; lag <= OLDEST_LATE_BUCKET; lag++) {
    const place = AT.lags + binOfLag(lag);
    numbers[place] = (numbers[place] ?? 0) + old(SUMS + 2 * RING + lag);
  }
  for (let i = 0; i < MARKS; i++) numbers[AT.marks + i] = old(LENGTH - MARKS + i);
  numbers[AT.marks + MARK.passedAt] = numbers[AT.marks + MARK.pagedAt] ?? 0;
  return into;
}

/** The sums come first in both versions, in the same order. */
const SUMS = AT.marks;
const MARKS = 15;
const LENGTH = SUMS + 2 * RING + OLDEST_LATE_BUCKET + 1 + MARKS;
