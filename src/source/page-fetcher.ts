import type { MentionsParams } from "./mention-params.ts";
import type { Page } from "./to-page.ts";

/** How far page numbers reach, by the specification. */
const REACH = 10_000;

/**
 * How a poll gets the next page. By cursor, the server gives the position. By number, we use a number of our own
 * instead of a cursor: a poll is resumed from it in the same way, and ends where numbers end.
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
    // A server may send smaller pages than requested; its page numbers count in those.
    const rows = answer.mentions.length + answer.rejected.length;
    const reaches = (page + 2) * Math.min(pageSize, Math.max(1, rows)) <= REACH;
    return { ...answer, nextCursor: reaches ? String(page + 1) : null };
  };
}
