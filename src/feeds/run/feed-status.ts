import { formatDuration } from "../../lib/duration.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../lib/instant.ts";
import { isStream } from "../kinds/all-kinds.ts";
import type { FeedGap, FeedRow } from "../store/feeds.ts";
import { CIRCUIT_OPENS_AT } from "./decide-next.ts";

/** In one word, what a feed does. */
type FeedState =
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

interface FeedStatus {
  readonly state: FeedState;
  /** Why it is silent, and what to do; null: it is not. */
  readonly why: string | null;
  /** Since when it has not answered, if that is longer than its interval allows; else null. */
  readonly silentSince: Instant | null;
}

/** A feed without a new item for this long may have moved, or ended. */
const QUIET_MS = 30 * DAY;

/** A stream has something every few seconds, and a silent one is opened anew after two minutes. */
const STREAM_MAY_BE_SILENT_MS = 10 * MINUTE;
/** A feed may be this much later than its interval says: a server that is away for a while is no news. */
const MAY_BE_LATE_MS = { least: 30 * MINUTE, most: 2 * HOUR };

/** What a feed does, and why it brings nothing. Pure; moments are of the database's clock. */
export function feedStatus(feed: FeedRow, now: Instant): FeedStatus {
  const since = silentSince(feed, now);
  const { state, why } = stateOf(feed, now);
  const silence = since === null ? null : `nothing came for ${formatDuration(now - since)}`;
  return { state, why: why ?? silence, silentSince: since };
}

/** An answer without a new item counts: many feeds have nothing new for weeks. */
function silentSince(feed: FeedRow, now: Instant): Instant | null {
  const { isConfigured, everyMs, nextAt, problem, addedAt, receivedAt } = feed;
  // Others push to it, whenever they like.
  if (!isConfigured || everyMs === 0) return null;
  const hasAnswered = receivedAt !== null && receivedAt >= addedAt;
  const last = hasAnswered ? receivedAt : addedAt;
  if (problem !== null && nextAt === null) return last;
  if (isStream(feed)) return now - last > STREAM_MAY_BE_SILENT_MS ? last : null;
  // Without a problem it may be asked later than usual, because its server wants to be left alone for a while.
  const plannedAt = problem === null ? (nextAt ?? 0) : 0;
  const expectedAt = Math.max(last + (hasAnswered ? everyMs : 0), plannedAt);
  const mayBeLateMs = Math.min(Math.max(everyMs, MAY_BE_LATE_MS.least), MAY_BE_LATE_MS.most);
  return now - expectedAt > mayBeLateMs ? last : null;
}

function stateOf(feed: FeedRow, now: Instant): Pick<FeedStatus, "state" | "why"> {
  const { receivedAt, itemAt, triedAt, nextAt, everyMs, failures, problem, readings, leftOut } = feed;
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
  if (problem !== null && readings > 0)
    return {
      state: "failing",
      why: `${problem}; attempt ${readings}, and each waits longer than the one before`,
    };
  if (problem !== null && failures >= CIRCUIT_OPENS_AT && !isStream(feed))
    return { state: "paused", why: `${problem}; ${failures} failures in a row, so it is tried seldom` };
  if (problem !== null) return { state: "failing", why: `${problem}; failure ${failures} in a row` };
  // The process that read it ended, and nobody else knows why.
  if (readings > 0 && !feed.isFetchedNow)
    return {
      state: "failing",
      why: `its answer began to be read, and that did not end: the process ended meanwhile (attempt ${readings}); it is tried again, later each time`,
    };
  if (triedAt === null)
    return { state: "waiting", why: "it was not fetched yet: does a process with the role poll run?" };
  if (feed.isFetchedNow && isStream(feed)) return listening(feed, now);
  if (feed.isFetchedNow) return { state: "fetching", why: null };
  if (nextAt !== null && now - nextAt > Math.max(5 * MINUTE, everyMs))
    return { state: "late", why: "it is due and nobody fetches it: does a process with the role poll run?" };
  if (leftOut !== null) return { state: "ok", why: leftOut };
  if (itemAt === null)
    return { state: "quiet", why: "it answers, and has had no item yet that is recent enough" };
  if (now - itemAt > QUIET_MS)
    return {
      state: "quiet",
      why: `it answers, and its newest item is from ${formatDuration(now - itemAt)} ago`,
    };
  return { state: "ok", why: receivedAt === null ? "it has not answered yet" : null };
}

/** A stream that sends nothing is opened anew after a while; until then it may be a pause. */
function listening({ receivedAt, gap }: FeedRow, now: Instant): Pick<FeedStatus, "state" | "why"> {
  if (receivedAt === null) return { state: "listening", why: "it is open, and nothing came yet" };
  if (now - receivedAt > MINUTE)
    return {
      state: "listening",
      why: `it is open, and nothing came for ${formatDuration(now - receivedAt)}`,
    };
  return { state: "listening", why: gap === null ? null : gapText(gap) };
}

/** A gap for people. */
export function gapText({ from, to, reason }: FeedGap): string {
  const long = to - from < 1_000 ? "less than a second" : formatDuration(to - from);
  return `gap from ${toIso(from)} to ${toIso(to)} (${long}): ${reason}`;
}
