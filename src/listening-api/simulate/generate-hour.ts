import { HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import { CRISIS_LASTS_MS, type Crisis, crisisPosts } from "./crisis.ts";
import { BRANDS, type Sentiment } from "./data.ts";
import { everydayPosts } from "./everyday-posts.ts";
import type { Post } from "./post.ts";
import { createRandom, type Random } from "./random.ts";

interface StreamPlan {
  readonly crises: readonly Crisis[];
}

/** A post with what the Listening API does to it: finds it, shows it, and sometimes thinks again. */
export interface GeneratedMention {
  readonly post: Post;
  /** When it was found: seconds later as a rule, hours later now and then. */
  readonly added: Instant;
  /** When the index shows it. */
  readonly visibleAt: Instant;
  /** Of the first judgement. */
  readonly firstSentiment: Sentiment;
  /** When it was corrected to the sentiment of the post; null when it was right at once. */
  readonly correctedAt: Instant | null;
}

/**
 * Everything that is published in the hour from `hourStart` (a full hour, UTC). Pure: the same seed, hour and plan
 * give the same mentions. Some are found and shown in later hours.
 */
export function generateHour(seed: string, hourStart: Instant, plan: StreamPlan): GeneratedMention[] {
  const hourEnd = hourStart + HOUR;
  const touching = plan.crises.filter(({ at }) => at < hourEnd && at + CRISIS_LASTS_MS + HOUR > hourStart);
  const posts = [
    ...BRANDS.flatMap((brand) => everydayPosts(seed, brand, hourStart)),
    ...touching.flatMap((crisis) => crisisPosts(seed, crisis)),
  ];
  return posts
    .filter(({ publishedAt }) => publishedAt >= hourStart && publishedAt < hourEnd)
    .sort((a, b) => a.publishedAt - b.publishedAt || (a.key < b.key ? -1 : 1))
    .map((post) => discover(post, createRandom(seed, "index", post.key)));
}

function discover(post: Post, random: Random): GeneratedMention {
  const isLate = random.chance(post.pageType === "twitter" ? 0.03 : 0.1);
  const crawlMs = isLate
    ? 10 * MINUTE + random.exponential(70 * MINUTE)
    : 3 * SECOND + random.exponential(post.pageType === "twitter" ? 12 * SECOND : 90 * SECOND);
  const indexMs = random.chance(0.04)
    ? MINUTE + random.exponential(MINUTE)
    : 2 * SECOND + random.exponential(8 * SECOND);
  const added = Math.floor(post.publishedAt + crawlMs);
  const visibleAt = Math.floor(added + Math.min(indexMs, 4 * MINUTE));
  const isMisjudged = random.chance(post.sentiment === "negative" ? 0.07 : 0.02);
  return {
    post,
    added,
    visibleAt,
    firstSentiment: isMisjudged ? otherThan(post.sentiment, random) : post.sentiment,
    correctedAt: isMisjudged ? Math.floor(visibleAt + 5 * MINUTE + random.exponential(40 * MINUTE)) : null,
  };
}

function otherThan(sentiment: Sentiment, random: Random): Sentiment {
  if (sentiment !== "neutral") return "neutral";
  return random.chance(0.5) ? "negative" : "positive";
}
