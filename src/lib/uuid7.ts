import { randomInt } from "node:crypto";
import { v7 } from "uuid";
import type { Instant } from "./instant.ts";

let last = { msecs: Number.NaN, seq: 0 };

/**
 * A UUID version 7 (RFC 9562) of the given moment. Its order is the order of time, so tables keyed by it can be
 * partitioned by ranges of the key. Ids that one process makes of one moment are in the order in which they were made.
 */
export function uuid7(at: Instant): string {
  const msecs = millisecondsOf(at);
  // Given a time, the library draws a new sequence number for each id: 1,000 ids of one moment would have no order.
  const seq = msecs === last.msecs ? last.seq + 1 : randomInt(2 ** 31);
  last = { msecs, seq };
  return v7({ msecs, seq });
}

/** Not above any id of that moment: the bound of a range of ids. Version and random bits are zero. */
export function uuid7Floor(at: Instant): string {
  return `${v7({ msecs: millisecondsOf(at), seq: 0 }).slice(0, 13)}-0000-0000-000000000000`;
}

function millisecondsOf(at: Instant): number {
  return Math.max(0, Math.floor(at));
}
