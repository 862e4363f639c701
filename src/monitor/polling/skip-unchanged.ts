import { HOUR, type Instant } from "../../lib/instant.ts";
import type { PollKey } from "../model/poll.ts";
import type { Source } from "../source/source-config.ts";
import type { ReadPoll } from "../store/polls.ts";
import type { Stores } from "../store/stores.ts";
import { nextPollAt } from "./finish-poll.ts";
import { everyMs } from "./poll-settings.ts";

/** How often the mentions of each query were written to, by query. */
export type RevisionsOf = (queryIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface SkipParts {
  readonly stores: Pick<Stores, "polls">;
  readonly source: Source;
  readonly revisionsOf: RevisionsOf;
  /** Of the configuration, and from when on it runs here. */
  readonly version: string | null;
  readonly openedAt: Instant;
}

/** Only our own Listening API says how often a query was written to; any other source is polled. */
export function createSkip({
  revisionsOf,
  ...parts
}: Omit<SkipParts, "revisionsOf"> & { readonly revisionsOf: RevisionsOf | undefined }) {
  if (revisionsOf === undefined || parts.source.name !== "feeds") return undefined;
  return (now: Instant) => skipUnchanged({ ...parts, revisionsOf }, now);
}

/**
 * Ends due polls of queries whose mentions were not written to since they were last read, as polls would that find
 * nothing, and returns them. All in one statement: thousands of quiet queries cost no more than one. The revisions are
 * read after the polls: whatever is written later is announced, and wakes its poll.
 */
export async function skipUnchanged(parts: SkipParts, now: Instant): Promise<readonly PollKey[]> {
  const { stores, source, revisionsOf } = parts;
  const due = await stores.polls.dueAndRead(now, source.name);
  if (due.length === 0) return [];
  const revisions = await revisionsOf([...new Set(due.map(({ queryId }) => queryId))]);
  const unchanged = due.filter((poll) => decideSkip(poll, revisions, parts, now) === "Skips");
  if (unchanged.length === 0) return [];
  return stores.polls.skip(
    unchanged.map((poll) => ({ ...poll, nextAt: nextPollAt(poll, now, everyMs(source, poll.poll)) })),
    { polledAt: now, completeUntil: now - source.settle },
  );
}

type SkipDecision =
  | "Skips"
  /** Its mentions were written to. */
  | "Changed"
  /** Its last poll ran by other rules, or before these began here: what they need is prepared by a poll. */
  | "OfAnotherVersion"
  /** A poll now and then shows that nothing is overlooked. */
  | "LongAgo";

export function decideSkip(
  { queryId, revision, readAt, version }: ReadPoll,
  revisions: ReadonlyMap<string, string>,
  runs: Pick<SkipParts, "version" | "openedAt">,
  now: Instant,
): SkipDecision {
  if (revisions.get(queryId) !== revision) return "Changed";
  if (version !== runs.version || readAt < runs.openedAt) return "OfAnotherVersion";
  return now - readAt < POLLED_AT_LEAST_MS ? "Skips" : "LongAgo";
}

const POLLED_AT_LEAST_MS = 6 * HOUR;
