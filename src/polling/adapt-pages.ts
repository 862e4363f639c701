import type { SourcePage } from "../ingest/source-page.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { ObservedQuirk, ServerQuirks } from "../model/server-quirk.ts";
import { isLastPage } from "./is-last-page.ts";
import { isRefusal } from "./is-refusal.ts";
import type { PollRequest } from "./poll-request.ts";
import { momentOf, sinceOf, sinceQuirk } from "./poll-since.ts";
import { type PageContext, seenOn, wentOn } from "./seen-on-page.ts";
import { type StampedPage, stampPage } from "./stamp-page.ts";

/** What is known of the server, and where it is written down. */
export interface QuirkLog {
  quirks(): Promise<ServerQuirks>;
  note(findings: readonly ObservedQuirk[]): Promise<void>;
}

export interface AdaptParts extends PageContext {
  /** The pages as the server gives them, asked for in the way of `request.path`. */
  readonly fetch: (
    queries: readonly WatchedQuery[],
    request: PollRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  readonly quirkLog: QuirkLog;
  /** How many mentions a page is asked for. */
  readonly pageSize: number;
  /** The most that ever came on one page, as far as this process has seen. */
  readonly fullest: { rows: number };
}

/**
 * The pages of a walk as a server would give them that does everything it was asked: what the one at hand does not
 * do is done here, and what it was seen to do is noted. Where a walk cannot go on in the way it began, it ends with an
 * error that says so, and the next one takes another way.
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

/** What is known better already is not overwritten by what says less. */
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
      // What was all there was, as the server counted it then, was no short page: more of it became visible late.
      const wasAll = last?.total != null && rows >= last.total;
      if (last !== null && isShort(last, pageSize) && !wasAll && wentOn(last, page, request))
        found.push({ quirk: "short-pages", value: "go-on" });
      pages += 1;
      rows += rowsOf(page);
      fullest.rows = Math.max(fullest.rows, rowsOf(page));
      last = page;
      if (found.some(({ quirk, value }) => quirk === sinceQuirk(request) && value === "ignored"))
        throw new OtherWayError(
          "the server does not heed from when on it is asked; it is read the other way round",
        );
      if (!isShort(page, pageSize)) {
        yield page;
        continue;
      }
      const goOn = found.some(({ quirk }) => quirk === "short-pages");
      const short = { rows: rowsOf(page), sent: rows, total: page.total, fullest: fullest.rows, goOn };
      const isLast = isLastPage(short, quirks, parts.now());
      // What this server has on a full page is not known where a short one is not the last.
      yield isLast ? page : { ...page, pageSize: null };
      if (isLast) break;
    }
  } catch (error) {
    // Behind all that there is, as the server counts it, a cursor leads nowhere. It may count wrong: so that is no end.
    const isBehindAll = request.cursor === null && last?.total != null && rows >= last.total;
    const understood = await understand(error, parts, quirks, asked, pages, isBehindAll ? [] : found);
    if (isBehindAll && isRefusal(error)) found.push({ quirk: "after-end", value: "refused" });
    throw understood;
  }
  // Of shared walks their members cannot tell; and a total that was held to once spares the call behind a full page.
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

/** Whether a failure is the server's way of saying that it does not take what it was given. */
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
    // One that was given a moment ago, by a server of which no cursor was ever taken.
    const never = pages === 1 && request.cursor === null && (known === undefined || known === "refused");
    found.push({ quirk: "cursors", value: never ? "refused" : "expire" });
    return new OtherWayError("the server has refused its own cursor; the walk begins again at its watermark");
  }
  if (request.path.since === "withheld") return error;
  const without: PollRequest = {
    ...request,
    path: { ...request.path, direction: "desc", since: "withheld" },
  };
  if (!(await answers(parts.fetch(asked.queries, { ...without, orderDirection: "desc" }, asked.signal))))
    return error;
  found.push({ quirk: sinceQuirk(request), value: "refused" });
  return new OtherWayError("the server refuses to be told from when on; it is read the other way round");
}

async function answers(pages: AsyncIterable<unknown>): Promise<boolean> {
  try {
    for await (const _page of pages) return true;
    return false;
  } catch {
    return false;
  }
}

/** Nothing has failed: the walk is due again at once, and takes another way. */
class OtherWayError extends Error {
  override readonly name = "OtherWayError";
  readonly retryable = true;
  readonly isPostponed = true;
  readonly retryAfterMs = 0;
  /** What the walk had begun cannot be gone on with. */
  readonly abandons = true;
}

/** From the newest down to where all is known: what the server would have left out, if it did what it is asked. */
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
    // How many there are in all says something where the walk ends before it has come down.
    const isCutOff = !isDown && page.nextCursor === null && page.total !== null;
    const total = isCutOff ? kept + Math.max(0, (page.total ?? 0) - sent) : null;
    yield { ...page, mentions, total, nextCursor: isDown ? null : page.nextCursor };
    if (isDown) return;
  }
}
