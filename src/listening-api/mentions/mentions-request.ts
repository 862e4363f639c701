import { closestWord } from "../../lib/closest-word.ts";
import type { Instant } from "../../lib/instant.ts";
import { isNamedZone } from "../../lib/local-time.ts";
import type { FilterScope } from "../filters/define-filter.ts";
import { FILTERS } from "../filters/filters.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { type CompiledQuery, compile } from "../query-language/compile.ts";
import { MENTION_ORDERS, type MentionOrder } from "../store/mention-orders.ts";
import type { Direction } from "../store/mention-page.ts";
import type { MentionRange } from "../store/mention-range.ts";

export interface MentionsRequest {
  readonly range: MentionRange;
  readonly order: MentionOrder;
  readonly direction: Direction;
  readonly page: number;
  readonly pageSize: number;
  readonly cursor: string | undefined;
}

export interface RequestScope extends FilterScope {
  readonly projectId: number;
  /** All queries of the project, by id. */
  readonly queries: ReadonlySet<number>;
  /** What a Boolean text finds in a range. */
  search(query: CompiledQuery, range: MentionRange): Promise<MentionCondition>;
  groupMembers(groupIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
}

const MAX_PAGE_SIZE = 5_000;
/** What `page` and `pageSize` alone can reach. */
const REACHABLE_BY_PAGE = 10_000;
const DEFAULT_PAGE_SIZE = 20;
const DEFAULT_ORDER = "date";
const DEFAULT_DIRECTION = "desc";
const MAX_QUERIES = 200;

/** Reads the request of a mentions call. Throws one 400 with all faults. */
export async function readMentionsRequest(
  parameters: ParameterReader,
  scope: RequestScope,
): Promise<MentionsRequest> {
  const range = await readMentionRange(parameters, scope);
  const paging = readPaging(parameters);
  parameters.finish();
  return { range, ...paging };
}

/**
 * Reads the selection of mentions: queries, dates and filters. Faults are left to `parameters.finish`. `span`: dates that
 * count in place of startDate and endDate.
 */
export async function readMentionRange(
  parameters: ParameterReader,
  scope: RequestScope,
  span: Partial<Pick<MentionRange, "from" | "to">> = {},
): Promise<MentionRange> {
  const queryIds = await readQueryIds(parameters, scope);
  const timezone = readTimezone(parameters) ?? scope.timezone;
  const dates = { ...readDates(parameters, timezone), ...span };
  const conditions = [];
  for (const filter of FILTERS) {
    const condition = await filter.read(parameters, { ...scope, timezone });
    if (condition !== undefined) conditions.push(condition);
  }
  const range = { queryIds, ...dates, conditions };
  const search = readSearch(parameters);
  // Last, so that it only checks what the filters leave.
  return search === undefined
    ? range
    : { ...range, conditions: [...conditions, await scope.search(search, range)] };
}

async function readQueryIds(parameters: ParameterReader, scope: RequestScope): Promise<number[]> {
  const single = parameters.integers("queryId");
  const groups = parameters.integers("queryGroupId");
  const projects = parameters.integers("projectId");
  for (const id of projects.filter((id) => id !== scope.projectId))
    parameters.fault(`projectId: expected ${scope.projectId}, the project of the path, got ${id}.`);
  const names = [...parameters.texts("queryId"), ...parameters.texts("queryGroupId")];
  // The project itself means all its queries.
  if (names.length === 0 && projects.length > 0) return [...scope.queries].sort((a, b) => a - b);
  if (names.length === 0)
    parameters.fault("queryId: expected the id of at least one query (or a queryGroupId).");
  for (const id of single.filter((id) => !scope.queries.has(id)))
    parameters.fault(`queryId: ${id} is no query of this project.`);
  const members = groups.length === 0 ? new Map() : await scope.groupMembers(groups);
  for (const id of groups.filter((id) => !members.has(id)))
    parameters.fault(`queryGroupId: ${id} is no query group of this project.`);
  const ids = [...new Set([...single, ...groups.flatMap((id) => members.get(id) ?? [])])];
  // A group is one id, however many queries are in it.
  if (single.length + groups.length > MAX_QUERIES)
    parameters.fault(
      `queryId: expected at most ${MAX_QUERIES} ids of queries and groups, got ${single.length + groups.length}.`,
    );
  return ids.sort((a, b) => a - b);
}

function readTimezone(parameters: ParameterReader): string | undefined {
  const zone = parameters.text("timezone");
  if (zone === undefined || isNamedZone(zone)) return zone;
  parameters.fault(
    `timezone: expected an IANA name such as Europe/London, got ${JSON.stringify(zone.slice(0, 60))}.`,
  );
  return undefined;
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

function readOrder(parameters: ParameterReader): MentionOrder {
  const text = parameters.text("orderBy") ?? DEFAULT_ORDER;
  const names = [...MENTION_ORDERS.keys()];
  // The documented names are a mixture of cases; clients write them as the fields are called.
  const name = names.find((name) => name.toLowerCase() === text.toLowerCase());
  const order = MENTION_ORDERS.get(name ?? DEFAULT_ORDER);
  if (order === undefined) throw new Error("there is no order by date");
  if (name === undefined) {
    const meant = closestWord(text, names);
    parameters.fault(
      `orderBy: expected one of ${names.join(", ")}, got ${JSON.stringify(text.slice(0, 60))}${meant === undefined ? "." : `. Did you mean ${meant}?`}`,
    );
  }
  return order;
}

function readPaging(parameters: ParameterReader): Omit<MentionsRequest, "range"> {
  const pageSize = parameters.integer("pageSize", { min: 1, max: MAX_PAGE_SIZE }) ?? DEFAULT_PAGE_SIZE;
  const page = parameters.integer("page", { min: 0, max: REACHABLE_BY_PAGE - 1 }) ?? 0;
  const cursor = parameters.text("cursor");
  // Programs send page numbers together with the cursor; the cursor has its own page number.
  if (cursor !== undefined && page > 0) parameters.passOver("page", "page: expected none with a cursor.");
  if (cursor === undefined && (page + 1) * pageSize > REACHABLE_BY_PAGE) {
    parameters.fault(
      `page: expected (page + 1) * pageSize of at most ${REACHABLE_BY_PAGE}; follow nextCursor to go further.`,
    );
  }
  return {
    pageSize,
    page,
    cursor,
    order: readOrder(parameters),
    direction: parameters.oneOf("orderDirection", ["asc", "desc"] as const) ?? DEFAULT_DIRECTION,
  };
}

/**
 * Everything that must stay the same while a cursor is followed, as text: the project and every effective parameter, in
 * any order, with defaults written out or not.
 */
export function bindingOf(projectId: number, parameters: ParameterReader): string {
  const bound = Object.entries({ ...USUAL, ...Object.fromEntries(parameters.known()) })
    .filter(([name]) => !NOT_BOUND.has(name))
    .map(([name, values]) => [name, [...values].sort()] as const)
    .map(([name, values]) => [name, name === "orderBy" ? values.map(lowerCase) : values] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([projectId, bound]);
}

const USUAL = {
  orderBy: [DEFAULT_ORDER],
  orderDirection: [DEFAULT_DIRECTION],
  pageSize: [String(DEFAULT_PAGE_SIZE)],
};
const NOT_BOUND: ReadonlySet<string> = new Set(["cursor", "access_token", "page"]);

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** `search`: a Boolean text, searched inside the results. Its faults are reported with their positions. */
function readSearch(parameters: ParameterReader): CompiledQuery | undefined {
  const text = parameters.text("search");
  if (text === undefined) return undefined;
  const compiled = compile(text);
  if (compiled.ok) return compiled.query;
  for (const problem of compiled.problems)
    if (problem.severity === "error")
      parameters.fault(`search: at character ${problem.start + 1}: ${problem.message}`);
  return undefined;
}
