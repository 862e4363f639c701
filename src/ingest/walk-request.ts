import type { Instant } from "../lib/instant.ts";
import { PLAIN_PATH, type RunningWalk, type WalkKind, type WalkPath } from "./walk-state.ts";

/** Parameters of the mentions call, in the names of the API, and what the call has to know besides. */
export interface WalkRequest {
  readonly startDate: Instant;
  readonly endDate: Instant;
  readonly orderBy: WalkKind;
  readonly orderDirection: "asc" | "desc";
  readonly cursor: string | null;
  readonly sinceAdded?: Instant;
  readonly sinceUpdated?: Instant;
  readonly path: WalkPath;
}

export function requestOf(
  kind: WalkKind,
  walk: Pick<RunningWalk, "since" | "startDate" | "endDate" | "cursor" | "path">,
): WalkRequest {
  const { startDate, endDate, cursor, since, path = PLAIN_PATH } = walk;
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
