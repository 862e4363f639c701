import { formatDuration } from "../../lib/duration.ts";
import { DAY, type Instant, MINUTE, toIso } from "../../lib/instant.ts";
import type { FeedGap, FeedRow } from "../../local-api/store/feeds.ts";
import { CIRCUIT_OPENS_AT } from "./decide-next.ts";
import { isStream } from "./kinds.ts";

/** In one word, what a feed does. */
export type FeedState =
  | "not configured"
  | "waiting"
  | "fetching"
  | "listening"
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
  if (problem !== null && failures >= CIRCUIT_OPENS_AT && !isStream(feed))
    return { state: "paused", why: `${problem}; ${failures} failures in a row, so it is tried seldom` };
  if (problem !== null) return { state: "failing", why: `${problem}; failure ${failures} in a row` };
  if (triedAt === null)
    return { state: "waiting", why: "it was not fetched yet: does a process with the role poll run?" };
  if (feed.isFetchedNow && isStream(feed)) return listening(feed, now);
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

/** A stream that sends nothing is opened anew after a while; until then it may be a pause. */
function listening({ heardAt, gap }: FeedRow, now: Instant): FeedStatus {
  if (heardAt === null) return { state: "listening", why: "it is open, and nothing came yet" };
  if (now - heardAt > MINUTE)
    return { state: "listening", why: `it is open, and nothing came for ${formatDuration(now - heardAt)}` };
  return { state: "listening", why: gap === null ? null : gapText(gap) };
}

/** A gap for people. */
export function gapText({ from, to, reason }: FeedGap): string {
  const long = to - from < 1_000 ? "less than a second" : formatDuration(to - from);
  return `gap from ${toIso(from)} to ${toIso(to)} (${long}): ${reason}`;
}
