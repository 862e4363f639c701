import { createHash, hash } from "node:crypto";
import { floorTo, HOUR, type Instant } from "../../lib/instant.ts";

/** Keeps ids below 2^53 until the year 2089. */
const IDS_AN_HOUR = 2 ** 33;

/**
 * The whole-number id of a mention, its `resourceId` in the earlier version. It grows from hour to hour of `added`, is
 * the same wherever and in however many versions the mention is stored, and two mentions share one only by an accident
 * of one in billions, also in a file whose mentions were all added at one moment.
 */
export function mentionId(added: Instant, resourceId: string): number {
  const number = Number.parseInt(hash("sha256", resourceId).slice(0, 12), 16);
  return (floorTo(added, HOUR) / HOUR) * IDS_AN_HOUR + (number % IDS_AN_HOUR);
}

/**
 * Whether a sampled query keeps a mention. Always the same answer for the same mention, and what a smaller percentage
 * keeps, a larger one keeps too.
 */
export function isInSample(resourceId: string, percentage: number): boolean {
  if (percentage >= 100) return true;
  const hash = createHash("sha256").update("sample").update(resourceId).digest().readUInt32BE(0);
  return hash / 2 ** 32 < percentage / 100;
}
