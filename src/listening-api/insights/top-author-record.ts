import type { TopAuthor } from "../store/top-authors.ts";

/**
 * One entry of the top authors. Documented: all of `data` in the current version, which is the first field because
 * clients exist that take the first; `id`, `name` and `values` come from the earlier version, where `value` is null.
 * Chosen: an author is a name on a domain; `reachEstimate`, comments, likes, replies and retweets are summed over the
 * author's mentions, audience numbers are the largest seen, `impact` too; what mentions do not say is null, counts 0.
 */
export function topAuthorRecord(author: TopAuthor, queryNames: ReadonlyMap<number, string>) {
  return {
    data: {
      volume: author.volume,
      monthlyVisitors: author.monthlyVisitors,
      countryName: author.countryName,
      countryCode: author.countryCode,
      authorName: author.author,
      authorGender: author.gender,
      authorAccountType: author.accountType,
      authorVerifiedType: author.verifiedType,
      domain: author.domain,
      authorProfessions: author.professions,
      authorInterest: author.interest,
      sentiment: { negative: author.negative, neutral: author.neutral, positive: author.positive },
      authorVolume: author.volume,
      reachEstimate: author.reachEstimate,
      impressions: author.impressions,
      impact: author.impact,
      facebookAuthorId: author.facebookAuthorId,
      facebookComments: author.facebookComments,
      facebookLikes: author.facebookLikes,
      facebookPosts: author.facebookPosts,
      facebookShares: author.facebookShares,
      twitterAuthorId: author.twitterAuthorId,
      twitterFollowers: author.twitterFollowers,
      twitterFollowing: author.twitterFollowing,
      twitterTweets: author.twitterPostCount,
      twitterRetweets: author.twitterRetweets,
      twitterVerified: author.twitterVerified,
      twitterReplyCount: author.twitterReplyCount,
    },
    id: author.domain === null ? author.author : `${author.author}-${author.domain}`,
    name: author.author,
    values: author.queryIds.map((id) => ({
      id,
      name: queryNames.get(id) ?? String(id),
      value: null,
      data: {},
    })),
  };
}

/** One entry of the top sites: the same `data`, with the author of most of its mentions. */
export function topSiteRecord(site: TopAuthor, queryNames: ReadonlyMap<number, string>) {
  const { data, values } = topAuthorRecord(site, queryNames);
  const name = site.domain ?? "";
  return { data: { ...data, authorName: site.author === "" ? null : site.author }, id: name, name, values };
}
