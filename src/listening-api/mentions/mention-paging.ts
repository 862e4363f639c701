import type { Instant } from "../../lib/instant.ts";
import type { PageRequest, PageRow } from "../store/mention-page.ts";
import type { Cursor } from "./cursor-codec.ts";
import type { MentionsRequest } from "./mentions-request.ts";

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

/** The rows in the order of the request, in whichever direction they were read. */
export function inOrder(rows: readonly PageRow[], cursor: Cursor | undefined): readonly PageRow[] {
  return cursor?.toward === "previous" ? rows.toReversed() : rows;
}

/**
 * Paging that shows the state of one moment has reached its last page: the same cursor now asks for mentions that have
 * become visible since. Undefined if the cursor asks for everything visible anyway.
 */
export function afterTheEnd(cursor: Cursor): Cursor | undefined {
  if (cursor.pinnedAt === null || cursor.toward === "previous") return undefined;
  return { ...cursor, pinnedAt: null, newSince: cursor.pinnedAt };
}

/**
 * The next and the previous cursor of a page. An empty page has no next cursor: programs follow one until there is
 * none. The cursor that led to the empty page stays valid and finds what arrives later. `leadsOn`: a fault of the
 * server made the page empty, and more lies ahead.
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
  // An empty page lies between the pages before it and the end: both directions continue from the cursor's own
  // position.
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
 * In most orders a mention that changes may jump from the pages ahead to pages already shown, and would be missed. So
 * such paging shows the state of the moment it began; after the last page it continues only with mentions that have
 * become visible since. In the other orders a mention keeps its position, or moves ahead and is shown again.
 */
export function isPinned({ order, direction }: MentionsRequest): boolean {
  return order.keepsPlace === "never" || (order.keepsPlace === "rising" && direction === "desc");
}
