import type { Migration } from "./migration.ts";

/** Rules and signal groups of a project, saved date ranges and backfills of a query, and where a query looks. */
export const projectRules: Migration = {
  name: "080-project-rules",
  statements: `
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
  -- Ids of places to which the text is limited, and of those that are left out.
  alter table local_api.query add column included_locations text[] not null default '{}',
    add column excluded_locations text[] not null default '{}';
`,
};
