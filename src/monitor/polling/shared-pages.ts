import type { Instant } from "../../lib/instant.ts";
import type { RejectedRow, SourcePage } from "../ingest/source-page.ts";
import type { Mention } from "../model/mention.ts";
import { momentOf, type PollRequest, sinceOf } from "../model/poll-state.ts";

/** The pages of one call for several queries, and what they have shown so far. */
export interface SharedPages {
  /** The part of each query that has rows on the page; after the last page a part of every query. */
  cut(page: SourcePage, isLast: boolean): ReadonlyMap<string, SourcePage>;
  /** How many of the queries had mentions. */
  queriesSeen(): number;
  /** Rows of queries that were not asked for but are in a group that was, by query. */
  surplus(): ReadonlyMap<string, number>;
}

/** A member of a shared call: its query, and what it would ask for alone. */
interface Sharing {
  readonly key: { readonly queryId: string };
  readonly request: PollRequest;
}

/**
 * Each query gets exactly what its own poll would have shown: its mentions after its own `since`.
 *
 * @param how `by-group`: others than the members are in groups that the call names, and their rows are left out
 * @param expected how many mentions the source counts that it is known not to send
 */
export function createSharedPages(
  members: readonly Sharing[],
  how: "by-query" | "by-group" = "by-query",
  expected = 0,
): SharedPages {
  const repeats = createRepeatCounter();
  const seen = new Set<string>();
  const surplus = new Map<string, number>();
  const known = new Map(members.map(({ key, request }) => [key.queryId, request]));
  const { orderBy } = widest(members);
  let [rows, number] = [0, 0];
  let highest: Instant | null = null;
  let total: number | null = null;
  return {
    cut: (page, isLast) => {
      number += 1;
      total ??= page.total;
      rows += page.mentions.length + page.rejected.length - repeats.count(page.mentions);
      for (const mention of page.mentions) {
        if (known.has(mention.queryId)) seen.add(mention.queryId);
        else surplus.set(mention.queryId, (surplus.get(mention.queryId) ?? 0) + 1);
        const at = momentOf({ orderBy }, mention);
        if (highest === null || at > highest) highest = at;
      }
      // The total covers all queries, so a shortfall marks every query for a new poll.
      const missing = isLast && total !== null ? Math.max(0, total - rows - expected) : null;
      const common = {
        // A cursor of its own for each page: only the call knows which one is the last.
        nextCursor: isLast ? null : `shared page ${number}`,
        total: null,
        pageSize: null,
        shared: { highest, missing },
        ...(page.behindMs !== undefined && { behindMs: page.behindMs }),
      };
      const parts = [...split(known, page, how)].filter(([, part]) => isLast || rowsOf(part) > 0);
      return new Map(parts.map(([queryId, part]) => [queryId, { ...part, ...common }]));
    },
    queriesSeen: () => seen.size,
    surplus: () => surplus,
  };
}

/** One request that covers all of theirs. */
export function widest(members: readonly Sharing[]): PollRequest {
  const requests = members.map(({ request }) => request);
  const [first] = requests;
  if (first === undefined) throw new RangeError("a call needs at least one query");
  if (requests.length === 1) return first;
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

interface Part {
  readonly mentions: Mention[];
  readonly rejected: RejectedRow[];
}

/** Rows of no requested query become dead letters of the first member: they are visible, and never lost silently. */
function split(
  known: ReadonlyMap<string, PollRequest>,
  page: SourcePage,
  how: "by-query" | "by-group",
): Map<string, Part> {
  const parts = new Map<string, Part>(
    [...known.keys()].map((queryId) => [queryId, { mentions: [], rejected: [] }]),
  );
  const [first] = parts.values();
  for (const mention of page.mentions) {
    const request = known.get(mention.queryId);
    if (request === undefined) {
      if (how === "by-group") continue;
      first?.rejected.push(rejectStranger(mention));
    } else if (momentOf(request, mention) > sinceOf(request))
      parts.get(mention.queryId)?.mentions.push(mention);
  }
  for (const row of page.rejected) {
    const isStrange = row.queryId !== undefined && !known.has(row.queryId);
    if (isStrange && how === "by-group") continue;
    (parts.get(row.queryId ?? "") ?? first)?.rejected.push(row);
  }
  return parts;
}

function rejectStranger({ resourceId, queryId }: Mention): RejectedRow {
  return { resourceId, reason: `it belongs to query ${queryId.slice(0, 40)}, which was not asked for` };
}

/** A page of a call for one query, with rows of others as dead letters: stored, they would count for the wrong query. */
export function ownPage(page: SourcePage, queryId: string): SourcePage {
  const strangers = page.mentions.filter((mention) => mention.queryId !== queryId);
  if (strangers.length === 0) return page;
  const mentions = page.mentions.filter((mention) => mention.queryId === queryId);
  return { ...page, mentions, rejected: [...page.rejected, ...strangers.map(rejectStranger)] };
}

function rowsOf({ mentions, rejected }: Part): number {
  return mentions.length + rejected.length;
}

/** How many mentions are remembered: those of the last pages. A backlog of a million must not be held in memory. */
const MOST = 20_000;

/**
 * Counts mentions that an earlier page of the same poll had already: one that changes during the poll moves to the end,
 * and sources repeat rows across pages. Repeats further back than MOST count as new.
 */
export function createRepeatCounter() {
  const seen = new Set<string>();
  return {
    count(mentions: readonly Mention[]): number {
      let repeated = 0;
      for (const { queryId, resourceId } of mentions) {
        const key = `${queryId} ${resourceId}`;
        if (seen.has(key)) repeated += 1;
        else seen.add(key);
      }
      for (const oldest of seen) {
        if (seen.size <= MOST) break;
        seen.delete(oldest);
      }
      return repeated;
    },
  };
}
