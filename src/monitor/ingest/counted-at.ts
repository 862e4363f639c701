import type { Instant } from "../../lib/instant.ts";
import type { Mention } from "../model/mention.ts";

/**
 * The moment at which a mention is counted: its publication, or its `added` if it is dated later than that. It depends
 * on the mention alone, so that a mention that leaves a slice is subtracted where it was counted. `behindMs`: how far
 * the clock that stamped `added` runs behind ours. A mention without a date counts when it was added: sources that hide
 * dates send live mentions without them. The price: an import of old mentions without dates can look like a spike.
 */
export function countedAt(
  { publishedAt, addedAt }: Pick<Mention, "publishedAt" | "addedAt">,
  behindMs = 0,
): Instant {
  const added = addedAt + behindMs;
  return Math.min(publishedAt ?? added, added);
}
