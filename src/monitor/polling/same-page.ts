import { createHash } from "node:crypto";
import type { SourcePage } from "../ingest/source-page.ts";
import type { SamePage } from "../model/poll-state.ts";

/** How often a page is sent before what it says of a next one is not believed any more. */
const MOST_TIMES = 3;

/** How often a page came without another in between. Null: it has no mentions, by which it could be told apart. */
export function countSame(page: SourcePage, before: SamePage | null): SamePage | null {
  if (page.mentions.length === 0) return null;
  const print = printOf(page);
  return { print, times: before?.print === print ? before.times + 1 : 1 };
}

/** A server that sends the same page behind ever new cursors would be read without end. */
export function goesRound(same: SamePage | null): boolean {
  return same !== null && same.times >= MOST_TIMES;
}

/** Of its rows, and their versions: one that changed meanwhile is news. */
function printOf({ mentions, rejected }: SourcePage): string {
  const rows = [
    ...mentions.map(({ queryId, resourceId, updatedAt }) => `${queryId} ${resourceId} ${updatedAt}`),
    ...rejected.map(({ queryId, resourceId }) => `${queryId} ${resourceId}`),
  ];
  return createHash("sha256").update(rows.sort().join("\n")).digest("base64url").slice(0, 22);
}
