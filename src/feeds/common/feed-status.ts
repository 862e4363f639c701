import { formatDuration } from "../../lib/duration.ts";
import { DAY, type Instant, MINUTE } from "../../lib/instant.ts";
import type { FeedRow } from "../../local-api/store/feeds.ts";
import { CIRCUIT_OPENS_AT } from "./decide-next.ts";

/** In one word, what a feed does. */
export type FeedState =
  | "not configured"
  | "waiting"
  | "fetching"
  | "ok"
  | "quiet"
  | "late"
  | "failing"
  | "paused"
  | "gone"
  | "open";

export interface FeedStatus {
  readonly state: FeedState;
  /** Why it is silent, and what to do; null: it is not. */
  readonly why: string | null;
}

/** A feed without a new item for this long may have moved, or ended. */
const QUIET_MS = 30 * DAY;

/** What a feed does, and why it brings nothing. Pure; moments are of the database's clock. */
export function feedStatus(feed: FeedRow, now: Instant): FeedStatus {
  const { heardAt, itemAt, triedAt, nextAt, everyMs, failures, problem } = feed;
  const isPushed = everyMs === 0;
  if (!feed.isConfigured)
    return { state: "not configured", why: "earshot.yaml has it no more; its mentions stay" };
  if (isPushed)
    return itemAt === null
      ? { state: "open", why: "nothing was sent to it yet: POST to /feeds/push of the console" }
      : { state: "open", why: null };
  if (nextAt === null && problem !== null)
    return {
      state: "gone",
      why: `${problem}; give it another address, or remove it. A restart tries it again`,
    };
  if (problem !== null && failures >= CIRCUIT_OPENS_AT)
    return { state: "paused", why: `${problem}; ${failures} failures in a row, so it is tried seldom` };
  if (problem !== null) return { state: "failing", why: `${problem}; failure ${failures} in a row` };
  if (triedAt === null)
    return { state: "waiting", why: "it was not fetched yet: does a process with the role poll run?" };
  if (feed.isFetchedNow) return { state: "fetching", why: null };
  if (nextAt !== null && now - nextAt > Math.max(5 * MINUTE, everyMs))
    return { state: "late", why: "it is due and nobody fetches it: does a process with the role poll run?" };
  if (itemAt === null)
    return { state: "quiet", why: "it answers, and has had no item yet that is recent enough" };
  if (now - itemAt > QUIET_MS)
    return {
      state: "quiet",
      why: `it answers, and its newest item is from ${formatDuration(now - itemAt)} ago`,
    };
  return { state: "ok", why: heardAt === null ? "it was not heard yet" : null };
}
