import { DAY } from "../../lib/instant.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import type { Priority } from "../model/poll.ts";
import type { PollRequest } from "../model/poll-state.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { QueryGroup } from "../model/query-group.ts";
import type { Rule } from "../rules/rule.ts";
import type { MentionsParams } from "../source/mention-params.ts";
import { importanceOf, isCrisis } from "./planner/importance.ts";

/** Priorities of the running monitor; the shell has one of its own. */
export type OwnPriority = Exclude<Priority, "shell">;

/** Reading back to before a query was watched is history: it can wait. */
export function priorityOf(
  queries: readonly WatchedQuery[],
  request: PollRequest,
  rulesFor: (query: Query) => readonly Rule[],
): OwnPriority {
  const since = request.sinceAdded ?? request.sinceUpdated ?? 0;
  if (queries.every(({ watchFrom }) => since < watchFrom - DAY)) return "background";
  return queries.some((query) => isCrisis(importanceOf(rulesFor(query)))) ? "crisis" : "live";
}

/**
 * How the address names queries: by a group those that are in it, if they are several, and each other by itself. A
 * query in two of the groups is named by the first.
 */
export function nameQueries(
  queries: readonly Pick<Query, "queryId">[],
  groups: readonly Pick<QueryGroup, "groupId" | "queryIds">[],
): Required<Pick<MentionsParams, "queryIds" | "queryGroupIds">> {
  const singles = new Set(queries.map(({ queryId }) => queryId));
  const queryGroupIds: string[] = [];
  for (const { groupId, queryIds } of groups) {
    const members = queryIds.filter((id) => singles.has(id));
    if (members.length < 2) continue;
    queryGroupIds.push(groupId);
    for (const id of members) singles.delete(id);
  }
  return { queryIds: [...singles], queryGroupIds };
}

/** @param cursor where the page begins: what the server gave, or a page number if the request goes by number */
export function paramsOf(
  queries: readonly WatchedQuery[],
  { path, sinceAdded, sinceUpdated, ...request }: PollRequest,
  pageSize: number,
  cursor: string | null,
  groups: readonly QueryGroup[] = [],
): MentionsParams {
  const { queryIds, queryGroupIds } = nameQueries(queries, groups);
  return {
    projectId: queries[0]?.projectId ?? "",
    queryIds,
    ...(queryGroupIds.length > 0 && { queryGroupIds }),
    pageSize,
    ...request,
    ...(path.pages === "number" ? { cursor: null, page: Number(cursor ?? 0) } : { cursor }),
    ...(path.since === "sent" && sinceAdded !== undefined && { sinceAdded }),
    ...(path.since === "sent" && sinceUpdated !== undefined && { sinceUpdated }),
  };
}

/** How far page numbers reach, by the specification. */
const REACH = 10_000;

/**
 * The next number of a page that was asked for by number, in place of a cursor: a poll is resumed from it in the same
 * way, and ends where numbers end. Null: they do not reach further.
 */
export function numberBehind(
  { mentions, rejected }: Pick<SourcePage, "mentions" | "rejected">,
  number: number,
  pageSize: number,
): string | null {
  // A server may send smaller pages than requested; its page numbers count in those.
  const rows = Math.max(1, mentions.length + rejected.length);
  return (number + 2) * Math.min(pageSize, rows) <= REACH ? String(number + 1) : null;
}
