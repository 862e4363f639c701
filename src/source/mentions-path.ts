import type { Instant } from "../lib/instant.ts";
import { formatWireInstant } from "./wire-instant.ts";

export interface MentionsParams {
  readonly projectId: string;
  /** One call can ask for many queries; each mention names its own. Either these or groups are needed. */
  readonly queryIds?: readonly string[];
  readonly queryGroupIds?: readonly string[];
  /** The range of the mentions' own date, always sent in full with an offset: what a bare date means is unknown. */
  readonly startDate: Instant;
  readonly endDate: Instant;
  /** `added`, `updated`, `date`, `impact`, … */
  readonly orderBy?: string;
  readonly orderDirection?: "asc" | "desc";
  /** 1 to 5,000. */
  readonly pageSize?: number;
  /** As received; never parsed. */
  readonly cursor?: string | null;
  /** Only mentions that entered the query after this moment. */
  readonly sinceAdded?: Instant;
  /** Only mentions that changed after this moment. */
  readonly sinceUpdated?: Instant;
  /** Any other filter by its name in the API; a list is sent as a repeated parameter. */
  readonly filters?: Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
  /** Ask for the full text instead of the snippet, where the contract allows it. */
  readonly fullText?: boolean;
}

type FilterValue = string | number | boolean;

/** The path and query string of the mentions call. */
export function mentionsPath(params: MentionsParams): string {
  // URLSearchParams writes `+` as `%2B`, which the offsets of the dates need.
  const query = new URLSearchParams();
  for (const id of params.queryIds ?? []) query.append("queryId", id);
  for (const id of params.queryGroupIds ?? []) query.append("queryGroupId", id);
  query.set("startDate", formatWireInstant(params.startDate));
  query.set("endDate", formatWireInstant(params.endDate));
  if (params.sinceAdded !== undefined) query.set("sinceAdded", formatWireInstant(params.sinceAdded));
  if (params.sinceUpdated !== undefined) query.set("sinceUpdated", formatWireInstant(params.sinceUpdated));
  if (params.orderBy !== undefined) query.set("orderBy", params.orderBy);
  if (params.orderDirection !== undefined) query.set("orderDirection", params.orderDirection);
  if (params.pageSize !== undefined) query.set("pageSize", String(params.pageSize));
  for (const [name, value] of Object.entries(params.filters ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  if (params.cursor !== undefined && params.cursor !== null) query.set("cursor", params.cursor);
  const project = encodeURIComponent(params.projectId);
  return `/projects/${project}/data/mentions${params.fullText === true ? "/fulltext" : ""}?${query}`;
}
