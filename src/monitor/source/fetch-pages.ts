/** The part of a page that paging needs. */
interface FetchedPage {
  readonly mentions: readonly unknown[];
  readonly rejected: { readonly length: number };
  readonly nextCursor: string | null;
  /** The page size that the source says it used; null if it does not say. */
  readonly pageSize: number | null;
  /** The source's total; null if it does not count. */
  readonly total: number | null;
}

interface PagingOptions {
  /** The cursor to begin at; null for the first page. */
  readonly cursor: string | null;
  /** The requested page size; null if the server chooses. */
  readonly pageSize: number | null;
  /**
   * Whether a page that is not full is the last, unless the source counts more. The live service's own client ends
   * there, so this is the default.
   */
  readonly endOnShortPage: boolean;
}

export interface FetchPagesOptions extends PagingOptions {
  readonly signal?: AbortSignal | undefined;
}

type PagingStep =
  /** `next`: the cursor to follow; null behind the last page. */
  | { readonly outcome: "Page"; readonly next: string | null }
  /** The page says nothing that was not said before it: the one before was the last. */
  | { readonly outcome: "End" };

/**
 * Decides after each page of a poll whether another one follows. The first page always counts, empty or not, because it
 * has the total; a later empty page is the end. Other ends: no next cursor, a cursor that was followed before (a server
 * that repeats it would never end), a short page.
 */
export function createPaging(
  options: PagingOptions,
): (page: FetchedPage, cursor: string | null) => PagingStep {
  const followed = new Set<string>(options.cursor === null ? [] : [options.cursor]);
  let before: { readonly page: FetchedPage; readonly cursor: string | null } | null = null;
  let rows = 0;
  return (page, cursor) => {
    if (before !== null && (isEmpty(page) || (cursor === before.cursor && isSame(before.page, page))))
      return { outcome: "End" };
    before = { page, cursor };
    rows += page.mentions.length + page.rejected.length;
    return { outcome: "Page", next: nextCursor(page, { followed, sentCursor: cursor, rows }, options) };
  };
}

/** Follows `nextCursor` from page to page. Leaving early stops the running call. */
export async function* fetchPages<Page extends FetchedPage>(
  fetchPage: (cursor: string | null, signal: AbortSignal) => Promise<Page>,
  options: FetchPagesOptions,
): AsyncGenerator<Page, void, undefined> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  if (options.signal?.aborted === true) leave();
  options.signal?.addEventListener("abort", leave, { once: true });
  const paging = createPaging(options);

  try {
    let cursor = options.cursor;
    for (;;) {
      const page = await fetchPage(cursor, left.signal);
      const step = paging(page, cursor);
      if (step.outcome === "End") return;
      yield page;
      if (step.next === null) return;
      cursor = step.next;
    }
  } finally {
    options.signal?.removeEventListener("abort", leave);
    leave();
  }
}

interface Progress {
  readonly followed: Set<string>;
  /** The cursor that led to this page. */
  readonly sentCursor: string | null;
  /** All rows so far. */
  readonly rows: number;
}

function nextCursor(page: FetchedPage, { followed, sentCursor, rows }: Progress, options: PagingOptions) {
  const cursor = page.nextCursor;
  if (cursor === null || isEmpty(page) || (followed.has(cursor) && cursor !== sentCursor)) return null;
  const isMore = page.total !== null && rows < page.total;
  if (options.endOnShortPage && !isMore && isShort(page, options.pageSize)) return null;
  followed.add(cursor);
  return cursor;
}

/** Whether most of a page was on the one before: new mentions in between move the others. */
function isSame(before: FetchedPage, page: FetchedPage): boolean {
  const known = new Set(before.mentions.map(idOf));
  return page.mentions.filter((one) => known.has(idOf(one))).length * 2 >= page.mentions.length;
}

function idOf(mention: unknown): unknown {
  const { resourceId, id } = (mention ?? {}) as { readonly resourceId?: unknown; readonly id?: unknown };
  return resourceId ?? id;
}

function isEmpty(page: FetchedPage): boolean {
  return page.mentions.length + page.rejected.length === 0;
}

/** A server may use a smaller page size than requested; it then says so, and its size counts. */
function isShort(page: FetchedPage, pageSize: number | null): boolean {
  const size = Math.min(pageSize ?? Number.POSITIVE_INFINITY, page.pageSize ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(size) && page.mentions.length + page.rejected.length < size;
}
