import type { SourcePage } from "../ingest/source-page.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { ObservedQuirk, ServerQuirks } from "../model/server-quirk.ts";
import { isLastPage } from "./is-last-page.ts";
import { isRefusal } from "./is-refusal.ts";
import type { PollRequest } from "./poll-request.ts";
import { momentOf, sinceOf, sinceQuirk } from "./poll-since.ts";
import { type PageContext, seenOn, wentOn } from "./seen-on-page.ts";
import { type StampedPage, stampPage } from "./stamp-page.ts";

/** The quirks of the server, and where new ones are stored. */
export interface QuirkLog {
  quirks(): Promise<ServerQuirks>;
  note(findings: readonly ObservedQuirk[]): Promise<void>;
}

export interface AdaptParts extends PageContext {
  /** The pages as the server sends them, requested as `request.path` says. */
  readonly fetch: (
    queries: readonly WatchedQuery[],
    request: PollRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  readonly quirkLog: QuirkLog;
  /** The requested page size. */
  readonly pageSize: number;
  /** The most mentions that this process ever saw on one page. */
  readonly fullest: { rows: number };
}

/**
 * The pages of a poll as a server without quirks would send them: this code does what the real one does not, and stores
 * the quirks that it observes. If a poll cannot continue in the way it began, it ends with an error that says so, and
 * the next one takes another way.
 */
export async function* adaptPages(
  parts: AdaptParts,
  queries: readonly WatchedQuery[],
  request: PollRequest,
  signal: AbortSignal,
): AsyncGenerator<SourcePage> {
  const found: ObservedQuirk[] = [];
  const quirks = await parts.quirkLog.quirks();
  const observed = observe(parts, quirks, { queries, request, signal }, found);
  try {
    yield* request.path.since === "withheld" ? downToSince(observed, request) : observed;
  } finally {
    await parts.quirkLog.note(found.filter((one) => saysMore(quirks, one)));
  }
}

/** Less certain findings do not replace more certain ones. */
function saysMore(quirks: ServerQuirks, { quirk, value }: ObservedQuirk): boolean {
  const known = quirks.get(quirk)?.value;
  if (known === undefined) return true;
  if (value === "accepted") return known === "refused";
  return !(quirk === "cursors" && value === "followed" && known === "expire");
}

interface Asked {
  readonly queries: readonly WatchedQuery[];
  readonly request: PollRequest;
  readonly signal: AbortSignal;
}

async function* observe(
  parts: AdaptParts,
  quirks: ServerQuirks,
  asked: Asked,
  found: ObservedQuirk[],
): AsyncGenerator<SourcePage> {
  const { request } = asked;
  const { pageSize, fullest } = parts;
  let [pages, rows] = [0, 0];
  let last: StampedPage | null = null;
  try {
    for await (const fetched of parts.fetch(asked.queries, request, asked.signal)) {
      const page = stampPage(fetched, parts.now());
      found.push(...(await seenOn(page, parts, quirks, asked, pages)));
      // A page with everything the server counted then was not short: more became visible late.
      const wasAll = last?.total != null && rows >= last.total;
      if (last !== null && isShort(last, pageSize) && !wasAll && wentOn(last, page, request))
        found.push({ quirk: "short-pages", value: "go-on" });
      pages += 1;
      rows += rowsOf(page);
      fullest.rows = Math.max(fullest.rows, rowsOf(page));
      last = page;
      if (found.some(({ quirk, value }) => quirk === sinceQuirk(request) && value === "ignored"))
        throw new OtherWayError(
          "the server ignores the start of the range; the poll reads newest first instead",
        );
      if (!isShort(page, pageSize)) {
        yield page;
        continue;
      }
      const goOn = found.some(({ quirk }) => quirk === "short-pages");
      const short = { rows: rowsOf(page), sent: rows, total: page.total, fullest: fullest.rows, goOn };
      const isLast = isLastPage(short, quirks, parts.now());
      // If a short page is not the last, the size of a full page is unknown.
      yield isLast ? page : { ...page, pageSize: null };
      if (isLast) break;
    }
  } catch (error) {
    // A cursor behind the server's own total leads nowhere. The total may be wrong, so this does not end the poll.
    const isBehindAll = request.cursor === null && last?.total != null && rows >= last.total;
    const understood = await understand(error, parts, quirks, asked, pages, isBehindAll ? [] : found);
    if (isBehindAll && isRefusal(error)) found.push({ quirk: "after-end", value: "refused" });
    throw understood;
  }
  // Members of a shared poll cannot know this. A total that was right once saves the call behind a full page.
  if (pages === 1 && request.cursor === null && last?.total === rows && rows > 0 && !hasTotal(quirks))
    found.push({ quirk: "total", value: "agrees" });
  if (last !== null && request.path.pages === "cursor" && isShort(last, pageSize))
    found.push({ quirk: "last-page", value: last.nextCursor === null ? "without-cursor" : "with-cursor" });
}

function hasTotal(quirks: ServerQuirks): boolean {
  return (quirks.get("total")?.value ?? "none") !== "none";
}

function isShort(page: SourcePage, asked: number): boolean {
  return rowsOf(page) < Math.min(asked, page.pageSize ?? asked);
}

function rowsOf({ mentions, rejected }: SourcePage): number {
  return mentions.length + rejected.length;
}

/** Whether the server refuses what it was sent. */
async function understand(
  error: unknown,
  parts: AdaptParts,
  quirks: ServerQuirks,
  asked: Asked,
  pages: number,
  found: ObservedQuirk[],
): Promise<unknown> {
  if (!isRefusal(error)) return error;
  const { request } = asked;
  if (pages > 0 || request.cursor !== null) {
    if (request.path.pages === "number") return error;
    const known = quirks.get("cursors")?.value;
    // The cursor is a moment old, and this server never accepted any.
    const never = pages === 1 && request.cursor === null && (known === undefined || known === "refused");
    found.push({ quirk: "cursors", value: never ? "refused" : "expire" });
    return new OtherWayError("the server has refused its own cursor; the poll restarts from its watermark");
  }
  if (request.path.since === "withheld") return error;
  const without: PollRequest = {
    ...request,
    path: { ...request.path, direction: "desc", since: "withheld" },
  };
  if (!(await answers(parts.fetch(asked.queries, { ...without, orderDirection: "desc" }, asked.signal))))
    return error;
  found.push({ quirk: sinceQuirk(request), value: "refused" });
  return new OtherWayError("the server refuses the start of the range; the poll reads newest first instead");
}

async function answers(pages: AsyncIterable<unknown>): Promise<boolean> {
  try {
    for await (const _page of pages) return true;
    return false;
  } catch {
    return false;
  }
}

/** Nothing has failed: the poll is due again at once, and takes another way. */
class OtherWayError extends Error {
  override readonly name = "OtherWayError";
  readonly retryable = true;
  readonly isPostponed = true;
  readonly retryAfterMs = 0;
  /** The poll cannot be resumed. */
  readonly abandons = true;
}

/** Reads from the newest mention down to what is known, and leaves out what the server should have left out. */
async function* downToSince(
  pages: AsyncIterable<SourcePage>,
  request: PollRequest,
): AsyncGenerator<SourcePage> {
  const since = sinceOf(request);
  let [sent, kept] = [0, 0];
  for await (const page of pages) {
    const mentions = page.mentions.filter((one) => momentOf(request, one) > since);
    const isDown = mentions.length < page.mentions.length;
    sent += rowsOf(page);
    kept += mentions.length + page.rejected.length;
    // The total says something only if the poll ends before it reaches known mentions.
    const isCutOff = !isDown && page.nextCursor === null && page.total !== null;
    const total = isCutOff ? kept + Math.max(0, (page.total ?? 0) - sent) : null;
    yield { ...page, mentions, total, nextCursor: isDown ? null : page.nextCursor };
    if (isDown) return;
  }
}
