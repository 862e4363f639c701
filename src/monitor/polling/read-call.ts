import type { Instant } from "../../lib/instant.ts";
import { type PreparedPage, preparePage } from "../ingest/prepare-page.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import { type SamePage, sinceOf } from "../model/poll-state.ts";
import type { QueryGroup } from "../model/query-group.ts";
import { breakOff, commitPart } from "./commit-part.ts";
import { missingSince } from "./coverage.ts";
import { finishPoll } from "./finish-poll.ts";
import { nextPage } from "./next-page.ts";
import { nameQueries } from "./page-request.ts";
import { commitFailure, type NextPage, openCall, type PollCall, type PollFailure } from "./poll-call.ts";
import type { PollMember, PollOutcome } from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import { createSharedPages, ownPage, type SharedPages, widest } from "./shared-pages.ts";

/** How a call ended. */
export interface CallEnd {
  /** The queries that took part. */
  readonly queries: number;
  /** Ids in its address, and those of them that name groups. */
  readonly ids: number;
  readonly groupIds: readonly string[];
  /** How many of them had mentions. */
  readonly seen: number;
  /** Rows of queries that were not asked for, over so many milliseconds, by query. */
  readonly surplus: { readonly rows: ReadonlyMap<string, number>; readonly ms: number };
  readonly failure: PollFailure | null;
}

export interface CallContext {
  readonly signal: AbortSignal;
  /** Whether the source has shown that it answers one call for several queries. */
  readonly proven: boolean;
  /** Groups of the account that may name members. */
  readonly groups: readonly QueryGroup[];
}

/** A call under way. */
interface CallRun {
  readonly call: PollCall;
  readonly pages: SharedPages | null;
  /** Members whose poll has not ended. */
  readonly running: Set<PollMember>;
  readonly end: (member: PollMember, result: PollOutcome) => void;
}

/**
 * The one loop, for one query and for two hundred: for each page of the call, each member commits its part, and its
 * poll ends when its own watermark says so. The next page is fetched and prepared while this one is stored.
 */
export async function readCall(
  parts: PollParts,
  members: readonly PollMember[],
  { signal, proven, groups }: CallContext,
  onEnd: (member: PollMember, result: PollOutcome) => void,
): Promise<CallEnd> {
  const left = new AbortController();
  const request = widest(members);
  const queries = members.map(({ query }) => query);
  const running = new Set(members);
  const { queryIds, queryGroupIds } = nameQueries(queries, groups);
  const named = groups.filter(({ groupId }) => queryGroupIds.includes(groupId));
  const how = named.length > 0 ? "by-group" : "by-query";
  const run: CallRun = {
    call: openCall(queries, request, AbortSignal.any([signal, left.signal]), named, samePage(members)),
    pages: members.length > 1 ? createSharedPages(members, how, missingOf(members, sinceOf(request))) : null,
    running,
    end: (member, result) => {
      running.delete(member);
      onEnd(member, result);
    },
  };
  const endOf = (failure: PollFailure | null): CallEnd => ({
    queries: members.length,
    ids: queryIds.length + queryGroupIds.length,
    groupIds: queryGroupIds,
    surplus: { rows: run.pages?.surplus() ?? new Map(), ms: parts.clock.now() - sinceOf(request) },
    seen: run.pages?.queriesSeen() ?? 0,
    failure,
  });
  try {
    const held = run.pages === null || proven ? [] : await untilProven(parts, run, run.pages);
    /** The queue of one: a page is fetched and read while the one before it is stored. */
    let ahead: Promise<FetchResult> | null = null;
    while (running.size > 0) {
      const next: FetchResult = held.shift() ?? (await (ahead ?? fetchNext(parts, run)));
      if (next.outcome === "Failed") {
        const { failure } = next;
        await forEachAtOnce(running, (member) => failWith(parts, run, member, failure));
        return endOf(failure);
      }
      ahead = run.call.seen.isOver || held.length > 0 ? null : startFetch(parts, run);
      await forEachAtOnce(next.parts, ([member, part]) => commitNext(parts, run, member, part));
    }
    return endOf(null);
  } finally {
    // Nobody waits for a page that is still under way.
    left.abort();
    await run.call.seen.noted;
  }
}

/** The page before those of this run, where a poll resumes. */
function samePage([first, another]: readonly PollMember[]): SamePage | null {
  return another === undefined ? (first?.state.running?.same ?? null) : null;
}

/** A query that the source always counts too much of would else mark all others of its calls for polls of their own. */
function missingOf(members: readonly PollMember[], since: Instant): number {
  return members.reduce((sum, { stored, startedAt }) => sum + missingSince(stored.gap, since, startedAt), 0);
}

/** What a request brought: the part of each member, prepared for its commit. */
type FetchResult =
  | { readonly outcome: "Parts"; readonly parts: ReadonlyMap<PollMember, Promise<PreparedPage>> }
  | { readonly outcome: "Failed"; readonly failure: PollFailure };

/** Nobody may ever take it: then its failure is nobody's. */
function startFetch(parts: PollParts, run: CallRun): Promise<FetchResult> {
  const fetched = fetchNext(parts, run);
  fetched.catch(() => undefined);
  return fetched;
}

/** Behind the last page every member gets one without rows: it ends what the last page did not. */
async function fetchNext(parts: PollParts, run: CallRun): Promise<FetchResult> {
  const { call } = run;
  const next: NextPage = call.seen.isOver ? { outcome: "End" } : await nextPage(parts.source, call);
  if (next.outcome === "Failed") return next;
  const page = next.outcome === "Page" ? next.page : NO_ROWS;
  const cut = run.pages?.cut(page, call.seen.isOver);
  const prepared = new Map<PollMember, Promise<PreparedPage>>();
  for (const member of run.running) {
    const { queryId } = member.key;
    const part = cut === undefined ? ownPage(page, queryId) : cut.get(queryId);
    if (part !== undefined) prepared.set(member, prepareAhead(parts, member, part));
  }
  return { outcome: "Parts", parts: prepared };
}

const NO_ROWS: SourcePage = { mentions: [], rejected: [], nextCursor: null, total: null, pageSize: null };

/** A failure is thrown to the member that commits the part, and to nobody else. */
function prepareAhead(parts: PollParts, member: PollMember, page: SourcePage): Promise<PreparedPage> {
  const prepared = Promise.resolve().then(() => preparePage(member.rules, parts.store.mentions.rowsOf, page));
  prepared.catch(() => undefined);
  return prepared;
}

async function commitNext(
  parts: PollParts,
  run: CallRun,
  member: PollMember,
  part: Promise<PreparedPage>,
): Promise<void> {
  // It may have ended while this page was fetched.
  if (!run.running.has(member)) return;
  try {
    const after = await commitPart(parts, member, await part);
    if (after.outcome === "Ended") run.end(member, await finishPoll(parts, member, after, contextOf(run)));
  } catch (error) {
    await failWith(parts, run, member, commitFailure(error));
  }
}

async function failWith(
  parts: PollParts,
  run: CallRun,
  member: PollMember,
  failure: PollFailure,
): Promise<void> {
  run.end(member, await breakOff(parts, member, failure, contextOf(run)));
}

function contextOf({ pages, call }: CallRun) {
  return { isShared: pages !== null, signal: call.signal };
}

/**
 * Until the source has answered one call for several queries, an answer with mentions of fewer than two of them proves
 * nothing about the others: then it must not end their polls. Returns the first pages, or a failure.
 */
async function untilProven(parts: PollParts, run: CallRun, pages: SharedPages): Promise<FetchResult[]> {
  const held: FetchResult[] = [];
  while (pages.queriesSeen() < 2) {
    if (run.call.seen.isOver || held.length >= MOST_HELD) return [{ outcome: "Failed", failure: UNPROVEN }];
    const next = await fetchNext(parts, run);
    if (next.outcome === "Failed") return [next];
    held.push(next);
  }
  return held;
}

const MOST_HELD = 2;

/** Nothing has failed: the members are free for calls of their own at once. */
const UNPROVEN: PollFailure = {
  kind: "unproven",
  because: "the source has not shown yet that it answers for several queries at once",
  status: null,
  retryable: true,
  retryAfterMs: 0,
};

/** Works on a few at a time: two hundred members must not take all connections of the pool. */
async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const next = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

const AT_ONCE = 4;
