import type { Migration } from "./migration.ts";

/** Clients, logins, tokens, calls. */
const ACCOUNTS = `
  create table local_api.client (
    id bigint generated always as identity (start with 1001) primary key,
    name text not null unique,
    tags jsonb not null default '{}',
    created_at timestamptz not null,
    -- Fields of the client record that somebody has set; the record says what stands there otherwise.
    details jsonb not null default '{}'
  );
  create table local_api.api_user (
    id bigint generated always as identity (start with 5001) primary key,
    username text not null unique,
    password_hash text not null,
    first_name text not null default '',
    last_name text not null default '',
    created_at timestamptz not null,
    token_lifetime_seconds integer,
    -- Calls and minutes, such as 60/1; null: only the limit of its client.
    rate_limit text
  );
  -- A login name is the same in capitals: it is usually an address.
  create unique index api_user_by_name on local_api.api_user (lower(username));
  -- One login may belong to several clients; the role is that of the login inside the client.
  create table local_api.membership (
    user_id bigint not null references local_api.api_user,
    client_id bigint not null references local_api.client,
    role text not null,
    primary key (user_id, client_id)
  );
  create index membership_by_client on local_api.membership (client_id, user_id);
  create table local_api.token (
    hash bytea primary key,
    user_id bigint not null references local_api.api_user,
    client_id bigint not null references local_api.client,
    expires_at timestamptz not null,
    issued_at timestamptz not null default now()
  );
  create index token_by_user on local_api.token (user_id, client_id);
  create table local_api.api_call (
    client_id bigint not null references local_api.client,
    called_at timestamptz not null
  );
  create index on local_api.api_call (client_id, called_at);
  -- Logins that failed or are being checked. Subjects are hashes: people type passwords into the field for the name.
  create table local_api.login_attempt (
    id bigint generated always as identity primary key,
    subject bytea not null,
    attempted_at timestamptz not null default clock_timestamp()
  );
  create index login_attempt_by_subject on local_api.login_attempt (subject, attempted_at);
  create index login_attempt_by_time on local_api.login_attempt (attempted_at);
  -- Notes one call of a client and gives the number of its calls in the rolling period that ends with it. One call
  -- of a client at a time, and its calls never go back in time, whatever the clocks of the server processes say: so
  -- no two processes can both take the last call. Without a moment, the database's clock counts. Of the calls only
  -- the latest are kept, so that a caller who does not stop makes nobody count long; the number ends there too.
  create function local_api.record_call(of_client bigint, at timestamptz, period interval, kept integer)
    returns bigint
  language plpgsql volatile as $$
  declare
    moment timestamptz;
    used bigint;
  begin
    perform pg_advisory_xact_lock(4178, of_client::integer);
    moment := coalesce(at, clock_timestamp());
    -- A clock that was set back by more than the period: a demo or a replay has begun anew.
    delete from local_api.api_call where client_id = of_client and called_at > moment + period;
    select greatest(moment, max(called_at)) into moment from local_api.api_call where client_id = of_client;
    delete from local_api.api_call where client_id = of_client and called_at <= moment - period;
    insert into local_api.api_call (client_id, called_at) values (of_client, moment);
    select count(*) into used from local_api.api_call where client_id = of_client;
    if used > kept then
      delete from local_api.api_call where ctid in (
        select ctid from local_api.api_call where client_id = of_client
        order by called_at limit used - kept);
    end if;
    return least(used, kept);
  end $$;
  -- What a login may call, beside what its client may.
  create table local_api.login_call (
    user_id bigint not null references local_api.api_user on delete cascade,
    called_at timestamptz not null
  );
  create index on local_api.login_call (user_id, called_at);
  create function local_api.record_login_call(of_user bigint, at timestamptz, period interval, kept integer)
    returns bigint
  language plpgsql volatile as $$
  declare
    moment timestamptz;
    used bigint;
  begin
    perform pg_advisory_xact_lock(4179, of_user::integer);
    moment := coalesce(at, clock_timestamp());
    delete from local_api.login_call where user_id = of_user and called_at > moment + period;
    select greatest(moment, max(called_at)) into moment from local_api.login_call where user_id = of_user;
    delete from local_api.login_call where user_id = of_user and called_at <= moment - period;
    insert into local_api.login_call (user_id, called_at) values (of_user, moment);
    select count(*) into used from local_api.login_call where user_id = of_user;
    if used > kept then
      delete from local_api.login_call where ctid in (
        select ctid from local_api.login_call where user_id = of_user
        order by called_at limit used - kept);
    end if;
    return least(used, kept);
  end $$;
`;

/** Projects, queries, groups, labels, lists. */
const PROJECTS = `
  create table local_api.project (
    id bigint generated always as identity (start with 1998001) primary key,
    client_id bigint not null references local_api.client,
    name text not null,
    description text not null default '',
    timezone text not null default 'Etc/UTC',
    default_language text not null default 'en',
    -- Null: as the client's tag says.
    data_policy text,
    -- The newest moment at which its mentions were written, and the newest one whose state a page was promised.
    written_at timestamptz not null default 'epoch',
    promised_at timestamptz not null default 'epoch',
    unique (client_id, name)
  );
  -- revision counts the writes to the query's mentions, so that a remembered total knows when it is old.
  create table local_api.query (
    id bigint generated always as identity (start with 2003001) primary key,
    project_id bigint not null references local_api.project,
    name text not null,
    type text not null default 'search string',
    created_at timestamptz not null,
    last_modified_at timestamptz not null,
    last_modified_username text not null,
    revision bigint not null default 0,
    -- What part of the mentions that match is kept.
    sample_percentage double precision not null default 100
      check (sample_percentage > 0 and sample_percentage <= 100),
    -- The Boolean text of a query of type "search string". Null: it has the mentions that were put into it by name.
    boolean_text text check (boolean_text is null or type = 'search string'),
    description text not null default '',
    -- Empty: any language. Null: any source.
    languages text[] not null default '{}',
    content_sources text[],
    -- From when on its mentions are; null: from when it was made.
    start_date timestamptz,
    -- The name of its type that the program which made it used; null: today's.
    type_name text,
    -- Ids of places to which the text is limited, and of those that are left out.
    included_locations text[] not null default '{}',
    excluded_locations text[] not null default '{}',
    unique (project_id, name)
  );
  create table local_api.query_group (
    id bigint generated always as identity (start with 3001) primary key,
    project_id bigint not null references local_api.project,
    name text not null,
    -- Owner and sharing; no projects means its own project alone.
    shared text not null default 'public',
    shared_project_ids bigint[] not null default '{}',
    user_id bigint references local_api.api_user,
    unique (project_id, name)
  );
  create table local_api.query_group_member (
    query_group_id bigint not null references local_api.query_group,
    query_id bigint not null references local_api.query,
    primary key (query_group_id, query_id)
  );
  create table local_api.category (
    id bigint generated always as identity (start with 40001) primary key,
    project_id bigint not null references local_api.project,
    parent_id bigint references local_api.category,
    name text not null,
    multiple boolean not null default true,
    ordering integer not null default 0,
    -- Searches and filters that give the category: [{"filter": {…}}].
    rules jsonb not null default '[]',
    unique nulls not distinct (project_id, parent_id, name)
  );
  create table local_api.tag (
    id bigint generated always as identity (start with 50001) primary key,
    project_id bigint not null references local_api.project,
    name text not null,
    -- Searches and filters that give the tag.
    rules jsonb not null default '[]',
    unique (project_id, name)
  );
  -- Site, author and location lists. They belong to the client and show in the projects that they are shared with.
  -- Names may repeat: the API makes a second list of a repeated request.
  create table local_api.saved_list (
    id bigint generated always as identity (start with 60001) primary key,
    client_id bigint not null references local_api.client,
    kind text not null check (kind in ('site', 'author', 'location')),
    name text not null,
    shared text not null check (shared in ('public', 'private')),
    shared_project_ids bigint[] not null,
    -- Domains, author names or location ids.
    entries text[] not null,
    user_id bigint not null references local_api.api_user
  );
  create index saved_list_by_client on local_api.saved_list (client_id, kind, id);
  create table local_api.rule (
    id bigint generated always as identity (start with 2008001) primary key,
    project_id bigint not null references local_api.project,
    name text not null,
    enabled boolean not null,
    -- Null: every query of the project.
    query_ids bigint[] check (cardinality(query_ids) > 0),
    filter jsonb not null,
    -- What it does, in the names of an edit; tags and subcategories by their ids.
    action jsonb not null,
    created_at timestamptz not null,
    creator text not null,
    last_modified_at timestamptz not null,
    modifier text not null,
    unique (project_id, name)
  );
  create table local_api.signal_group (
    id bigint generated always as identity (start with 70001) primary key,
    project_id bigint not null references local_api.project,
    name text not null,
    query_ids bigint[] not null check (cardinality(query_ids) > 0),
    include_tag_ids bigint[] not null,
    exclude_tag_ids bigint[] not null,
    -- Categories and subcategories.
    include_category_ids bigint[] not null,
    exclude_category_ids bigint[] not null,
    -- [{"emailAddress", "notificationThreshold"}]
    subscribers jsonb not null,
    unique (project_id, name)
  );
  create table local_api.date_range (
    id bigint generated always as identity (start with 80001) primary key,
    query_id bigint not null references local_api.query on delete cascade,
    name text not null,
    start_at timestamptz not null,
    end_at timestamptz not null,
    unique (query_id, name)
  );
  -- What looked back over stored mentions for a query.
  create table local_api.backfill (
    id bigint generated always as identity (start with 90001) primary key,
    query_id bigint not null references local_api.query on delete cascade,
    min_date timestamptz not null,
    max_date timestamptz not null,
    mentions bigint not null
  );
  create index backfill_by_query on local_api.backfill (query_id, id);
`;

/** Mentions and what finds them. */
const MENTIONS = `
  -- Capitals are alike in every language and on every server: by the rules of Unicode where PostgreSQL brings them
  -- (17 and later) or ICU does, else for the letters of ASCII alone.
  do $$
  declare
    source text;
  begin
    select collname into source from pg_collation
      where collnamespace = 'pg_catalog'::regnamespace and collname in ('pg_c_utf8', 'und-x-icu', 'C')
      and collencoding in (-1, (select encoding from pg_database where datname = current_database()))
      order by array_position(array['pg_c_utf8', 'und-x-icu', 'C'], collname::text) limit 1;
    execute format('create collation if not exists local_api.folding from pg_catalog.%I', source);
  end $$;
  -- The fields that are empty in a kind of mention, as the end of a JSON object.
  create table local_api.record_shape (
    id bigint primary key,
    empty_fields text not null
  );
  -- A row is one version of a mention, shown from visible_at until superseded_at. filled_fields and the empty_fields
  -- of its shape make the wire record as JSON text. The other columns are what filters, orders and counts need; a null
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
    filled_fields text not null,
    full_text text,
    -- The full text as a JSON string, only where full_text could not keep it as it was found.
    exact_text text,
    -- The words of title and text as the query language splits and folds them, not as PostgreSQL would; see
    -- mention-words.ts.
    words tsvector,
    primary key (query_id, resource_id, version, date)
  ) partition by range (date);
  create index mention_by_added on local_api.mention (query_id, added, resource_id);
  create index mention_by_updated on local_api.mention (query_id, updated, resource_id);
  create index mention_by_impact on local_api.mention
    (query_id, coalesce(impact, '-9007199254740991'::bigint), resource_id);
  -- It answers counts, the plainest charts and the bounds of an order alone, so it has what those ask for. The rows
  -- themselves are wide.
  create index mention_by_date on local_api.mention (query_id, date, resource_id)
    include (visible_at, superseded_at, id, added, updated, resource_type, sentiment, page_type);
  create index mention_by_visible_at on local_api.mention (query_id, visible_at);
  create index mention_by_superseded_at on local_api.mention (query_id, superseded_at)
    where superseded_at < 'infinity';
  create index mention_by_words on local_api.mention using gin (words);

  -- Months are made when their first mention arrives (mention-months.ts); what is older or younger than these
  -- hundred years shares a table.
  create table local_api.mention_early partition of local_api.mention
    for values from (minvalue) to ('2000-01-01 00:00:00+00') with (toast_tuple_target = 8160);
  create table local_api.mention_late partition of local_api.mention
    for values from ('2100-01-01 00:00:00+00') to (maxvalue) with (toast_tuple_target = 8160);
  -- What a search found that the words alone cannot decide. Lost with a crash, and found again when somebody asks.
  create unlogged table local_api.search (
    id bigint generated always as identity primary key,
    -- A hash of the text and the range.
    key bytea not null,
    -- That of the queries when it was looked for.
    revision text not null,
    used_at timestamptz not null default clock_timestamp()
  );
  create index search_by_key on local_api.search (key);
  create unlogged table local_api.search_hit (
    search_id bigint not null,
    query_id bigint not null,
    resource_id text collate "C" not null,
    version integer not null,
    primary key (search_id, query_id, resource_id, version)
  );
`;

/** Changes, imports, streams, faults, settings. */
const WORK = `
  -- Who changed what through the API. before: null for what was made; after: null for what was deleted.
  create table local_api.change (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    client_id bigint not null,
    user_id bigint not null,
    username text not null,
    project_id bigint not null,
    action text not null check (action in ('create', 'update', 'delete')),
    kind text not null,
    thing_id text not null,
    before jsonb,
    after jsonb
  );
  create index change_by_project on local_api.change (project_id, id);
  -- How far the import of a file has come that did not reach its end.
  create table local_api.import_progress (
    -- A hash of project, file and options.
    key bytea primary key,
    lines bigint not null,
    at timestamptz not null default clock_timestamp()
  );
  -- The hours of a generated stream that are in the mention table already.
  create table local_api.stream_hour (
    project_id bigint not null references local_api.project,
    seed text not null,
    hour timestamptz not null,
    primary key (project_id, seed, hour)
  );
  -- What goes wrong on request, in every process that serves these tables.
  create table local_api.fault (
    id bigint generated always as identity primary key,
    kind text not null,
    path text,
    probability double precision not null default 1,
    amount bigint,
    -- How often it still happens; null: until it is cleared.
    remaining integer,
    applied bigint not null default 0
  );
  -- What all processes have to agree on: the secret that signs cursors, the sample account.
  create table local_api.setting (
    name text primary key,
    value jsonb not null
  );
`;

/** What has arrived from outside, and what must not come back. */
const ARRIVALS = `
  -- A received item without its content; that is in local_api.mention. It stays as long as its feed shows it,
  -- else an old item of a feed would be new again after the retention. With deleted_at it is a tombstone, which may
  -- have come before the item itself.
  create table local_api.received_item (
    project_id bigint not null references local_api.project,
    -- Hash of kind, scope and native id.
    id_key bytea not null,
    -- Hash of address, title and text: finds an item again whose id has changed, and shows an edit.
    content_key bytea,
    -- Hash of its feed, the path of its page and its date: finds it again when its feed moves or gives new ids and titles.
    link_key bytea,
    resource_id text collate "C" not null,
    kind text not null,
    feed_key text collate "C",
    host text not null,
    native_id text not null,
    policy_version integer not null,
    fetched_at timestamptz not null default clock_timestamp(),
    seen_on date not null default current_date,
    edited_at timestamptz,
    deleted_at timestamptz,
    delete_reason text,
    -- How the item is asked for, where that is not by its id.
    reference text,
    -- When it is asked for again, for sources that do not say that it was deleted. Null: never.
    check_at timestamptz,
    -- Hash of the kind and the native id of the account: a removal of the account deletes its items. The revision rises
    -- with every change of an item at its source: a version that is delivered again does not replace a newer one.
    author_key bytea,
    revision bigint,
    -- Since when its page is gone, by the first witness; a second one a day later deletes it.
    gone_since timestamptz,
    -- Of a delete that nobody has said, but that was seen: until when it is undone if the feed shows the item again.
    may_return_until timestamptz,
    -- Of such a delete, what the item was: its mentions and its names, encrypted. Until then it can be undone; nobody sees it.
    sealed bytea,
    primary key (project_id, id_key)
  );
  create index received_item_by_content on local_api.received_item (project_id, content_key) where content_key is not null;
  create index received_item_by_link on local_api.received_item (project_id, link_key) where link_key is not null;
  create index received_item_by_resource on local_api.received_item (project_id, resource_id);
  create index received_item_by_day on local_api.received_item (seen_on);
  create index received_item_by_check on local_api.received_item (project_id, feed_key, check_at)
    where check_at is not null and deleted_at is null;
  create index received_item_sealed on local_api.received_item (may_return_until) where sealed is not null;
  create index received_item_by_author on local_api.received_item (project_id, author_key) where author_key is not null;
  -- Items and accounts that a stream has deleted and that are not stored here: almost all of a network. For as long as
  -- a stream may deliver older events again, they are not stored. Only hashes.
  create table local_api.unseen_delete (
    project_id bigint not null references local_api.project on delete cascade,
    key bytea not null,
    deleted_at timestamptz not null default clock_timestamp(),
    primary key (project_id, key)
  );
  -- Whose mentions are refused when they come only after somebody asked to forget them.
  create table local_api.forget_request (
    -- Of an author or an address, with a secret of these tables.
    asked bytea primary key,
    -- Mentions from before this moment are meant.
    at timestamptz not null
  );
`;

/** What waits for an analyser of texts, what analysers have answered, and how often they were asked. */
const ENRICHMENT = `
  -- A mention that waits for an answer. Queued in the transaction that stores the mention, deleted in the one that stores
  -- the answer. No foreign key: queries are deleted with their mentions, and what is left here is found to be gone.
  create table local_api.enrichment_job (
    query_id bigint not null,
    resource_id text collate "C" not null,
    kind text not null check (kind in ('sentiment', 'relevance', 'category')),
    due_at timestamptz not null default now(),
    attempts integer not null default 0,
    -- Of the worker that has it; null again when the mention is queued anew, so that an old answer does not end it.
    lease uuid,
    primary key (query_id, resource_id, kind)
  );
  create index enrichment_job_by_due_at on local_api.enrichment_job (due_at);
  -- Answers by a hash of what was asked, which is no content. The reason of a relevance may quote the text: whoever
  -- deletes a mention deletes the answers to its text, too.
  create table local_api.enrichment_answer (
    text_hash bytea not null,
    -- The analyser and its instructions.
    asked bytea not null,
    answer jsonb not null,
    at timestamptz not null default now(),
    primary key (text_hash, asked)
  );
  create index enrichment_answer_by_at on local_api.enrichment_answer (at);
  -- Calls of each day (UTC), of all processes together.
  create table local_api.enrichment_calls (
    day date not null,
    analyser text not null,
    calls integer not null,
    primary key (day, analyser)
  );
  -- What a query means, in plain words: the airline, not the river.
  create table local_api.query_about (
    query_id bigint primary key references local_api.query on delete cascade,
    about text not null
  );
`;

export const schema: Migration = {
  name: "001-schema",
  statements: ACCOUNTS + PROJECTS + MENTIONS + WORK + ARRIVALS + ENRICHMENT,
};
