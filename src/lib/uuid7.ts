import { randomBytes } from "node:crypto";
import type { Instant } from "./instant.ts";

/**
 * A UUID version 7 (RFC 9562) of the given moment. Its order is the order of time, so tables keyed by it can be
 * partitioned by ranges of the key. `random` (10 bytes) is passed in where the id must be the same on every try.
 */
export function uuid7(at: Instant, random: Uint8Array = randomBytes(10)): string {
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
