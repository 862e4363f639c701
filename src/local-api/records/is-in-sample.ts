import { createHash } from "node:crypto";

/**
 * Whether a sampled query keeps a mention. Always the same answer for the same mention, and what a smaller percentage
 * keeps, a larger one keeps too.
 */
export function isInSample(resourceId: string, percentage: number): boolean {
  if (percentage >= 100) return true;
  const hash = createHash("sha256").update("sample").update(resourceId).digest().readUInt32BE(0);
  return hash / 2 ** 32 < percentage / 100;
}
