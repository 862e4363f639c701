import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import type { PollRequest } from "./poll-request.ts";

/** The trait that says how a server takes the moment from which on it is asked. */
export function sinceQuirk({ orderBy }: PollRequest): "since-added" | "since-updated" {
  return `since-${orderBy}`;
}

/** From when on it is asked; the beginning of time where it is not said. */
export function sinceOf({ sinceAdded, sinceUpdated }: PollRequest): Instant {
  return sinceAdded ?? sinceUpdated ?? Number.NEGATIVE_INFINITY;
}

/** The moment by which the walk is ordered. */
export function momentOf({ orderBy }: PollRequest, mention: Mention): Instant {
  return orderBy === "added" ? mention.addedAt : mention.updatedAt;
}
