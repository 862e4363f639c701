import type { Migration } from "./migration.ts";

export const accounts: Migration = {
  name: "001-accounts",
  statements: `
  create table local_api.client (
    id bigint generated always as identity (start with 1001) primary key,
    name text not null unique,
    tags jsonb not null default '{}',
    created_at timestamptz not null
  );
  create table local_api.api_user (
    id bigint generated always as identity (start with 5001) primary key,
    username text not null unique,
    password_hash text not null,
    first_name text not null default '',
    last_name text not null default '',
    created_at timestamptz not null
  );
  -- One login may belong to several clients; the role is that of the login inside the client.
  create table local_api.membership (
    user_id bigint not null references local_api.api_user,
    client_id bigint not null references local_api.client,
    role text not null,
    primary key (user_id, client_id)
  );
  create table local_api.token (
    hash bytea primary key,
    user_id bigint not null references local_api.api_user,
    client_id bigint not null references local_api.client,
    expires_at timestamptz not null
  );
  create table local_api.api_call (
    client_id bigint not null references local_api.client,
    called_at timestamptz not null
  );
  create index on local_api.api_call (client_id, called_at);
`,
};
