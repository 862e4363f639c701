import type { Migration } from "./migration.ts";

export const mentionRows: Migration = {
  name: "010-mention-rows",
  statements: `
  -- The rows move when all migrations have run, see move-unpartitioned.ts.
  alter table local_api.mention rename to mention_unpartitioned;
  alter table local_api.mention_unpartitioned rename constraint mention_pkey to mention_unpartitioned_pkey;
  drop index local_api.mention_by_added, local_api.mention_by_updated, local_api.mention_by_impact,
    local_api.mention_by_date, local_api.mention_by_visible_at, local_api.mention_by_superseded_at;

  -- A row is one version of a mention, shown from visible_at until superseded_at. said and the silence of its
  -- shape make the wire record as JSON text. The other columns are what filters, orders and counts need; a null
  -- costs a bit. date is never null here: where the source withholds it, added stands in and date_known is false.
  -- No foreign key to the query: attaching a month would have to lock every query; the writer checks instead.
  create table local_api.mention (
    date timestamptz not null,
    added timestamptz not null,
    updated timestamptz not null,
    visible_at timestamptz not null,
    superseded_at timestamptz not null default 'infinity',
    query_id bigint not null,
    id bigint not null,
    shape_id bigint not null,
    version integer not null,
    date_known boolean not null default true,
    backfilled boolean not null default false,
    checked boolean not null default false,
    starred boolean not null default false,
    resource_id text collate "C" not null,
    sentiment text collate "C",
    page_type text collate "C",
    language text collate "C",
    author text collate "C",
    impact bigint,
    impressions bigint,
    reach_estimate bigint,
    monthly_visitors bigint,
    categories bigint[] not null default '{}',
    parent_categories bigint[] not null default '{}',
    tags bigint[] not null default '{}',
    resource_type text collate "C",
    subtype text collate "C",
    title text collate "C",
    url text collate "C",
    domain text collate "C",
    weblog_title text collate "C",
    thread_id text collate "C",
    thread_author text collate "C",
    thread_entry_type text collate "C",
    reply_to text collate "C",
    retweet_of text collate "C",
    replied_author text collate "C",
    shared_author text collate "C",
    fullname text collate "C",
    gender text collate "C",
    account_type text collate "C",
    author_verified_type text collate "C",
    interest text[] collate "C",
    profession text[] collate "C",
    classifications text[] collate "C",
    assignment text collate "C",
    last_assignment_date timestamptz,
    status text collate "C",
    priority text collate "C",
    city text collate "C",
    city_code text collate "C",
    region text collate "C",
    region_code text collate "C",
    country text collate "C",
    country_code text collate "C",
    continent text collate "C",
    continent_code text collate "C",
    location_name text collate "C",
    latitude double precision,
    longitude double precision,
    insights_hashtag text[] collate "C",
    insights_mentioned text[] collate "C",
    insights_url text[] collate "C",
    insights_shared_site text[] collate "C",
    insights_emoji text[] collate "C",
    insights_emoticon text[] collate "C",
    logo_groups bigint[],
    logo_versions bigint[],
    twitter_author_id text collate "C",
    twitter_role text collate "C",
    twitter_verified boolean,
    twitter_followers bigint,
    twitter_following bigint,
    twitter_post_count bigint,
    twitter_reply_count bigint,
    twitter_retweets bigint,
    twitter_like_count bigint,
    facebook_author_id text collate "C",
    facebook_role text collate "C",
    facebook_subtype text collate "C",
    facebook_comments bigint,
    facebook_likes bigint,
    facebook_shares bigint,
    instagram_comment_count bigint,
    instagram_follower_count bigint,
    instagram_following_count bigint,
    instagram_interactions_count bigint,
    instagram_like_count bigint,
    instagram_post_count bigint,
    linkedin_comments bigint,
    linkedin_engagement bigint,
    linkedin_impressions bigint,
    linkedin_likes bigint,
    linkedin_shares bigint,
    linkedin_video_views bigint,
    said text not null,
    full_text text,
    primary key (query_id, resource_id, version, date)
  ) partition by range (date);
  create index mention_by_added on local_api.mention (query_id, added, resource_id);
  create index mention_by_updated on local_api.mention (query_id, updated, resource_id);
  create index mention_by_impact on local_api.mention
    (query_id, coalesce(impact, '-9007199254740991'::bigint), resource_id);
  create index mention_by_date on local_api.mention (query_id, date, resource_id)
    include (visible_at, superseded_at, id);
  create index mention_by_visible_at on local_api.mention (query_id, visible_at);
  create index mention_by_superseded_at on local_api.mention (query_id, superseded_at)
    where superseded_at < 'infinity';

  -- Months are made when their first mention arrives (mention-months.ts); what is older or younger than these
  -- hundred years shares a table.
  create table local_api.mention_early partition of local_api.mention
    for values from (minvalue) to ('2000-01-01 00:00:00+00') with (toast_tuple_target = 8160);
  create table local_api.mention_late partition of local_api.mention
    for values from ('2100-01-01 00:00:00+00') to (maxvalue) with (toast_tuple_target = 8160);
`,
};
