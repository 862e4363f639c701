/**
 * An independent computation for the tests, in whole numbers of any size: no gamma function, no continued fraction and
 * no logarithm of the machine. A positive number is mantissa × 2^exponent, its mantissa about 128 bits long.
 */
interface Exact {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const BITS = 128;

/** ln P(N >= count) of the negative binomial with this mean and r (variance = mean + mean²/r), to 15 digits. */
export function exactLnTail(count: number, mean: number, r: number): number {
  const m = fromNumber(mean);
  const size = fromNumber(r);
  const success = divide(m, add(m, size));
  // P(0) = (r / (mean + r))^r, and each further chance is the one before × (n - 1 + r) / n × success.
  const lnNone = multiplySigned(ln(divide(size, add(m, size))), size);
  let ratio: Exact = { mantissa: 1n, exponent: 0 };
  for (let n = 1; n <= count; n++) ratio = next(ratio, n, size, success);
  let sum = ratio;
  for (let n = count + 1; ; n++) {
    ratio = next(ratio, n, size, success);
    sum = add(sum, ratio);
    if (isNothingBeside(ratio, sum)) break;
  }
  return toNumber(lnNone + ln(sum));
}

function next(ratio: Exact, n: number, size: Exact, success: Exact): Exact {
  const before = n === 1 ? size : add(fromNumber(n - 1), size);
  return divide(multiply(multiply(ratio, before), success), fromNumber(n));
}

/** Every double is a whole number times a power of two, so nothing is lost. */
function fromNumber(value: number): Exact {
  let exponent = 0;
  let whole = value;
  while (!Number.isInteger(whole)) {
    whole *= 2;
    exponent--;
  }
  return { mantissa: BigInt(whole), exponent };
}

function multiply(a: Exact, b: Exact): Exact {
  return shorten({ mantissa: a.mantissa * b.mantissa, exponent: a.exponent + b.exponent });
}

function divide(a: Exact, b: Exact): Exact {
  const shift = BITS + length(b.mantissa);
  return shorten({
    mantissa: (a.mantissa << BigInt(shift)) / b.mantissa,
    exponent: a.exponent - b.exponent - shift,
  });
}

function add(a: Exact, b: Exact): Exact {
  const [high, low] = a.exponent >= b.exponent ? [a, b] : [b, a];
  const apart = high.exponent - low.exponent;
  if (apart > 4 * BITS) return high;
  return shorten({ mantissa: (high.mantissa << BigInt(apart)) + low.mantissa, exponent: low.exponent });
}

function shorten(a: Exact): Exact {
  const excess = length(a.mantissa) - BITS;
  if (excess <= 0) return a;
  return { mantissa: a.mantissa >> BigInt(excess), exponent: a.exponent + excess };
}

function length(mantissa: bigint): number {
  return mantissa.toString(16).length * 4;
}

function isNothingBeside(part: Exact, whole: Exact): boolean {
  return length(part.mantissa) + part.exponent < length(whole.mantissa) + whole.exponent - 60;
}

/** Numbers of either sign, as a whole number of 2^-SCALE. */
type Signed = bigint;
const SCALE = 160n;
const ONE = 1n << SCALE;

/** ln by halving into [1, 2) and the series of 2 artanh((x - 1) / (x + 1)). */
function ln(a: Exact): Signed {
  const bits = a.mantissa.toString(2).length;
  const x =
    bits - 1 > Number(SCALE)
      ? a.mantissa >> (BigInt(bits - 1) - SCALE)
      : a.mantissa << (SCALE - BigInt(bits - 1));
  return artanhTwice(x) + BigInt(bits - 1 + a.exponent) * LN_TWO;
}

function artanhTwice(x: Signed): Signed {
  const y = ((x - ONE) << SCALE) / (x + ONE);
  const square = (y * y) >> SCALE;
  let power = y;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += power / k;
    power = (power * square) >> SCALE;
  }
  return 2n * sum;
}

const LN_TWO: Signed = artanhTwice(2n * ONE);

function multiplySigned(a: Signed, b: Exact): Signed {
  const product = a * b.mantissa;
  return b.exponent >= 0 ? product << BigInt(b.exponent) : product >> BigInt(-b.exponent);
}

function toNumber(a: Signed): number {
  return Number(a >> (SCALE - 80n)) / 2 ** 80;
}
