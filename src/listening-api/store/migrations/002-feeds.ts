import type { Migration } from "./migration.ts";

/** What public feeds bring: when each is fetched next, and which of their items are known. */
const FEEDS = `
  -- One thing to fetch, such as one RSS address. All moments are of the database's clock.
  create table local_api.feed (
    project_id bigint not null references local_api.project,
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
    failures integer not null default 0,
    tried_at timestamptz,
    -- The last fetch that succeeded, and the last new item.
    heard_at timestamptz,
    item_at timestamptz,
    -- Why the last fetch failed, in words.
    problem text,
    -- The cursor of the kind, and the validators of conditional requests.
    state jsonb not null default '{}',
    -- The day (UTC) of the two counts.
    counted_on date,
    items_today integer not null default 0,
    matched_today integer not null default 0,
    primary key (project_id, key)
  );
  create index feed_by_due on local_api.feed (next_at) where next_at is not null;
  -- Shared by all feeds of a host: when it may be asked next.
  create table local_api.feed_host (
    host text collate "C" primary key,
    next_at timestamptz not null
  );
  -- An item that was heard, without its content; that is in local_api.mention. It stays as long as its feed shows it,
  -- else an old item of a feed would be new again after the retention. With deleted_at it is a tombstone, which may
  -- have come before the item itself.
  create table local_api.heard_item (
    project_id bigint not null references local_api.project,
    -- Hash of kind, scope and native id.
    id_key bytea not null,
    -- Hash of address, title and text: finds an item again whose id has changed, and shows an edit.
    content_key bytea,
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
    primary key (project_id, id_key)
  );
  create index heard_item_by_content on local_api.heard_item (project_id, content_key) where content_key is not null;
  create index heard_item_by_resource on local_api.heard_item (project_id, resource_id);
  create index heard_item_by_day on local_api.heard_item (seen_on);
`;

export const feeds: Migration = { name: "002-feeds", statements: FEEDS };
