import type { Migration } from "#listening-api";

/** When each feed is fetched next, and what people should know of it. */
export const schema: Migration = {
  name: "001-schema",
  statements: `
  -- One thing to fetch, such as one RSS address. All moments are of the database's clock.
  create table feeds.feed (
    project_id bigint not null references local_api.project on delete cascade,
    -- Made of its kind and what it reads, so that it is the same after a restart.
    key text collate "C" not null,
    kind text not null,
    name text not null,
    host text not null,
    every_ms bigint not null,
    -- Whether the configuration of the last start has it.
    is_configured boolean not null default true,
    -- Null: it is not fetched, because it is pushed or its address is gone for good.
    next_at timestamptz,
    -- Who fetches it now, and until when nobody else may.
    lease uuid,
    lease_until timestamptz,
    -- A hub asked for it while it was being fetched: it is due when that ends.
    woken boolean not null default false,
    failures integer not null default 0,
    tried_at timestamptz,
    -- The last fetch that succeeded, and the last new item.
    received_at timestamptz,
    item_at timestamptz,
    -- Why the last fetch failed, in words.
    problem text,
    -- The cursor of the kind, and the validators of conditional requests.
    state jsonb not null default '{}',
    -- The day (UTC) of the two counts.
    counted_on date,
    items_today integer not null default 0,
    matched_today integer not null default 0,
    -- Since when the configuration has it: one that never answered is silent since then.
    added_at timestamptz not null default now(),
    -- What of it is being read, and how often that has begun without an end: it may have ended the process.
    reading text,
    readings integer not null default 0,
    -- What the last fetch has left out.
    left_out text,
    -- What people should know of it, in sentences by their subject.
    notes jsonb not null default '{}',
    primary key (project_id, key)
  );
  create index feed_by_due on feeds.feed (next_at) where next_at is not null;
  -- Shared by all feeds of a host: when it may be asked next.
  create table feeds.host (
    host text collate "C" primary key,
    next_at timestamptz not null
  );
  -- Time of which a stream has no events for us. Moments are of the host's events; noticed_at is of the database's clock.
  create table feeds.gap (
    project_id bigint not null,
    key text collate "C" not null,
    from_at timestamptz not null,
    to_at timestamptz not null,
    reason text not null,
    noticed_at timestamptz not null default clock_timestamp(),
    foreign key (project_id, key) references feeds.feed on delete cascade
  );
  create index gap_by_feed on feeds.gap (project_id, key, noticed_at desc);
  -- The hub of a feed (WebSub), which pushes what is new. The secret signs what it pushes.
  create table feeds.hub (
    project_id bigint not null,
    key text collate "C" not null,
    -- In the address that the hub calls: nobody else knows it.
    id text collate "C" not null unique,
    hub text not null,
    topic text not null,
    -- The address that its document came from.
    base text not null,
    secret text not null,
    -- The address of the console that it was given last.
    callback text,
    -- When it was last asked to push, when it is asked next, and how often in a row it was, without a word from it.
    asked_at timestamptz,
    next_at timestamptz not null default now(),
    attempts integer not null default 0,
    -- Until then it pushes. Null: it has not agreed.
    lease_until timestamptz,
    problem text,
    pushed_at timestamptz,
    primary key (project_id, key),
    foreign key (project_id, key) references feeds.feed on delete cascade
  );
`,
};
