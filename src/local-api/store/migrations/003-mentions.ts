import type { Migration } from "./migration.ts";

export const mentions: Migration = {
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
};
