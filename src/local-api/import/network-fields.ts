import type { MentionFields } from "../records/mention-record.ts";
import type { ImportLine } from "./import-line.ts";

/** Maps counts that a file gives without a network to the fields of the post's network. */
export function networkFields(line: ImportLine, pageType: string): Partial<MentionFields> {
  return FIELDS[pageType]?.(line) ?? {};
}

const FIELDS: Readonly<Record<string, (line: ImportLine) => Partial<MentionFields>>> = {
  twitter: ({ authorId, followers, following, posts, replies, comments, retweets, shares, verified }) => ({
    twitterAuthorId: authorId ?? null,
    twitterFollowers: followers ?? null,
    twitterFollowing: following ?? null,
    twitterPostCount: posts ?? null,
    twitterReplyCount: replies ?? comments ?? null,
    twitterRetweets: retweets ?? shares ?? null,
    twitterVerified: verified ?? null,
  }),
  facebook: ({ authorId, comments, likes, shares }) => ({
    facebookAuthorId: authorId ?? null,
    facebookComments: comments ?? null,
    facebookLikes: likes ?? null,
    facebookShares: shares ?? null,
  }),
  instagram: ({ comments, followers, following, likes, posts }) => ({
    instagramCommentCount: comments ?? null,
    instagramFollowerCount: followers ?? null,
    instagramFollowingCount: following ?? null,
    instagramLikeCount: likes ?? null,
    instagramPostCount: posts ?? null,
    instagramInteractionsCount: likes == null && comments == null ? null : (likes ?? 0) + (comments ?? 0),
  }),
  linkedin: ({ comments, likes, shares, views }) => ({
    linkedinComments: comments ?? null,
    linkedinLikes: likes ?? null,
    linkedinShares: shares ?? null,
    linkedinVideoViews: views ?? null,
  }),
  tiktok: ({ comments, likes, shares }) => ({
    tiktokComments: comments ?? null,
    tiktokLikes: likes ?? null,
    tiktokShares: shares ?? null,
  }),
  bluesky: ({
    authorId,
    followers,
    following,
    likes,
    posts,
    quotes,
    replies,
    comments,
    retweets,
    shares,
  }) => ({
    blueskyAuthorId: authorId ?? null,
    blueskyFollowers: followers ?? null,
    blueskyFollowing: following ?? null,
    blueskyLikes: likes ?? null,
    blueskyPosts: posts ?? null,
    blueskyQuotes: quotes ?? null,
    blueskyReplies: replies ?? comments ?? null,
    blueskyReposts: retweets ?? shares ?? null,
  }),
};
