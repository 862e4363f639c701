import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import type { PollRequest } from "./poll-request.ts";

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
