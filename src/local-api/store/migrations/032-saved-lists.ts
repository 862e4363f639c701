import type { Migration } from "./migration.ts";

export const savedLists: Migration = {
  name: "032-saved-lists",
  statements: `
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
`,
};
