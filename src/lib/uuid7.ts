import { randomBytes } from "node:crypto";
import type { Instant } from "./instant.ts";

/**
 * A UUID version 7 (RFC 9562) of the given moment. Its order is the order of time, so tables keyed by it can be
 * partitioned by ranges of the key; ids that one process makes of one moment are in the order in which they were made,
 * because a clock may stand still. `random` (10 bytes) is passed in where the id must be the same on every try.
 */
export function uuid7(at: Instant, random: Uint8Array = nextOf(at)): string {
  const bytes = new Uint8Array(16);
  let rest = Math.max(0, Math.floor(at));
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

let last = { at: Number.NaN, count: 0 };

/** The first 18 bits count the ids of one moment, the rest is random. */
function nextOf(at: Instant): Uint8Array {
  last = { at, count: last.at === at ? (last.count + 1) % 2 ** 18 : 0 };
  const random = randomBytes(10);
  random[0] = last.count >>> 14;
  random[1] = (last.count >>> 6) & 0xff;
  random[2] = last.count & 0x3f;
  return random;
}
