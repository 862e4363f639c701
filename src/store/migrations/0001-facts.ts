import { type Kysely, sql } from "kysely";

/**
 * Every fact of Earshot. Moments are timestamptz in domain time, except columns that say `wall`: those are compared
 * with the database's own now(). Every table that grows leads its key with the project and is partitioned by time,
 * either by a moment or by an id that is a UUID version 7 and so orders by time; a default partition takes what falls
 * outside the months that have one, so that an odd date can never be refused.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(FACTS).execute(db);
  for (const [table, key] of Object.entries(PARTITIONED)) {
    await sql.raw(`alter table earshot.${table} add primary key (${key})`).execute(db);
    await sql.raw(`create table earshot.${table}_rest partition of earshot.${table} default`).execute(db);
  }
  await sql.raw(INDEXES).execute(db);
}

/** Partitioned tables and their primary keys. */
const PARTITIONED = {
  mentions: "project_id, query_id, resource_id, day",
  matches: "project_id, query_id, resource_id, day, rule",
  counts: "project_id, query_id, series, arrived, bucket",
  coverage: "project_id, query_id, walk, started_at",
  set_aside: "project_id, at, id",
  alerts: "project_id, id",
  alert_events: "project_id, alert_id, seq",
  alert_receivers: "project_id, alert_id, receiver",
  notifications: "project_id, id",
  deliveries: "project_id, notification_id, attempt",
};

const FACTS = `
create table earshot.queries (
  project_id text not null,
  query_id text not null,
  name text not null,
  project_name text not null,
  timezone text not null,
  active boolean not null default true,
  -- Mentions that entered the query before this moment teach baselines and never alert.
  watch_from timestamptz not null,
  -- Windows are closed up to here (arrival time).
  ticked_until timestamptz not null,
  primary key (project_id, query_id)
);

create table earshot.walks (
  project_id text not null,
  query_id text not null,
  walk text not null check (walk in ('added', 'updated')),
  state jsonb not null,
  complete_until timestamptz,
  polled_at timestamptz,
  next_at timestamptz not null,
  lease uuid,
  leased_until_wall timestamptz,
  failures integer not null default 0,
  retry_at_wall timestamptz,
  last_error text,
  primary key (project_id, query_id, walk)
);

create table earshot.mentions (
  project_id text not null,
  query_id text not null,
  resource_id text not null,
  -- UTC day of publication; 1970-01-01 where the source withholds it.
  day date not null,
  event_at timestamptz not null,
  added_at timestamptz not null,
  updated_at timestamptz not null,
  seen_at timestamptz not null,
  sentiment text,
  story text not null,
  reach bigint,
  hash text not null,
  body json not null
) partition by range (day);

-- Which mention met which mention rule, and the alert it went to: a mention alerts once for a rule, however often
-- it is read or changed.
create table earshot.matches (
  project_id text not null,
  query_id text not null,
  resource_id text not null,
  day date not null,
  rule text not null,
  alert_id uuid not null,
  at timestamptz not null,
  because text not null
) partition by range (day);

create table earshot.series (
  project_id text not null,
  query_id text not null,
  series text not null,
  primary key (project_id, query_id, series)
);

create table earshot.counts (
  project_id text not null,
  query_id text not null,
  series text not null,
  arrived timestamptz not null,
  bucket timestamptz not null,
  n integer not null
) partition by range (arrived);

create table earshot.condition_states (
  project_id text not null,
  query_id text not null,
  condition text not null,
  state jsonb not null,
  stepped_until timestamptz not null,
  watch_from timestamptz not null,
  primary key (project_id, query_id, condition)
);

create table earshot.coverage (
  project_id text not null,
  query_id text not null,
  walk text not null,
  started_at timestamptz not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  claimed integer,
  seen integer not null,
  stored integer not null,
  rejected integer not null,
  gap integer not null default 0
) partition by range (started_at);

create table earshot.set_aside (
  project_id text not null,
  query_id text not null,
  at timestamptz not null,
  id uuid not null,
  resource_id text,
  reason text not null
) partition by range (at);

create table earshot.alerts (
  project_id text not null,
  id uuid not null,
  rule text not null,
  fingerprint text not null,
  query_id text not null,
  query_name text not null,
  severity text not null,
  state text not null check (state in ('pending', 'firing', 'acknowledged', 'resolved')),
  labels jsonb not null,
  opened_at timestamptz not null,
  fired_at timestamptz,
  last_seen_at timestamptz not null,
  resolved_at timestamptz,
  mentions integer not null,
  because text not null,
  window_from timestamptz not null,
  window_to timestamptz not null,
  "values" jsonb not null
) partition by range (id);

-- The newest alert of a fingerprint: the open one, or the one that evidence which comes late may still belong to.
create table earshot.latest_alerts (
  project_id text not null,
  fingerprint text not null,
  query_id text not null,
  alert_id uuid not null,
  open boolean not null,
  primary key (project_id, fingerprint)
);

create table earshot.alert_events (
  project_id text not null,
  alert_id uuid not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  what text not null,
  detail text not null
) partition by range (alert_id);

create table earshot.alert_receivers (
  project_id text not null,
  alert_id uuid not null,
  receiver text not null,
  entry jsonb not null,
  next_at timestamptz
) partition by range (alert_id);

create table earshot.notifications (
  project_id text not null,
  id uuid not null,
  receiver text not null,
  kind text not null,
  alert_id uuid,
  digest_name text,
  digest_date date,
  created_at timestamptz not null,
  reason text not null,
  state text not null default 'due' check (state in ('due', 'sent', 'dead')),
  attempts integer not null default 0,
  next_attempt_wall timestamptz not null default now(),
  leased_until_wall timestamptz,
  sent_at timestamptz,
  last_error text,
  vendor_ref jsonb
) partition by range (id);

create table earshot.deliveries (
  project_id text not null,
  notification_id uuid not null,
  attempt integer not null,
  at_wall timestamptz not null default now(),
  outcome text not null,
  detail text not null
) partition by range (notification_id);

create table earshot.digests (
  project_id text not null,
  name text not null,
  local_date date not null,
  period_from timestamptz not null,
  period_to timestamptz not null,
  before_from timestamptz not null,
  before_to timestamptz not null,
  due_at timestamptz not null,
  state text not null default 'due' check (state in ('due', 'built', 'skipped')),
  body jsonb,
  primary key (project_id, name, local_date)
);

create table earshot.tokens (
  account text primary key,
  token text not null,
  expires_at timestamptz not null
);

create table earshot.settings (
  key text primary key,
  value jsonb not null
);

create table earshot.inbox (
  id text primary key,
  kind text not null check (kind in ('slack', 'email')),
  place text not null,
  thread text,
  -- Order of arrival.
  seq bigint generated always as identity,
  received_at timestamptz not null,
  updated_at timestamptz not null,
  message jsonb not null
);
`;

const INDEXES = `
create index mentions_by_event on earshot.mentions (project_id, query_id, event_at desc);
create index mentions_by_arrival on earshot.mentions (added_at desc);
create index matches_by_alert on earshot.matches (project_id, alert_id);
create index counts_by_arrival on earshot.counts (project_id, query_id, arrived);
create index alerts_by_opening on earshot.alerts (opened_at desc);
create index alert_receivers_due on earshot.alert_receivers (next_at) where next_at is not null;
create index notifications_due on earshot.notifications (next_attempt_wall) where state = 'due';
create index notifications_by_alert on earshot.notifications (project_id, alert_id);
create index latest_alerts_open on earshot.latest_alerts (project_id, query_id) where open;
create index inbox_by_arrival on earshot.inbox (seq desc);
`;
