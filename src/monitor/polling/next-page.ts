import type { SourcePage } from "../ingest/source-page.ts";
import { momentOf, sinceOf, sinceQuirk } from "../model/poll-state.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { ObservedQuirk, ServerQuirks } from "../model/server-quirk.ts";
import type { Rule } from "../rules/rule.ts";
import type { SourceClient } from "../source/source-client.ts";
import { numberBehind, type OwnPriority, paramsOf, priorityOf } from "./page-request.ts";
import {
  byGroup,
  fetchFailure,
  isRefusal,
  isUnreadable,
  type NextPage,
  openCall,
  otherWay,
  type PollCall,
  type PollFailure,
  refusesSharing,
} from "./poll-call.ts";
import { countSame, goesRound } from "./same-page.ts";
import { isLastPage, type PageContext, seenOn, stampPage, wentOn } from "./server-quirks.ts";

/** The quirks of the server, and where new ones are stored. */
export interface QuirkLog {
  quirks(): Promise<ServerQuirks>;
  note(findings: readonly ObservedQuirk[]): Promise<void>;
}

/** What polls need of the source of the account. */
export interface PageSource extends PageContext {
  /** A client for each priority: they share the rate budget of the account. */
  readonly clients: Readonly<Record<OwnPriority, Pick<SourceClient, "mentionsPage">>>;
  readonly rulesFor: (query: Query) => readonly Rule[];
  /** Whether our clock runs with the wall, so that the server's can be compared with it. */
  readonly isWallTime: boolean;
  readonly quirkLog: QuirkLog;
  /** The requested page size. */
  readonly pageSize: number;
  /** The most mentions that this process ever saw on one page. */
  readonly fullest: { rows: number };
  /** Called after the first page of a call, or when a page of it fails; the health checks read what it stores. */
  readonly noteCall: (queries: readonly WatchedQuery[], failure: PollFailure | null) => Promise<void>;
}

/**
 * The next page of a call as a server without quirks would send it: this code does what the real one does not, and
 * stores the quirks that it observes. A call that cannot go on in the way it began fails with `other-way`, and the next
 * poll takes another way.
 */
export async function nextPage(parts: PageSource, call: PollCall): Promise<NextPage> {
  const next = await askNext(parts, call);
  call.seen.cursor = next.outcome === "Page" ? next.next : null;
  call.seen.isOver = call.seen.cursor === null;
  return next;
}

async function askNext(parts: PageSource, call: PollCall): Promise<NextPage> {
  const { seen, queries } = call;
  const known = seen.found.length;
  const isFirst = seen.pages === 0;
  let next: NextPage;
  try {
    seen.quirks ??= await parts.quirkLog.quirks();
    next = await adaptPage(parts, call, seen.quirks, await fetchPage(parts, call));
  } catch (error) {
    const failure = fetchFailure(error);
    // Which of the named things the server refuses is unknown: the queries themselves are asked for first.
    const isGroups = call.groups.length > 0 && (refusesSharing(failure) || isUnreadable(failure));
    next = {
      outcome: "Failed",
      failure: isGroups ? byGroup(failure.because) : await understand(parts, call, failure),
    };
  }
  if (next.outcome === "Failed") await parts.noteCall(queries, next.failure);
  else if (isFirst) seen.noted = parts.noteCall(queries, null);
  try {
    await parts.quirkLog.note(seen.found.slice(known).filter((one) => saysMore(seen.quirks, one)));
  } catch (error) {
    return { outcome: "Failed", failure: fetchFailure(error) };
  }
  return next;
}

/** One page as the server sends it. Throws SourceErrors. */
async function fetchPage(
  parts: PageSource,
  { queries, groups, request, signal, seen }: PollCall,
): Promise<SourcePage> {
  const params = paramsOf(queries, request, parts.pageSize, seen.cursor, groups);
  const client = parts.clients[priorityOf(queries, request, parts.rulesFor)];
  const page = await client.mentionsPage(params, { signal });
  const { page: number } = params;
  return {
    ...page,
    nextCursor: number === undefined ? page.nextCursor : numberBehind(page, number, parts.pageSize),
    servedAt: parts.isWallTime ? page.servedAt : null,
  };
}

async function adaptPage(
  parts: PageSource,
  call: PollCall,
  quirks: ServerQuirks,
  fetched: SourcePage,
): Promise<NextPage> {
  const { seen, request } = call;
  const { found, last } = seen;
  const { pageSize, fullest } = parts;
  if (call.groups.length > 0 && fetched.mentions.length === 0 && namesNoQuery(fetched))
    return { outcome: "Failed", failure: byGroup("its answer does not say which query a mention is of") };
  seen.same = countSame(fetched, seen.same);
  if (request.path.pages === "cursor" && goesRound(seen.same)) {
    found.push({ quirk: "last-page", value: "again" });
    return { outcome: "End" };
  }
  const step = seen.paging(fetched, seen.cursor);
  if (step.outcome === "End") {
    found.push(...seenAtEnd(call, quirks, pageSize));
    return { outcome: "End" };
  }
  const page = stampPage({ ...fetched, same: seen.same }, parts.now());
  found.push(...(await seenOn(page, parts, quirks, call, seen.pages)));
  // A page with everything the server counted then was not short: more became visible late.
  const wasAll = last?.total != null && seen.rows >= last.total;
  if (last !== null && isShort(last, pageSize) && !wasAll && wentOn(last, page, request))
    found.push({ quirk: "short-pages", value: "go-on" });
  seen.pages += 1;
  seen.rows += rowsOf(page) - repeatedRows(last, page);
  seen.last = page;
  fullest.rows = Math.max(fullest.rows, rowsOf(page));
  if (found.some(({ quirk, value }) => quirk === sinceQuirk(request) && value === "ignored")) {
    const because = "the server ignores the start of the range; the poll reads newest first instead";
    return { outcome: "Failed", failure: otherWay(because) };
  }
  const goOn = found.some(({ quirk }) => quirk === "short-pages");
  const short = { rows: rowsOf(page), sent: seen.rows, total: page.total, fullest: fullest.rows, goOn };
  const isLast = isShort(page, pageSize) && isLastPage(short, quirks, parts.now());
  // If a short page is not the last, the size of a full page is unknown.
  const sized = isShort(page, pageSize) && !isLast ? { ...page, pageSize: null } : page;
  const sent = { outcome: "Page", page: sized, next: isLast ? null : step.next } as const;
  const kept = request.path.since === "withheld" ? downToSince(sent, call) : sent;
  if (sent.next === null && rowsOf(page) > 0) found.push(...seenAtEnd(call, quirks, pageSize));
  return kept;
}

function namesNoQuery({ rejected }: SourcePage): boolean {
  return rejected.length > 0 && rejected.every(({ queryId }) => queryId === undefined);
}

/** Less certain findings do not replace more certain ones. */
function saysMore(quirks: ServerQuirks | null, { quirk, value }: ObservedQuirk): boolean {
  const known = quirks?.get(quirk)?.value;
  if (known === undefined) return true;
  if (value === "accepted") return known === "refused";
  return !(quirk === "cursors" && value === "followed" && known === "expire");
}

/** What a call shows that was followed to its end. */
function seenAtEnd({ seen, request }: PollCall, quirks: ServerQuirks, pageSize: number): ObservedQuirk[] {
  const { pages, rows, last } = seen;
  const found: ObservedQuirk[] = [];
  const hasTotal = (quirks.get("total")?.value ?? "none") !== "none";
  // Members of a shared poll cannot know this. A total that was right once saves the call behind a full page.
  if (pages === 1 && request.cursor === null && last?.total === rows && rows > 0 && !hasTotal)
    found.push({ quirk: "total", value: "agrees" });
  if (last !== null && request.path.pages === "cursor" && isShort(last, pageSize))
    found.push({ quirk: "last-page", value: last.nextCursor === null ? "without-cursor" : "with-cursor" });
  return found;
}

function isShort(page: SourcePage, pageSize: number): boolean {
  return rowsOf(page) < Math.min(pageSize, page.pageSize ?? pageSize);
}

function rowsOf({ mentions, rejected }: SourcePage): number {
  return mentions.length + rejected.length;
}

/** Rows that a page repeats from the one before it: the server counts them once. */
function repeatedRows(before: SourcePage | null, { mentions }: SourcePage): number {
  const known = new Set(before?.mentions.map(({ queryId, resourceId }) => `${queryId} ${resourceId}`));
  return mentions.filter(({ queryId, resourceId }) => known.has(`${queryId} ${resourceId}`)).length;
}

/** What the server refuses, if it refuses something, and whether another way is left. */
async function understand(parts: PageSource, call: PollCall, failure: PollFailure): Promise<PollFailure> {
  if (!isRefusal(failure)) return failure;
  const { queries, request, signal, seen } = call;
  const { path } = request;
  if (seen.pages > 0 || request.cursor !== null) {
    // A cursor behind the server's own total leads nowhere. The total may be wrong, so this does not end the poll.
    const isBehindAll = request.cursor === null && seen.last?.total != null && seen.rows >= seen.last.total;
    if (isBehindAll) seen.found.push({ quirk: "after-end", value: "refused" });
    if (path.pages === "number") return failure;
    const known = seen.quirks?.get("cursors")?.value;
    // The cursor is a moment old, and this server never accepted any.
    const never = seen.pages === 1 && request.cursor === null && (known === undefined || known === "refused");
    if (!isBehindAll) seen.found.push({ quirk: "cursors", value: never ? "refused" : "expire" });
    return otherWay("the server has refused its own cursor; the poll restarts from its watermark");
  }
  if (path.since === "withheld") return failure;
  const withheld = { direction: "desc", since: "withheld", pages: path.pages } as const;
  const without = openCall(queries, { ...request, orderDirection: "desc", path: withheld }, signal);
  const isAnswered = await fetchPage(parts, without).then(
    () => true,
    () => false,
  );
  if (!isAnswered) return failure;
  seen.found.push({ quirk: sinceQuirk(request), value: "refused" });
  return otherWay("the server refuses the start of the range; the poll reads newest first instead");
}

/** A poll from the newest mention down to what is known: leaves out what the server should have left out. */
function downToSince(
  { page, next }: Extract<NextPage, { readonly outcome: "Page" }>,
  { seen, request }: PollCall,
): NextPage {
  const since = sinceOf(request);
  const mentions = page.mentions.filter((one) => momentOf(request, one) > since);
  const isDown = mentions.length < page.mentions.length;
  seen.kept += mentions.length + page.rejected.length;
  // The total says something only if the poll ends before it reaches known mentions.
  const isCutOff = !isDown && page.nextCursor === null && page.total !== null;
  const total = isCutOff ? seen.kept + Math.max(0, (page.total ?? 0) - seen.rows) : null;
  const kept = { ...page, mentions, total, nextCursor: isDown ? null : page.nextCursor };
  return { outcome: "Page", page: kept, next: isDown ? null : next };
}
