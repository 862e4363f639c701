import type { Database } from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { FetchFeed } from "./fetch-feed.ts";
import type { ForeignReader } from "./open-reader.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import type { FeedEnricher, ItemStore } from "./store-items.ts";

export interface FeedRunParts {
  readonly db: Database;
  readonly project: { readonly id: number; readonly timezone: string };
  readonly feeds: readonly PlannedFeed[];
  readonly fetch: FetchFeed["fetch"];
  /** Belongs to the caller. */
  readonly reader: ForeignReader;
  /** What texts show by themselves, and what waits for an endpoint. Awaited when the first item comes. */
  readonly enricher: () => Promise<FeedEnricher>;
  /** How long items are kept. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn" | "error" | "debug">;
  readonly signal: AbortSignal;
  readonly random?: () => number;
  readonly leaseMs?: number;
  /** Hubs can reach us: feeds that name one are pushed, and polled seldom. Default: no. */
  readonly hasHubs?: boolean;
}

/** What fetching a feed needs. */
export interface FeedWork extends FeedRunParts {
  readonly items: ItemStore;
  readonly random: () => number;
  readonly leaseMs: number;
}

/** The feed went to another worker, which fetches it: what this one has read is dropped. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}
