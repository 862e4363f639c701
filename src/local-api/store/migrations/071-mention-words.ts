import type { Migration } from "./migration.ts";

export const mentionWords: Migration = {
  name: "071-mention-words",
  statements: `
  -- The words of title and text as the query language splits and folds them, not as PostgreSQL would; see
  -- mention-words.ts. Null only until fill-words.ts has been there.
  alter table local_api.mention add column words tsvector;
  create index mention_by_words on local_api.mention using gin (words);
  -- What a search found that the words alone cannot decide. Lost with a crash, and found again when somebody asks.
  create unlogged table local_api.search (
    id bigint generated always as identity primary key,
    -- A hash of the text and the range.
    key bytea not null,
    -- That of the queries when it was looked for.
    revision text not null,
    used_at timestamptz not null default clock_timestamp()
  );
  create index search_by_key on local_api.search (key);
  create unlogged table local_api.search_hit (
    search_id bigint not null,
    query_id bigint not null,
    resource_id text collate "C" not null,
    version integer not null,
    primary key (search_id, query_id, resource_id, version)
  );
`,
};
