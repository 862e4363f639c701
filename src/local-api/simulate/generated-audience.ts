import type { MentionFields } from "../records/mention-record.ts";
import type { Post } from "./post.ts";
import { createRandom } from "./random.ts";

/** Likes of a post on X, which the record has no field for but an order and a filter know; null for other posts. */
export function likesOf(seed: string, post: Post): number | null {
  if (post.pageType !== "twitter" || post.repostOf !== null) return null;
  return createRandom(seed, "likes", post.key).poisson(
    Math.min(400, post.author.followers / 60 + 2 * post.reposts),
  );
}

/** Impact grows with the logarithm of the audience, from 0 to 100; reach is the share of it that looks. */
export function generatedAudience(seed: string, post: Post): Partial<MentionFields> {
  const random = createRandom(seed, "audience", post.key);
  const { author } = post;
  const audience = post.monthlyVisitors === null ? author.followers : post.monthlyVisitors / 30;
  const common = {
    impact: Math.min(100, Math.round(Math.log10(audience + 1) * 13 + random.next() * 9)),
    reachEstimate: Math.round(audience * (0.08 + random.next() * 0.2)),
    impressions: Math.round(audience * (0.3 + random.next() * 0.9)),
  };
  if (post.pageType === "twitter") {
    return {
      ...common,
      twitterAuthorId: String(random.whole(10_000_000, 4_000_000_000)),
      twitterFollowers: author.followers,
      twitterFollowing: author.following,
      twitterPostCount: author.posts,
      twitterReplyCount: random.poisson(1),
      twitterRetweets: post.reposts,
      twitterVerified: author.verified !== null,
    };
  }
  if (post.pageType === "instagram") {
    const likes = random.poisson(Math.min(400, author.followers / 30));
    const comments = random.poisson(2);
    return {
      ...common,
      instagramFollowerCount: author.followers,
      instagramFollowingCount: author.following,
      instagramPostCount: author.posts,
      instagramLikeCount: likes,
      instagramCommentCount: comments,
      instagramInteractionsCount: likes + comments,
    };
  }
  return common;
}
