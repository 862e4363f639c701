import type { Mention } from "../model/mention.ts";

/** How many mentions are remembered: those of the last pages. A backlog of a million must not be held in memory. */
const MOST = 20_000;

/**
 * Counts mentions that an earlier page of the same poll had already: one that changes during the poll moves to the end,
 * and sources repeat rows across pages. Repeats further back than MOST count as new.
 */
export function createRepeatCounter() {
  const seen = new Set<string>();
  return {
    count(mentions: readonly Mention[]): number {
      let repeated = 0;
      for (const { queryId, resourceId } of mentions) {
        const key = `${queryId} ${resourceId}`;
        if (seen.has(key)) repeated += 1;
        else seen.add(key);
      }
      for (const oldest of seen) {
        if (seen.size <= MOST) break;
        seen.delete(oldest);
      }
      return repeated;
    },
  };
}
