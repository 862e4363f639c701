import type { Instant } from "../../lib/instant.ts";
import type { FilterScope } from "../filters/define-filter.ts";
import { FILTERS } from "../filters/filters.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { type Direction, MENTION_ORDERS, type MentionOrder } from "../store/mention-page.ts";
import type { MentionRange } from "../store/mention-range.ts";

export interface MentionsRequest {
  readonly range: MentionRange;
  readonly orderBy: MentionOrder;
  readonly direction: Direction;
  readonly page: number;
  readonly pageSize: number;
  readonly cursor: string | undefined;
}

export interface RequestScope extends FilterScope {
  /** All queries of the project, by id. */
  readonly queries: ReadonlySet<number>;
  groupMembers(groupIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
}

export const MAX_PAGE_SIZE = 5_000;
/** What `page` and `pageSize` alone can reach. */
export const REACHABLE_BY_PAGE = 10_000;
const DEFAULT_PAGE_SIZE = 20;
const MAX_QUERIES = 200;

/** Reads what a mentions call asks for. Throws one 400 with everything that is wrong with it. */
export async function readMentionsRequest(
  parameters: ParameterReader,
  scope: RequestScope,
): Promise<MentionsRequest> {
  const range = await readMentionRange(parameters, scope);
  const paging = readPaging(parameters);
  parameters.finish();
  return { range, ...paging };
}

/** Reads which mentions a call speaks of: queries, dates and filters. What is wrong is left to `parameters.finish`. */
export async function readMentionRange(
  parameters: ParameterReader,
  scope: RequestScope,
): Promise<MentionRange> {
  const queryIds = await readQueryIds(parameters, scope);
  const { from, to } = readDates(parameters, scope.timezone);
  const conditions = [];
  for (const filter of FILTERS) {
    const condition = await filter.read(parameters, scope);
    if (condition !== undefined) conditions.push(condition);
  }
  return { queryIds, from, to, conditions };
}

async function readQueryIds(parameters: ParameterReader, scope: RequestScope): Promise<number[]> {
  const single = parameters.integers("queryId");
  const groups = parameters.integers("queryGroupId");
  const asked = [...parameters.texts("queryId"), ...parameters.texts("queryGroupId")];
  if (asked.length === 0)
    parameters.fault("queryId: expected the id of at least one query (or a queryGroupId).");
  for (const id of single.filter((id) => !scope.queries.has(id)))
    parameters.fault(`queryId: ${id} is no query of this project.`);
  const members = groups.length === 0 ? new Map() : await scope.groupMembers(groups);
  for (const id of groups.filter((id) => !members.has(id)))
    parameters.fault(`queryGroupId: ${id} is no query group of this project.`);
  const ids = [...new Set([...single, ...groups.flatMap((id) => members.get(id) ?? [])])];
  if (ids.length > MAX_QUERIES)
    parameters.fault(`queryId: expected at most ${MAX_QUERIES} queries, got ${ids.length}.`);
  return ids.sort((a, b) => a - b);
}

function readDates(parameters: ParameterReader, zone: string): { from: Instant; to: Instant } {
  for (const name of ["startDate", "endDate"]) {
    if (parameters.texts(name).length === 0) parameters.fault(`${name}: required, a date or date-time.`);
  }
  const from = parameters.moment("startDate", zone);
  const to = parameters.moment("endDate", zone);
  if (from !== undefined && to !== undefined && to <= from)
    parameters.fault("endDate: expected a moment after startDate (a plain date is the start of its day).");
  return { from: from ?? 0, to: to ?? 0 };
}

function readPaging(parameters: ParameterReader): Omit<MentionsRequest, "range"> {
  const pageSize = parameters.integer("pageSize", { min: 1, max: MAX_PAGE_SIZE }) ?? DEFAULT_PAGE_SIZE;
  const page = parameters.integer("page", { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
  const cursor = parameters.text("cursor");
  if (cursor !== undefined && page > 0) parameters.fault("page: expected none beside a cursor.");
  if (cursor === undefined && (page + 1) * pageSize > REACHABLE_BY_PAGE) {
    parameters.fault(
      `page: expected (page + 1) * pageSize of at most ${REACHABLE_BY_PAGE}; follow nextCursor to go further.`,
    );
  }
  return {
    pageSize,
    page,
    cursor,
    orderBy: parameters.oneOf("orderBy", MENTION_ORDERS) ?? "date",
    direction: parameters.oneOf("orderDirection", ["asc", "desc"] as const) ?? "desc",
  };
}
