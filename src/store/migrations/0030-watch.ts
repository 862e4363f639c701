import { type Kysely, sql } from "kysely";

/** What Earshot knows of its own troubles, and what was set aside so that it blocks nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(WATCH).execute(db);
}

const WATCH = `
-- What fails at this moment: a call of the source, a receiver, a job. A row goes with the next success.
create table earshot.failures (
  kind text not null check (kind in ('call', 'receiver', 'job')),
  scope text not null,
  -- The kind of fault, as the part that met it names it.
  reason text not null,
  message text not null,
  final boolean not null,
  since timestamptz not null,
  since_wall timestamptz not null default now(),
  last_wall timestamptz not null default now(),
  times integer not null default 1,
  -- The receiver's own check failed as well, so the check can say when it is well again.
  check_failed boolean not null default false,
  primary key (kind, scope)
);

-- When a part of the line last worked.
create table earshot.pulses (
  name text primary key,
  at timestamptz not null,
  at_wall timestamptz not null default now()
);

-- The query that alerts about Earshot itself belong to. It is never polled; its row is what their writers lock.
insert into earshot.queries (project_id, query_id, name, project_name, timezone, active, watch_from, ticked_until)
values ('all', 'earshot:itself', 'Earshot', 'Earshot itself', 'UTC', false, 'epoch', 'epoch')
on conflict do nothing;

alter table earshot.set_aside
  add column kind text not null default 'mention' check (kind in ('mention', 'page', 'job')),
  -- What it was: the job's key, the walk's interval.
  add column scope text,
  -- What a replay needs: the mention as it was read, the walk to go back, the job's payload.
  add column body jsonb,
  add column tries integer not null default 1,
  add column replay_wanted_at timestamptz,
  add column settled_at timestamptz;
create index set_aside_standing on earshot.set_aside (project_id, query_id, kind) where settled_at is null;
`;
