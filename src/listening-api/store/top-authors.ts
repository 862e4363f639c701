import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { MentionField } from "../records/mention-fields.ts";
import type { Database } from "./database.ts";
import { fieldSql } from "./field-sql.ts";
import { type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";

/** What the mentions of one author on one domain show about the author. Sums are over the mentions. */
export interface TopAuthor {
  readonly author: string;
  readonly domain: string | null;
  readonly volume: number;
  readonly negative: number;
  readonly neutral: number;
  readonly positive: number;
  readonly reachEstimate: number;
  readonly impressions: number;
  readonly impact: number;
  /** Largest that was seen. */
  readonly monthlyVisitors: number;
  readonly twitterFollowers: number;
  readonly twitterFollowing: number;
  readonly twitterPostCount: number;
  readonly twitterReplyCount: number;
  readonly twitterRetweets: number;
  readonly twitterVerified: boolean;
  readonly facebookComments: number;
  readonly facebookLikes: number;
  readonly facebookPosts: number;
  readonly facebookShares: number;
  readonly countryName: string | null;
  readonly countryCode: string | null;
  readonly gender: string | null;
  readonly accountType: string | null;
  readonly verifiedType: string | null;
  readonly twitterAuthorId: string | null;
  readonly facebookAuthorId: string | null;
  readonly interest: readonly string[];
  readonly professions: readonly string[];
  readonly queryIds: readonly number[];
}

/**
 * Authors by volume, falling when `direction` is desc, equal ones by name and domain. Mentions without an author are
 * left out. The authors are chosen first, so that only their mentions are read for the other fields.
 */
export async function readTopAuthors(
  db: Database,
  {
    range,
    at,
    limit,
    direction,
    by = "author",
  }: {
    range: MentionRange;
    at: Instant;
    limit: number;
    direction: "asc" | "desc";
    /** An author on a site, or the site with all of its authors: then `author` is the one with most mentions there. */
    by?: "author" | "site";
  },
): Promise<TopAuthor[]> {
  if (range.queryIds.length === 0 || limit === 0) return [];
  const mentions = sql`local_api.mention m
    where m.query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${visibleSql(at)}
      and ${by === "author" ? sql`m.author <> ''` : sql`m.domain <> ''`}`;
  const who = by === "author" ? sql`m.author` : sql`''`;
  const { rows } = await sql<Row>`
    with top as materialized (
      select ${who} as author, coalesce(m.domain, '') as site from ${mentions}
      group by 1, 2 order by count(*) ${sql.raw(direction)}, 1, 2 limit ${limit}
    ), theirs as materialized (
      select ${READ_COLUMNS}, ${who} as author, m.author as writer, coalesce(m.domain, '') as site
      from ${mentions} and (${who}, coalesce(m.domain, '')) in (select author, site from top)
    ), interests as (
      select author, site, array_agg(distinct word) as words from theirs, unnest(interest) as word group by 1, 2
    ), professions as (
      select author, site, array_agg(distinct word) as words from theirs, unnest(profession) as word group by 1, 2
    ), facts as (
      select author, site, mode() within group (order by writer) as writer,
        array_agg(distinct query_id) as query_ids, ${sql.join(FACT_COLUMNS)}
      from theirs group by 1, 2
    )
    select facts.*, coalesce(interests.words, '{}') as interest, coalesce(professions.words, '{}') as professions
    from facts left join interests using (author, site) left join professions using (author, site)
    order by volume ${sql.raw(direction)}, author, site`.execute(db);
  return rows.map(toTopAuthor);
}

const NUMBERS = {
  volume: "count(*)",
  negative: "count(*) filter (where sentiment = 'negative')",
  neutral: "count(*) filter (where sentiment = 'neutral')",
  positive: "count(*) filter (where sentiment = 'positive')",
  reachEstimate: "coalesce(sum(reach_estimate), 0)",
  impressions: "coalesce(sum(impressions), 0)",
  impact: "coalesce(max(impact), 0)",
  monthlyVisitors: "coalesce(max(monthly_visitors), 0)",
  twitterFollowers: "coalesce(max(twitter_followers), 0)",
  twitterFollowing: "coalesce(max(twitter_following), 0)",
  twitterPostCount: "coalesce(max(twitter_post_count), 0)",
  twitterReplyCount: "coalesce(sum(twitter_reply_count), 0)",
  twitterRetweets: "coalesce(sum(twitter_retweets), 0)",
  facebookComments: "coalesce(sum(facebook_comments), 0)",
  facebookLikes: "coalesce(sum(facebook_likes), 0)",
  facebookPosts: "count(*) filter (where page_type = 'facebook')",
  facebookShares: "coalesce(sum(facebook_shares), 0)",
} as const;

/** What an author is, of which mentions should all say the same; where they do not, the last word in byte order. */
const WORDS = {
  countryName: "(max(array[country_code, country]) filter (where country_code is not null))[2]",
  countryCode: "max(country_code)",
  gender: "max(gender)",
  accountType: "max(account_type)",
  verifiedType: "max(author_verified_type)",
  twitterAuthorId: "max(twitter_author_id)",
  facebookAuthorId: "max(facebook_author_id)",
} as const;

/** Rows are wide, and the top authors may have written most of them: only what is needed is kept while they are read. */
const READ_FIELDS = [
  "queryId",
  "sentiment",
  "pageType",
  "reachEstimate",
  "impressions",
  "impact",
  "monthlyVisitors",
  "twitterFollowers",
  "twitterFollowing",
  "twitterPostCount",
  "twitterReplyCount",
  "twitterRetweets",
  "twitterVerified",
  "facebookComments",
  "facebookLikes",
  "facebookShares",
  "country",
  "countryCode",
  "gender",
  "accountType",
  "authorVerifiedType",
  "twitterAuthorId",
  "facebookAuthorId",
  "interest",
  "profession",
] as const satisfies readonly MentionField[];
const READ_COLUMNS = sql.join(READ_FIELDS.map((field) => fieldSql(field, "m")));

const FACT_COLUMNS = Object.entries({
  ...NUMBERS,
  ...WORDS,
  twitterVerified: "coalesce(bool_or(twitter_verified), false)",
}).map(([name, expression]) => sql`${sql.raw(expression)} as ${sql.id(name)}`);

type Row = { [Name in keyof typeof NUMBERS]: string } & { [Name in keyof typeof WORDS]: string | null } & {
  author: string;
  writer: string | null;
  site: string;
  twitterVerified: boolean;
  interest: string[];
  professions: string[];
  query_ids: string[];
};

function toTopAuthor({ query_ids: queryIds, site, writer, ...row }: Row): TopAuthor {
  const numbers = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];
  return {
    ...row,
    ...(Object.fromEntries(numbers.map((name) => [name, Number(row[name])])) as Record<
      keyof typeof NUMBERS,
      number
    >),
    author: row.author === "" ? (writer ?? "") : row.author,
    domain: site === "" ? null : site,
    queryIds: queryIds.map(Number),
  };
}
