import type { Instant } from "../../lib/instant.ts";
import type { Cursor } from "../cursor/cursor-codec.ts";
import type { PageRequest, PageRow } from "../store/mention-page.ts";
import type { MentionsRequest } from "./mentions-request.ts";

/** The moment whose state a page shows: now, or the moment to which the walk is pinned. */
export function momentOf(cursor: Cursor | undefined, now: Instant): Instant {
  return cursor?.pinnedAt ?? now;
}

/** Which rows to read for a request. Rows toward `previous` come in reverse, see `inOrder`. */
export function pageRequest(request: MentionsRequest, cursor: Cursor | undefined, at: Instant): PageRequest {
  const { range, order, direction, pageSize } = request;
  const base = { range, order, at, limit: pageSize };
  if (cursor === undefined) return { ...base, direction, offset: request.page * pageSize };
  const opposite = direction === "asc" ? "desc" : "asc";
  return {
    ...base,
    offset: 0,
    direction: cursor.toward === "next" ? direction : opposite,
    ...(cursor.position === null ? {} : { after: cursor.position, inclusive: cursor.inclusive }),
    ...(cursor.newSince === null ? {} : { newSince: cursor.newSince }),
  };
}

/** The rows in the order of the walk, whichever way they were read. */
export function inOrder(rows: readonly PageRow[], cursor: Cursor | undefined): readonly PageRow[] {
  return cursor?.toward === "previous" ? rows.toReversed() : rows;
}

/**
 * A walk that shows the state of a moment has come to the end of it: the same cursor now asks for what has become
 * visible since that moment. Undefined where the cursor asks for everything visible anyway.
 */
export function afterTheEnd(cursor: Cursor): Cursor | undefined {
  if (cursor.pinnedAt === null || cursor.toward === "previous") return undefined;
  return { ...cursor, pinnedAt: null, newSince: cursor.pinnedAt };
}

/**
 * Where the walk goes on from a page, and where it came from. An empty page leads nowhere: programs follow a next
 * cursor until there is none. The cursor that led to the empty page stays good and finds what arrives later. `leadsOn`
 * says that the page is empty by a fault of the server, and more lies ahead.
 */
export function neighbours(
  request: MentionsRequest,
  cursor: Cursor | undefined,
  rows: readonly PageRow[],
  at: Instant,
  leadsOn = false,
): { next: Cursor | undefined; previous: Cursor | undefined; page: number } {
  const page = cursor?.page ?? request.page;
  const pinnedAt = isPinned(request) ? at : null;
  const newSince = cursor?.newSince ?? null;
  const first = rows[0]?.position;
  const last = rows.at(-1)?.position;
  // An empty page lies between what was shown before it and nothing: both ways lead on from the cursor's own place.
  const here = cursor?.position ?? null;
  const isEmptyEnd = rows.length === 0 && cursor?.toward !== "previous" && !leadsOn;
  const nextInclusive = cursor?.toward === "previous" ? !cursor.inclusive : (cursor?.inclusive ?? false);
  const isEnd = cursor?.toward !== "previous" && rows.length < request.pageSize;
  return {
    page,
    next: isEmptyEnd
      ? undefined
      : {
          position: last ?? here,
          toward: "next",
          inclusive: last === undefined && nextInclusive,
          page: page + 1,
          ...(isEnd && pinnedAt !== null ? { pinnedAt: null, newSince: at } : { pinnedAt, newSince }),
        },
    previous:
      cursor === undefined || (first ?? here) === null
        ? undefined
        : {
            position: first ?? here,
            toward: "previous",
            inclusive: first === undefined && !nextInclusive,
            page: Math.max(0, page - 1),
            pinnedAt,
            newSince: null,
          },
  };
}

/**
 * In most orders a mention that changes may jump from the part of the walk that lies ahead into the part that was
 * already shown, and would never be seen. So such a walk shows the state of the moment it began; once it has shown
 * all of that, it goes on with the mentions that have become visible since, and with them alone. In the others a
 * place, once taken, is kept, or moves ahead and is rightly shown again.
 */
function isPinned({ order, direction }: MentionsRequest): boolean {
  return order.keepsPlace === "never" || (order.keepsPlace === "rising" && direction === "desc");
}
