import { randomInt } from "node:crypto";
import { v7 } from "uuid";
import type { Instant } from "./instant.ts";

/** The last sequence number of each of the latest moments, the least used first. */
const sequences = new Map<number, number>();
const MOST_MOMENTS = 100;
/** The last 6 bits of a sequence are behind the 23 letters that lists show. 100,000 ids of one moment stay in order. */
const STEP = 2 ** 13;

/**
 * A UUID version 7 (RFC 9562) of the given moment. Its order is the order of time, so tables keyed by it can be
 * partitioned by ranges of the key. Ids that one process makes of one moment are in the order in which they were made,
 * also where it makes ids of other moments in between.
 */
export function uuid7(at: Instant): string {
  const msecs = millisecondsOf(at);
  // Given a time, the library draws a new sequence number for each id: 1,000 ids of one moment would have no order.
  const before = sequences.get(msecs);
  // A step and not the next number: ids of one moment differ in the letters that lists show.
  const seq = before === undefined ? randomInt(2 ** 31) : before + STEP + randomInt(STEP);
  sequences.delete(msecs);
  sequences.set(msecs, seq);
  const [oldest] = sequences.keys();
  if (sequences.size > MOST_MOMENTS && oldest !== undefined) sequences.delete(oldest);
  return v7({ msecs, seq });
}

/** Not above any id of that moment: the bound of a range of ids. Version and random bits are zero. */
export function uuid7Floor(at: Instant): string {
  return `${v7({ msecs: millisecondsOf(at), seq: 0 }).slice(0, 13)}-0000-0000-000000000000`;
}

function millisecondsOf(at: Instant): number {
  return Math.max(0, Math.floor(at));
}
