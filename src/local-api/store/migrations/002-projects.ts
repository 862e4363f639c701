import type { Migration } from "./migration.ts";

export const projects: Migration = {
  name: "002-projects",
  statements: `
  create table local_api.project (
    id bigint generated always as identity (start with 1998001) primary key,
    client_id bigint not null references local_api.client,
    name text not null,
    description text not null default '',
    timezone text not null default 'Etc/UTC',
    default_language text not null default 'en',
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
    unique (project_id, name)
  );
  create table local_api.query_group (
    id bigint generated always as identity (start with 3001) primary key,
    project_id bigint not null references local_api.project,
    name text not null,
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
    unique nulls not distinct (project_id, parent_id, name)
  );
`,
};
