import type { Migration } from "./migration.ts";

/** What streams need: whose an item is, which version of it is known, deletes of what is not stored, and gaps. */
export const streams: Migration = {
  name: "030-streams",
  statements: `
  -- Hash of the kind and the native id of the account: a removal of the account deletes its items. The revision rises
  -- with every change of an item at its source: a version that is delivered again does not replace a newer one.
  alter table local_api.heard_item add column author_key bytea, add column revision bigint;
  create index heard_item_by_author on local_api.heard_item (project_id, author_key) where author_key is not null;
  -- Items and accounts that a stream has deleted and that are not stored here: almost all of a network. For as long as
  -- a stream may deliver older events again, they are not stored. Only hashes.
  create table local_api.unseen_delete (
    project_id bigint not null references local_api.project on delete cascade,
    key bytea not null,
    deleted_at timestamptz not null default clock_timestamp(),
    primary key (project_id, key)
  );
  -- Time of which a stream has no events for us. Moments are of the host's events; noticed_at is of the database's clock.
  create table local_api.feed_gap (
    project_id bigint not null,
    key text collate "C" not null,
    from_at timestamptz not null,
    to_at timestamptz not null,
    reason text not null,
    noticed_at timestamptz not null default clock_timestamp(),
    foreign key (project_id, key) references local_api.feed on delete cascade
  );
  create index feed_gap_by_feed on local_api.feed_gap (project_id, key, noticed_at desc);
`,
};
