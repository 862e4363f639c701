import type { Instant } from "../lib/instant.ts";
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
