import type { RejectedRow, SourcePage } from "../ingest/source-page.ts";
import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import type { PollKind } from "../model/poll.ts";
import type { PollRequest } from "./poll-request.ts";
import { createRepeatCounter } from "./repeat-counter.ts";
import { createMember, type Member } from "./shared-member.ts";

/** One poll for several queries: they are requested together, and each gets its part of every page. */
export interface SharedPages {
  /** The pages of one member, instead of its own poll. Nothing is requested before every member has asked or left. */
  pagesOf(queryId: string, request: PollRequest): AsyncIterable<SourcePage>;
  /** This member requests nothing (any more): another worker polls it, or its own part of the work has failed. */
  leave(queryId: string): void;
  /** What the pages have shown, after all have ended. */
  shown(): { readonly members: number; readonly failure: unknown };
}

/**
 * Each member sees exactly what its own poll would have shown: the mentions of its query after its own `since`.
 * `fetchPages` gets the ids of all that take part and the widest of their requests.
 */
export function createSharedPages(
  queryIds: readonly string[],
  fetchPages: (queryIds: readonly string[], request: PollRequest) => AsyncIterable<SourcePage>,
): SharedPages {
  const undecided = new Set(queryIds);
  const members = new Map<string, Member>();
  const seen = new Set<string>();
  let failure: unknown = null;

  const begin = (): void => {
    if (undecided.size > 0 || members.size === 0) return;
    undecided.add("begun");
    share(
      queryIds.flatMap((queryId) => members.get(queryId) ?? []),
      fetchPages,
      seen,
    ).catch((error: unknown) => {
      failure = error;
      for (const member of members.values()) member.fail(error);
    });
  };

  return {
    pagesOf: (queryId, request) => {
      const member = createMember(queryId, request);
      return member.pages(() => {
        members.set(queryId, member);
        undecided.delete(queryId);
        begin();
      });
    },
    leave: (queryId) => {
      members.get(queryId)?.leave();
      if (undecided.delete(queryId)) begin();
    },
    shown: () => ({ members: seen.size, failure }),
  };
}

async function share(
  members: readonly Member[],
  fetchPages: (queryIds: readonly string[], request: PollRequest) => AsyncIterable<SourcePage>,
  seen: Set<string>,
): Promise<void> {
  const repeats = createRepeatCounter();
  const poll = (members[0] as Member).request.orderBy;
  let [rows, number] = [0, 0];
  let waiting: Shared | null = null;
  let highest: Instant | null = null;
  let total: number | null = null;
  const ids = members.map(({ queryId }) => queryId);
  for await (const page of fetchPages(ids, widest(members.map(({ request }) => request)))) {
    // Only the request for the next page shows which one is the last.
    if (waiting !== null) await hand(members, waiting, `shared page ${number}`, null, highest);
    number += 1;
    total ??= page.total;
    rows += page.mentions.length + page.rejected.length - repeats.count(page.mentions);
    highest = highestOf(poll, page.mentions, highest);
    waiting = { page, parts: split(members, page, poll) };
    for (const { queryId } of page.mentions) if (ids.includes(queryId)) seen.add(queryId);
  }
  if (waiting === null) throw new NoPageError("the source sent no page");
  // The total covers all queries, so a shortfall marks every query for a new poll.
  const missing = total === null ? null : Math.max(0, total - rows);
  await hand(members, waiting, null, missing, highest);
}

class NoPageError extends Error {
  override readonly name = "NoPageError";
  readonly retryable = true;
}

/** A page, and which rows of it belong to whom. */
interface Shared {
  readonly page: SourcePage;
  readonly parts: ReadonlyMap<string, Part>;
}

interface Part {
  readonly mentions: Mention[];
  readonly rejected: RejectedRow[];
}

/** Rows of no requested query become dead letters of the first member: they are visible, and never lost silently. */
function split(members: readonly Member[], page: SourcePage, poll: PollKind): Map<string, Part> {
  const sinceOfMember = new Map(members.map(({ queryId, request }) => [queryId, sinceOf(request)]));
  const parts = new Map<string, Part>(
    members.map(({ queryId }) => [queryId, { mentions: [], rejected: [] }]),
  );
  const [first] = parts.values();
  for (const mention of page.mentions) {
    const part = parts.get(mention.queryId);
    if (part === undefined) {
      const reason = `it belongs to query ${mention.queryId.slice(0, 40)}, which was not asked for`;
      first?.rejected.push({ resourceId: mention.resourceId, reason });
    } else if (momentOf(poll, mention) > (sinceOfMember.get(mention.queryId) ?? 0))
      part.mentions.push(mention);
  }
  for (const row of page.rejected) (parts.get(row.queryId ?? "") ?? first)?.rejected.push(row);
  return parts;
}

/**
 * Gives every member its part. In the middle of a poll no member gets an empty page, which would end its poll.
 * `missing`: by how much the source's own total was higher than what it sent, known at the end.
 */
async function hand(
  members: readonly Member[],
  { page, parts }: Shared,
  nextCursor: string | null,
  missing: number | null,
  highest: Instant | null,
): Promise<void> {
  const queue = [...members];
  const common = {
    nextCursor,
    pageSize: null,
    shared: { highest },
    ...(page.behindMs !== undefined && { behindMs: page.behindMs }),
  };
  const next = async (): Promise<void> => {
    for (let member = queue.shift(); member !== undefined; member = queue.shift()) {
      const part = parts.get(member.queryId) ?? { mentions: [], rejected: [] };
      const rows = member.rowsWith(part);
      if (nextCursor !== null) {
        const isEmpty = part.mentions.length + part.rejected.length === 0;
        if (!isEmpty) await member.offer({ ...part, ...common, total: null });
        continue;
      }
      const total = missing === null ? null : rows + missing;
      const offered = member.offer({ ...part, ...common, total });
      member.end();
      await offered;
      // Each member writes the end of its poll itself: a few at a time, not two hundred.
      await member.left;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

const AT_ONCE = 4;

function widest(requests: readonly PollRequest[]): PollRequest {
  const [first] = requests as readonly [PollRequest];
  const since = Math.min(...requests.map(sinceOf));
  return {
    startDate: Math.min(...requests.map(({ startDate }) => startDate)),
    endDate: Math.max(...requests.map(({ endDate }) => endDate)),
    orderBy: first.orderBy,
    orderDirection: first.orderDirection,
    cursor: null,
    path: first.path,
    ...(first.orderBy === "added" ? { sinceAdded: since } : { sinceUpdated: since }),
  };
}

function sinceOf(request: PollRequest): Instant {
  return request.sinceAdded ?? request.sinceUpdated ?? Number.NEGATIVE_INFINITY;
}

function momentOf(poll: PollKind, mention: Mention): Instant {
  return poll === "added" ? mention.addedAt : mention.updatedAt;
}

function highestOf(poll: PollKind, mentions: readonly Mention[], before: Instant | null): Instant | null {
  let highest = before;
  for (const mention of mentions) {
    const at = momentOf(poll, mention);
    if (highest === null || at > highest) highest = at;
  }
  return highest;
}
