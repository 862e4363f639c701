import type { Migration } from "./migration.ts";

export const labels: Migration = {
  name: "031-labels",
  statements: `
  create table local_api.tag (
    id bigint generated always as identity (start with 50001) primary key,
    project_id bigint not null references local_api.project,
    name text not null,
    unique (project_id, name)
  );
  -- Owner and sharing of a query group; empty means the project of the group alone.
  alter table local_api.query_group
    add column shared text not null default 'public',
    add column shared_project_ids bigint[] not null default '{}',
    add column user_id bigint references local_api.api_user;
`,
};
