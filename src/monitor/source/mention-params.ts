import type { Instant } from "../../lib/instant.ts";
import type { Parameters } from "./define-call.ts";
import { formatWireInstant } from "./wire-values.ts";

/** The selection of mentions that all calls below `data/` take. */
export interface ScopeParams {
  readonly projectId: string;
  /** One call can ask for many queries; each mention names its own. Either these or groups are required. */
  readonly queryIds?: readonly string[];
  readonly queryGroupIds?: readonly string[];
  /** The range of the mentions' own date, always sent in full with an offset: the meaning of a bare date is unknown. */
  readonly startDate: Instant;
  readonly endDate: Instant;
  /** Only mentions that entered the query after this moment. */
  readonly sinceAdded?: Instant;
  /** Only mentions that changed after this moment. */
  readonly sinceUpdated?: Instant;
}

export interface MentionsParams extends ScopeParams {
  /** `added`, `updated`, `date`, `impact`, … */
  readonly orderBy?: string;
  readonly orderDirection?: "asc" | "desc";
  /** 1 to 5,000. */
  readonly pageSize?: number;
  /** From 0. Pages without a cursor reach 10,000 mentions. */
  readonly page?: number;
  /** As received; never parsed. */
  readonly cursor?: string | null;
}

/** The parameters of the two mentions calls. */
export function mentionsParameters(params: MentionsParams): Parameters {
  const ordering: [string, string][] = [];
  if (params.orderBy !== undefined) ordering.push(["orderBy", params.orderBy]);
  if (params.orderDirection !== undefined) ordering.push(["orderDirection", params.orderDirection]);
  if (params.pageSize !== undefined) ordering.push(["pageSize", String(params.pageSize)]);
  if (params.page !== undefined) ordering.push(["page", String(params.page)]);
  const cursor = params.cursor ?? null;
  return [...scopeParameters(params), ...ordering, ...(cursor === null ? [] : [["cursor", cursor] as const])];
}

/** The parameters that select the mentions of a call. */
export function scopeParameters(params: ScopeParams): Parameters {
  const found: [string, string][] = [];
  for (const id of params.queryIds ?? []) found.push(["queryId", id]);
  for (const id of params.queryGroupIds ?? []) found.push(["queryGroupId", id]);
  found.push(["startDate", formatWireInstant(params.startDate)]);
  found.push(["endDate", formatWireInstant(params.endDate)]);
  if (params.sinceAdded !== undefined) found.push(["sinceAdded", formatWireInstant(params.sinceAdded)]);
  if (params.sinceUpdated !== undefined) found.push(["sinceUpdated", formatWireInstant(params.sinceUpdated)]);
  return found;
}
