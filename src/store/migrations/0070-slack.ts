import { type Kysely, sql } from "kysely";

/** What messages that stand for an alert need beside their notification: places with a pace, edits, presses, pictures. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SLACK).execute(db);
}

const SLACK = `
-- A place that takes only so many messages in a time (a Slack channel), and what is left of that.
create table earshot.lanes (
  lane text primary key,
  tokens double precision not null,
  counted_wall timestamptz not null default now(),
  -- The vendor asked to wait, or is away.
  closed_until_wall timestamptz not null default '-infinity',
  -- In a row; while it is not 0 one message at a time tries whether the place is open again.
  failures integer not null default 0,
  reason text
);

-- The message that stands for an alert at a receiver, and the state of the alert that it shows.
create table earshot.alert_messages (
  project_id text not null,
  alert_id uuid not null,
  receiver text not null,
  -- Made of the alert as it was when it was last shown; '' where something is still to be added to the message.
  shown text not null,
  next_edit_wall timestamptz not null,
  leased_until_wall timestamptz,
  attempts integer not null default 0,
  -- False once the end of the alert is shown.
  watched boolean not null default true,
  primary key (project_id, alert_id, receiver)
);
create index alert_messages_watched on earshot.alert_messages (next_edit_wall) where watched;

-- Buttons that were pressed, so that a press that is told twice acts once.
create table earshot.presses (
  id text primary key,
  taken_wall timestamptz not null default now()
);

alter table earshot.failures drop constraint failures_kind_check;
alter table earshot.failures add constraint failures_kind_check check (kind in ('call', 'receiver', 'job', 'extra'));

-- Pictures that the local Slack took.
create table earshot.inbox_files (
  id text primary key,
  name text not null,
  type text not null,
  received_at timestamptz not null,
  bytes bytea not null
);
`;
