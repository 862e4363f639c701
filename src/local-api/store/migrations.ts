/**
 * The schema, in the order in which it grew. A migration that has been published is never edited. PostgreSQL keeps
 * the names of those that ran in `local_api.migration`.
 */
export const MIGRATIONS: readonly { readonly name: string; readonly statements: string }[] = [
  {
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
  },
  {
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
  },
  {
    name: "003-mentions",
    statements: `
      -- The fields about which a kind of mention is silent, as the end of a JSON object.
      create table local_api.record_shape (
        id bigint primary key,
        silence text not null
      );
      -- A row is one version of a mention, shown from visible_at until superseded_at. said and the silence of its
      -- shape make the wire record as JSON text: serving a page is concatenation. The other columns are what filters,
      -- orders and counts need. date is never null here: where the source withholds it, added stands in.
      create table local_api.mention (
        query_id bigint not null references local_api.query,
        resource_id text collate "C" not null,
        version integer not null,
        id bigint not null,
        date timestamptz not null,
        added timestamptz not null,
        updated timestamptz not null,
        visible_at timestamptz not null,
        superseded_at timestamptz not null default 'infinity',
        impact integer not null,
        sentiment text,
        page_type text,
        language text,
        author text,
        backfilled boolean not null default false,
        categories bigint[] not null default '{}',
        tags bigint[] not null default '{}',
        shape_id bigint not null,
        said text not null,
        full_text text,
        primary key (query_id, resource_id, version)
      );
      create index mention_by_added on local_api.mention (query_id, added, resource_id);
      create index mention_by_updated on local_api.mention (query_id, updated, resource_id);
      create index mention_by_impact on local_api.mention (query_id, impact, resource_id);
      create index mention_by_date on local_api.mention (query_id, date, resource_id)
        include (visible_at, superseded_at, id);
      create index mention_by_visible_at on local_api.mention (query_id, visible_at);
      create index mention_by_superseded_at on local_api.mention (query_id, superseded_at)
        where superseded_at < 'infinity';
    `,
  },
  {
    name: "004-stream-hours",
    statements: `
      -- The hours of a generated stream that are in the mention table already.
      create table local_api.stream_hour (
        project_id bigint not null references local_api.project,
        seed text not null,
        hour timestamptz not null,
        primary key (project_id, seed, hour)
      );
    `,
  },
];
