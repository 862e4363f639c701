import type { Migration } from "./migration.ts";

export const writing: Migration = {
  name: "070-writing",
  statements: `
  alter table local_api.query
    add column description text not null default '',
    -- Empty: any language. Null: any source.
    add column languages text[] not null default '{}',
    add column content_sources text[],
    -- From when on its mentions are; null: from when it was made.
    add column start_date timestamptz,
    -- The name of its type that the program which made it used; null: today's.
    add column type_name text;
  -- Searches and filters that give the label: [{"filter": {…}}].
  alter table local_api.tag add column rules jsonb not null default '[]';
  alter table local_api.category add column rules jsonb not null default '[]';
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
`,
};
