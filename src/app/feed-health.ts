import { feedStatus, isStream } from "#feeds";
import type { FeedRow } from "#listening-api";
import type { FeedHealth } from "#monitor";
import type { Instant } from "../lib/instant.ts";

/** A feed, as the health checks of the monitor know it. */
export function feedHealth(feed: FeedRow, now: Instant): FeedHealth {
  const { key, name, receivedAt, gap } = feed;
  const { state, why, silentSince: since } = feedStatus(feed, now);
  return {
    ...{ key, name, state, why },
    everyMs: isStream(feed) ? null : feed.everyMs,
    receivedAgoMs: receivedAt === null ? null : now - receivedAt,
    silentForMs: since === null ? null : now - since,
    gap: gap === null ? null : { ...gap, noticedAgoMs: now - gap.noticedAt },
  };
}
