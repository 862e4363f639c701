import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import { PLAIN_PATH, type PollKind, type PollPath, type RunningPoll } from "./poll-state.ts";

/** Parameters of the mentions call, in the names of the API, and what else the call needs. */
export interface PollRequest {
  readonly startDate: Instant;
  readonly endDate: Instant;
  readonly orderBy: PollKind;
  readonly orderDirection: "asc" | "desc";
  readonly cursor: string | null;
  readonly sinceAdded?: Instant;
  readonly sinceUpdated?: Instant;
  readonly path: PollPath;
}

export function requestOf(
  kind: PollKind,
  poll: Pick<RunningPoll, "since" | "startDate" | "endDate" | "cursor" | "path">,
): PollRequest {
  const { startDate, endDate, cursor, since, path = PLAIN_PATH } = poll;
  return {
    startDate,
    endDate,
    orderBy: kind,
    orderDirection: path.direction,
    cursor,
    ...(kind === "added" ? { sinceAdded: since } : { sinceUpdated: since }),
    path,
  };
}

/** The quirk that says how a server treats the start of the requested time range. */
export function sinceQuirk({ orderBy }: PollRequest): "since-added" | "since-updated" {
  return `since-${orderBy}`;
}

/** The start of the requested range; the beginning of time if absent. */
export function sinceOf({ sinceAdded, sinceUpdated }: PollRequest): Instant {
  return sinceAdded ?? sinceUpdated ?? Number.NEGATIVE_INFINITY;
}

/** The moment by which the poll is ordered. */
export function momentOf({ orderBy }: Pick<PollRequest, "orderBy">, mention: Mention): Instant {
  return orderBy === "added" ? mention.addedAt : mention.updatedAt;
}
