import { type Kysely, sql } from "kysely";

/** What deleted mentions leave behind: tombstones without content, and messages that are to be corrected. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}

const TABLES = `
-- A mention that was deleted. It may have come before the mention itself, and wins whatever comes later. The id is a
-- hash, because some sources use addresses as ids.
create table earshot.tombstones (
  project_id text not null,
  query_id text not null,
  resource bytea not null,
  -- For counts: the moment of the mention, as it was or as the source says it.
  event_at timestamptz not null,
  at timestamptz not null,
  -- 'source': the source said so; 'request': somebody asked Earshot to forget it.
  reason text not null check (reason in ('source', 'request')),
  primary key (project_id, query_id, resource)
);
create index tombstones_by_event on earshot.tombstones (project_id, query_id, event_at);

-- Who had what forgotten by hand: the audit, without content. A mention from before the request that arrives later is
-- known by its hash, too, and refused.
create table earshot.forget_requests (
  id uuid primary key,
  at timestamptz not null,
  actor jsonb not null,
  what text not null check (what in ('author', 'url')),
  -- Of what was asked, with a secret of this installation.
  asked bytea not null,
  of_one_source boolean not null,
  mentions integer not null,
  alerts integer not null,
  local_mentions integer
);

-- How many mentions of an alert were deleted, and how often its content was replaced: what was read before a change
-- must not be written after it.
alter table earshot.alerts add column forgotten integer not null default 0;
alter table earshot.alerts add column content_version integer not null default 0;

-- Raised when texts of stories are removed: processes then read their copies again.
alter table earshot.queries add column stories_version integer not null default 0;

-- A message that was sent, or may have been, and shows something that was deleted or replaced since.
create table earshot.corrections (
  project_id text not null,
  notification_id uuid not null,
  -- Counts the reasons: a correction that began before the newest does not settle it.
  version integer not null default 1,
  next_try_wall timestamptz not null default now(),
  leased_until_wall timestamptz,
  attempts integer not null default 0,
  -- Set when it was given up.
  problem text,
  primary key (project_id, notification_id)
);
-- A dead letter that was replayed needs its mention no more.
update earshot.dead_letters set body = null where settled_at is not null and kind = 'mention';
create index corrections_due on earshot.corrections (next_try_wall) where problem is null;
`;
