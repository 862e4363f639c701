import type { MentionsParams } from "./mention-params.ts";
import type { Page } from "./to-page.ts";

/** What page numbers reach, by the specification. */
const REACH = 10_000;

/**
 * How a walk gets the page behind a place. By cursor, the place is the server's; by number, it is a number of ours,
 * which stands where a cursor would: a walk is resumed from it all the same, and ends where numbers do not reach.
 */
export function pageFetcher(
  by: "cursor" | "number",
  params: MentionsParams,
  ask: (params: MentionsParams, signal: AbortSignal) => Promise<Page>,
): (place: string | null, signal: AbortSignal) => Promise<Page> {
  if (by === "cursor") return (cursor, signal) => ask({ ...params, cursor }, signal);
  const pageSize = params.pageSize ?? 20;
  return async (place, signal) => {
    const page = Number(place ?? 0);
    const answer = await ask({ ...params, cursor: null, page }, signal);
    // A server may give fewer on a page than it is asked for; its numbers count in those.
    const rows = answer.mentions.length + answer.rejected.length;
    const reaches = (page + 2) * Math.min(pageSize, Math.max(1, rows)) <= REACH;
    return { ...answer, nextCursor: reaches ? String(page + 1) : null };
  };
}
