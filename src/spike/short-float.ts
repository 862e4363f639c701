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
