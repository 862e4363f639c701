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
  mention_workflow: "project_id, query_id, resource_id, day",
  mention_steps: "project_id, query_id, resource_id, day, press",
  source_edits: "project_id, id",
  counts: "project_id, query_id, series, arrived, bucket",
  mention_counts: "project_id, query_id, facet, quarter, bucket, value",
  mention_days: "project_id, query_id, facet, bucket, value, day",
  coverage: "project_id, query_id, poll, started_at",
  dead_letters: "project_id, at, id",
  alerts: "project_id, id",
  alert_events: "project_id, alert_id, seq",
  alert_receivers: "project_id, alert_id, receiver",
  notifications: "project_id, id",
  deliveries: "project_id, notification_id, attempt",
  incidents: "project_id, id",
  incident_alerts: "project_id, alert_id",
  incident_entries: "project_id, incident_id, seq",
  incident_notes: "project_id, incident_id, id",
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
  -- Until when no window changes unless something arrives, and by which version of the configuration, judged at which
  -- moment; null: each closed window must be judged.
  asleep jsonb,
  -- Raised when texts of stories are removed: processes then read their copies again.
  stories_version integer not null default 0,
  primary key (project_id, query_id)
);

create table earshot.polls (
  project_id text not null,
  query_id text not null,
  poll text not null check (poll in ('added', 'updated')),
  state jsonb not null,
  complete_until timestamptz,
  polled_at timestamptz,
  next_at timestamptz not null,
  lease uuid,
  leased_until_wall timestamptz,
  failures integer not null default 0,
  retry_at_wall timestamptz,
  last_error text,
  -- A poll is on its way to a worker; it gets calls of its own, because shared calls fail with it; when it is due next
  -- as the plan stands (null: when next_at says).
  planned_until_wall timestamptz,
  own_call boolean not null default false,
  next_poll_at timestamptz,
  -- Mentions were announced while the poll ran.
  woken boolean not null default false,
  -- A group that named the query lost it, nobody knows when: the next poll begins here. Null: at its watermark.
  reread_from timestamptz,
  primary key (project_id, query_id, poll)
);

-- Groups of queries of the account, as its list has them: one id in an address asks for all members.
create table earshot.query_groups (
  project_id text not null,
  group_id text not null,
  name text not null,
  query_ids text[] not null,
  -- When the list was asked for that says so.
  read_at timestamptz not null,
  -- Rows of members that are not watched, per millisecond, as its answers had them; null: none yet.
  surplus_rate double precision,
  -- When a call that named it failed: it is not named until a trial is answered. When the last trial was.
  doubted_at timestamptz,
  tried_at timestamptz,
  primary key (project_id, group_id)
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

-- What people decided about a mention: a row only where somebody did. It goes with its mention.
create table earshot.mention_workflow (
  project_id text not null,
  query_id text not null,
  resource_id text not null,
  day date not null,
  status text not null default 'open' check (status in ('open', 'in-progress', 'done', 'not-relevant')),
  assignee text,
  tags text[] not null default '{}',
  notes integer not null default 0,
  -- The press that changed it last; null while there are only notes.
  press uuid
) partition by range (day);

-- Its history, and its notes. Several mentions may share a press. Steps are only added, but for a request to forget somebody.
create table earshot.mention_steps (
  project_id text not null,
  query_id text not null,
  resource_id text not null,
  day date not null,
  press uuid not null,
  at timestamptz not null,
  kind text not null check (kind in ('change', 'undo', 'note')),
  before jsonb,
  after jsonb,
  text text,
  actor jsonb not null
) partition by range (day);

-- What people corrected of the mentions of an account, to be written there.
create table earshot.source_edits (
  project_id text not null,
  query_id text not null,
  resource_id text not null,
  id uuid not null,
  at timestamptz not null,
  actor jsonb not null,
  edit jsonb not null,
  state text not null default 'due' check (state in ('due', 'sent', 'given-up')),
  attempts integer not null default 0,
  next_try_wall timestamptz not null default now(),
  leased_until_wall timestamptz,
  problem text
) partition by range (id);

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

-- Stored mentions, counted by quarter of an hour of their own time, and by what people ask for: a facet and its value.
-- Zones differ from UTC by whole quarters, so days of any zone can be made of them. The facet 'all' has the value ''. The
-- bucket is a hash of the value: of a facet with very many values, some buckets stand for all.
create table earshot.mention_counts (
  project_id text not null,
  query_id text not null,
  facet text not null,
  quarter timestamptz not null,
  bucket smallint not null,
  value text not null,
  mentions integer not null,
  negative integer not null,
  neutral integer not null,
  positive integer not null,
  -- The sum of their reach; null where no mention has one.
  reach bigint
) partition by range (quarter);

-- The same by UTC day, for questions about many days: the sums of the quarters of the day.
create table earshot.mention_days (
  project_id text not null,
  query_id text not null,
  facet text not null,
  bucket smallint not null,
  value text not null,
  day date not null,
  mentions integer not null,
  negative integer not null,
  neutral integer not null,
  positive integer not null,
  -- The sum of their reach, and of how many quarters some mention has one.
  reach bigint not null,
  reached integer not null
) partition by range (day);

-- Quarters whose mentions changed since they were counted, a row for each page: appended, so that no page waits for a
-- count, and no count for a page.
create table earshot.stale_counts (
  id bigint generated always as identity primary key,
  project_id text not null,
  query_id text not null,
  quarter timestamptz not null,
  since_wall timestamptz not null default now()
);

create table earshot.condition_states (
  project_id text not null,
  query_id text not null,
  condition text not null,
  -- Hash of what the condition learns: a rule that was edited finds its state again.
  baseline text,
  state jsonb not null,
  stepped_until timestamptz not null,
  watch_from timestamptz not null,
  primary key (project_id, query_id, condition)
);

create table earshot.coverage (
  project_id text not null,
  query_id text not null,
  poll text not null,
  started_at timestamptz not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  claimed integer,
  seen integer not null,
  stored integer not null,
  rejected integer not null,
  gap integer not null default 0
) partition by range (started_at);

-- What always failed, kept with its reason so that everything else goes on.
create table earshot.dead_letters (
  project_id text not null,
  query_id text not null,
  at timestamptz not null,
  id uuid not null,
  kind text not null default 'mention' check (kind in ('mention', 'page', 'job')),
  resource_id text,
  -- What it was: the job's key, the poll's interval.
  scope text,
  reason text not null,
  -- What a replay needs: the mention as it was read, the poll to repeat, the job's payload.
  body jsonb,
  tries integer not null default 1,
  replay_wanted_at timestamptz,
  settled_at timestamptz
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
  "values" jsonb not null,
  -- How often there was a reason to notify: 1 for the first, one more each time it grew much more severe.
  notify_count integer not null default 1,
  renotify_reason text,
  -- What was found out about it when people were notified.
  explanation jsonb,
  -- Who acknowledged it, its assignee, who closed it.
  handling jsonb not null default '{}',
  -- How it went: the count when people were first notified, the peak, the step of severity that it reached.
  progress jsonb not null default '{}',
  -- How many of its mentions were deleted, and how often its content was replaced: what was read before a change must
  -- not be written after it.
  forgotten integer not null default 0,
  content_version integer not null default 0
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

-- Times in which a rule opened no alerts for a query, because it would have opened too many.
create table earshot.held_rules (
  project_id text not null,
  query_id text not null,
  rule text not null,
  held_at timestamptz not null,
  -- The ten minutes that are counted, and how much in them would have opened an alert.
  window_from timestamptz not null,
  in_window integer not null,
  -- What opened no alert in all this time, and when the last of it came.
  held integer not null,
  last_at timestamptz not null,
  -- Null while it is held.
  resumed_at timestamptz,
  primary key (project_id, query_id, rule, held_at)
);

create table earshot.alert_events (
  project_id text not null,
  alert_id uuid not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  what text not null,
  detail text not null,
  -- Who did it: who logged in, by which way, and the name that was typed.
  actor jsonb
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
  -- The local date, with the time where there are several editions a day.
  digest_date text,
  created_at timestamptz not null,
  reason text not null,
  state text not null default 'due' check (state in ('due', 'sent', 'dead')),
  attempts integer not null default 0,
  -- Attempts before the last redelivery: they do not count towards giving up again.
  attempts_before integer not null default 0,
  next_attempt_wall timestamptz not null default now(),
  leased_until_wall timestamptz,
  sent_at timestamptz,
  last_error text,
  vendor_ref jsonb,
  -- Other alerts that the same message covers.
  also jsonb,
  -- 1: its alert was as severe as can be. A waiting one rises with a later one about the same alert.
  urgency smallint not null default 3
) partition by range (id);

create table earshot.deliveries (
  project_id text not null,
  notification_id uuid not null,
  attempt integer not null,
  at_wall timestamptz not null default now(),
  outcome text not null,
  detail text not null,
  -- Why the attempt failed, for programs: a metric must not depend on how a message is worded. Empty: it did not fail.
  code text not null default ''
) partition by range (notification_id);

create table earshot.digests (
  project_id text not null,
  name text not null,
  local_date text not null,
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

-- An author or a story inside the span of time in which it counts once. Keyed by hashes, deleted by age.
create table earshot.distinct_authors (
  project_id text not null,
  query_id text not null,
  series text not null,
  author text not null,
  -- Start of the span in which the author counts once; each author has spans of its own.
  span timestamptz not null,
  -- The bucket in which its one count stands.
  bucket timestamptz not null,
  mentions integer not null,
  primary key (project_id, query_id, series, author, span)
);

create table earshot.seen_values (
  project_id text not null,
  query_id text not null,
  series text not null,
  value text not null,
  -- Earliest mention that had it, by the mention's own time.
  first_at timestamptz not null,
  -- Hashes of who used it while it was new.
  authors jsonb not null,
  primary key (project_id, query_id, series, value)
);

-- The texts of a query's stories, a row for each page that brought new ones, to find texts that are nearly the same.
create table earshot.story_texts (
  project_id text not null,
  query_id text not null,
  seq integer not null,
  texts integer not null,
  body bytea not null,
  primary key (project_id, query_id, seq)
);

-- What fails at this moment: a call of the source, a receiver, a job. The next success deletes the row.
create table earshot.failures (
  kind text not null check (kind in ('call', 'receiver', 'job', 'extra')),
  scope text not null,
  -- The kind of fault, as the part that met it names it.
  reason text not null,
  message text not null,
  final boolean not null,
  since timestamptz not null,
  since_wall timestamptz not null default now(),
  last_wall timestamptz not null default now(),
  times integer not null default 1,
  -- The receiver's own check failed as well, so the check can show when it works again.
  check_failed boolean not null default false,
  primary key (kind, scope)
);

-- When a part of the pipeline last worked.
create table earshot.pulses (
  name text primary key,
  at timestamptz not null,
  at_wall timestamptz not null default now()
);

create table earshot.silences (
  id uuid primary key,
  match jsonb not null,
  author text not null,
  comment text not null,
  created_at timestamptz not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  windows jsonb not null,
  ended_by text,
  actor jsonb
);

-- When a receiver was last notified of a group of alerts.
create table earshot.group_flushes (
  project_id text not null,
  receiver text not null,
  key text not null,
  at timestamptz not null,
  primary key (project_id, receiver, key)
);

-- Readers who ended their subscription to a digest. The configuration keeps naming them, so that it can be undone.
create table earshot.unsubscribed (
  digest_name text not null,
  receiver text not null,
  at_wall timestamptz not null default now(),
  primary key (digest_name, receiver)
);

-- A channel that takes only so many messages in a time, and what is left of that.
create table earshot.channel_limits (
  channel text primary key,
  -- The vendor's own name of the channel, whose row has the limit. Null: this row has it.
  same_as text,
  tokens double precision not null,
  counted_wall timestamptz not null default now(),
  -- The vendor asked to wait, or is away.
  closed_until_wall timestamptz not null default '-infinity',
  -- In a row; while it is not 0, one message at a time tries whether the channel is open again.
  failures integer not null default 0,
  reason text
);

-- The live message of an alert at a receiver, and the state of the alert that it shows.
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

-- Slack interactions that were handled, so that one that Slack sends twice acts once.
create table earshot.interactions (
  id text primary key,
  taken_wall timestamptz not null default now()
);

-- The rate budget of an account at the source, shared by every process. It lives on the database's own clock, because
-- the source's window is one of real time.
create table earshot.budgets (
  account text primary key,
  -- Calls in any rolling window; null: the account has no limit.
  calls integer,
  period_ms bigint not null,
  -- Who said so: 'assumed' (nobody yet), 'client' (the client's tags), 'answer' (a header).
  learned_from text not null,
  -- Refused calls in a row, and until when nobody calls because of them.
  refusals integer not null default 0,
  closed_until_wall timestamptz not null default '-infinity',
  -- When the last planned call was due, and how many were planned in all.
  paced_at_wall timestamptz not null default '-infinity',
  turn bigint not null default 0,
  -- Whether one call may ask for several queries: 'untried', 'proven' or 'refused'.
  sharing text not null default 'untried',
  sharing_tried_wall timestamptz
);

-- One row for each call that a window allows. A call takes a free row; the row is free again one window after the
-- answer. So no window can hold more calls than there are rows.
create table earshot.budget_slots (
  account text not null,
  slot integer not null,
  free_at_wall timestamptz not null default '-infinity',
  call uuid,
  -- 'crisis', 'live', 'background', or 'others': a call that somebody else made with the same account.
  taken_for text,
  primary key (account, slot)
) with (fillfactor = 50);

-- How many mentions (or changes) arrive, by hour of the week (0 is Monday 00:00 UTC); -1 all hours, -2 the last minutes.
create table earshot.arrival_rates (
  project_id text not null,
  query_id text not null,
  poll text not null,
  hour smallint not null,
  mentions double precision not null,
  ms double precision not null,
  until_at timestamptz not null,
  primary key (project_id, query_id, poll, hour)
);

-- What the server of an account was observed to do where its specification is silent.
create table earshot.server_quirks (
  account text not null,
  quirk text not null,
  value text not null,
  ms double precision,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account, quirk)
);

-- How many mentions the source says it has of a past time, compared with what is stored of it.
create table earshot.count_checks (
  id uuid primary key,
  project_id text not null,
  query_ids text[] not null,
  -- Dates of the mentions themselves, both ends included.
  from_at timestamptz not null,
  to_at timestamptz not null,
  claimed integer not null,
  asked_at timestamptz not null,
  -- Null while the polls have not caught up with the check.
  stored integer,
  outcome text
);

create table earshot.counted_queries (
  project_id text not null,
  query_id text not null,
  next_at timestamptz not null,
  -- Checks in a row that found something missing although it had been polled again.
  fruitless integer not null default 0,
  primary key (project_id, query_id)
);

-- When an engine was away or came back empty, and when no process worked.
create table earshot.outages (
  id bigint generated always as identity primary key,
  engine text not null check (engine in ('database', 'queue', 'earshot')),
  outcome text not null check (outcome in ('Away', 'Emptied')),
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at >= from_at),
  because text
);

-- Pictures that the local Slack took.
create table earshot.inbox_files (
  id text primary key,
  name text not null,
  type text not null,
  received_at timestamptz not null,
  bytes bytea not null
);

-- Incidents, the alerts in them, and their timelines. An alert is in one incident at most. No words of mentions are in
-- these tables, so what a person asks to be forgotten is not in them either.
create table earshot.incidents (
  project_id text not null,
  id uuid not null,
  query_id text not null,
  status text not null check (status in ('open', 'handled', 'watching', 'over')),
  opened_at timestamptz not null,
  ended_at timestamptz,
  -- The incident of another query that speaks for it.
  part_of uuid,
  body jsonb not null
) partition by range (id);

create table earshot.incident_alerts (
  project_id text not null,
  alert_id uuid not null,
  incident_id uuid not null,
  joined_at timestamptz not null,
  because text not null
) partition by range (alert_id);

create table earshot.incident_entries (
  project_id text not null,
  incident_id uuid not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  kind text not null,
  detail text not null,
  alert_id uuid,
  actor jsonb
) partition by range (incident_id);

-- What people write about incidents. They may name authors, so a request to forget somebody changes them; nothing else does.
create table earshot.incident_notes (
  project_id text not null,
  incident_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  kind text not null check (kind in ('statement', 'comment', 'lesson')),
  -- A few words of whoever wrote a statement.
  status text,
  text text not null,
  -- Who wrote it: an Actor.
  actor jsonb not null,
  -- The reply in a thread of Slack that a comment came from.
  origin text
) partition by range (incident_id);

-- Which process runs which version of the configuration. A few rows: one for each process that lives.
create table earshot.processes (
  id uuid primary key,
  host text not null,
  pid integer not null,
  roles text[] not null,
  started_wall timestamptz not null default now(),
  version text not null,
  since_wall timestamptz not null default now(),
  refused jsonb,
  answered uuid,
  -- A process that was killed is known by its age.
  seen_wall timestamptz not null default now(),
  -- How late its event loop was during the last minute.
  loop_mean_ms real not null default 0,
  loop_max_ms real not null default 0
);

-- What the pages of rules show besides the files: the last result of each rule test, and who changed a rule there.
create table earshot.rule_tests (
  rule text not null,
  test text not null,
  outcome text not null check (outcome in ('Passed', 'Failed', 'Broken')),
  detail text not null,
  -- Of the rule that was tested, so that an old result is known to be old.
  rule_version text not null,
  ran_at timestamptz not null,
  took_ms integer not null,
  primary key (rule, test)
);

create table earshot.rule_edits (
  id bigint generated always as identity primary key,
  rule text not null,
  at timestamptz not null,
  actor jsonb not null,
  before text,
  after text not null
);

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
  local_mentions integer,
  -- Whether all files of the tables were rewritten, or only part of them; null until that is known.
  files text check (files in ('Rewritten', 'Partly'))
);

-- A message that was sent, or may have been, and shows something that was deleted or replaced since.
create table earshot.corrections (
  project_id text not null,
  notification_id uuid not null,
  -- Counts the reasons: a correction that began before the newest does not settle it.
  version integer not null default 1,
  next_try_wall timestamptz not null default now(),
  leased_until_wall timestamptz,
  attempts integer not null default 0,
  -- Why it is not possible; it is tried once a day then.
  problem text,
  primary key (project_id, notification_id)
);

-- The query that alerts about Earshot itself belong to. It is never polled; its row is what their writers lock.
insert into earshot.queries (project_id, query_id, name, project_name, timezone, active, watch_from, ticked_until)
values ('all', 'earshot:itself', 'Earshot', 'Earshot itself', 'UTC', false, 'epoch', 'epoch')
on conflict do nothing;
`;

const INDEXES = `
create index mentions_by_event on earshot.mentions (project_id, query_id, event_at desc) include (story, day);
create index mentions_by_arrival on earshot.mentions (added_at desc);
-- The history of one query in order of arrival: a new rule reads it in batches.
create index mentions_of_query on earshot.mentions (project_id, query_id, added_at, resource_id);
create index matches_by_alert on earshot.matches (project_id, alert_id);
create index mention_workflow_of on earshot.mention_workflow (lower(assignee)) where assignee is not null;
create index mention_steps_of_press on earshot.mention_steps (press);
create index mention_steps_newest on earshot.mention_steps (at desc);
create index source_edits_due on earshot.source_edits (next_try_wall) where state = 'due';
create index source_edits_of on earshot.source_edits (project_id, query_id, resource_id);
create index counts_by_arrival on earshot.counts (project_id, query_id, arrived);
-- Who is loud on a day: most authors have one mention, and are not in it.
create index mention_days_most on earshot.mention_days (project_id, query_id, facet, day, mentions desc, value) where mentions > 1;
create index alerts_by_opening on earshot.alerts (opened_at desc);
create index alert_receivers_due on earshot.alert_receivers (next_at) where next_at is not null;
create index notifications_due on earshot.notifications (next_attempt_wall) where state = 'due';
create index notifications_given_up on earshot.notifications (created_at) where state = 'dead';
create index notifications_by_alert on earshot.notifications (project_id, alert_id);
create index latest_alerts_open on earshot.latest_alerts (project_id, query_id) where open;
create index inbox_by_arrival on earshot.inbox (seq desc);
create index distinct_authors_by_span on earshot.distinct_authors (span);
create index dead_letters_open on earshot.dead_letters (project_id, query_id, kind) where settled_at is null;
create index silences_by_end on earshot.silences (ends_at);
create index alert_messages_watched on earshot.alert_messages (next_edit_wall) where watched;
create index notifications_by_message on earshot.notifications ((vendor_ref->>'messageId')) where vendor_ref ? 'messageId';
-- Replies in a thread of Slack: of which message.
create index notifications_by_thread on earshot.notifications ((vendor_ref->>'ts')) where vendor_ref ? 'ts';
create index notifications_also on earshot.notifications using gin (also jsonb_path_ops) where also is not null;
create index notifications_waiting on earshot.notifications (receiver, urgency, id) where state = 'due';
create index notifications_in_hand on earshot.notifications (receiver) where state = 'due' and leased_until_wall is not null;
-- What a throttle looks back on.
create index notifications_decided on earshot.notifications (receiver, created_at) where alert_id is not null;
create index alerts_open on earshot.alerts (project_id, query_id, rule, last_seen_at) where state <> 'resolved';
create index alerts_firing on earshot.alerts (project_id, severity, opened_at) where fired_at is not null and resolved_at is null;
create index held_rules_now on earshot.held_rules (project_id, query_id, rule) where resumed_at is null;
create index deliveries_bounced on earshot.deliveries (notification_id) where outcome = 'bounced';
create index arrival_rates_by_hour on earshot.arrival_rates (hour, poll);
create index count_checks_open on earshot.count_checks (asked_at) where outcome is null;
create index outages_newest on earshot.outages (to_at desc);
create index rule_edits_of on earshot.rule_edits (rule, id desc);
create index tombstones_by_event on earshot.tombstones (project_id, query_id, event_at);
create index corrections_due on earshot.corrections (next_try_wall);
create index on earshot.incidents (project_id, query_id, ended_at);
create index on earshot.incidents (project_id, part_of) where part_of is not null;
create index on earshot.incident_alerts (project_id, incident_id);
-- Sketches look like noise: compressing them only costs time.
alter table earshot.story_texts alter column body set storage external;

-- A user is never deleted: the history names it, and its name must not come to mean somebody else.
create table earshot.users (
  id uuid primary key,
  name text not null,
  -- The name without regard to capitals.
  name_key text not null unique,
  role text not null check (role in ('viewer', 'responder', 'editor', 'admin')),
  email text,
  password_hash text,
  -- Of somebody who logs in at an OpenID provider: who issued the identity, and whose it is there.
  issuer text,
  subject text,
  created_at timestamptz not null,
  created_by text not null,
  ended_at timestamptz,
  unique (issuer, subject)
);

-- Also of users that earshot.yaml names.
create table earshot.second_factors (
  name_key text primary key,
  -- The secret that the app of the user has as well, sealed with AES-256-GCM.
  sealed bytea not null,
  -- Null until a first code was right.
  confirmed_at timestamptz,
  -- The step of thirty seconds of the newest code that was used: no code is used twice.
  last_step bigint not null default 0,
  -- SHA-256 of the recovery codes that are left.
  recovery bytea[] not null default '{}',
  -- Codes that were tried since that moment, and the last right one.
  tries int not null default 0,
  tries_since timestamptz not null default '-infinity'
);

-- What works once: the link of an invitation, the code that links somebody's Slack id.
create table earshot.one_time_codes (
  -- SHA-256 of it.
  secret_hash bytea primary key,
  purpose text not null check (purpose in ('invitation', 'slack')),
  name_key text not null,
  until timestamptz not null,
  used_at timestamptz
);
create index one_time_codes_of_user on earshot.one_time_codes (name_key, purpose);

-- Searches that people come back to.
create table earshot.views (
  id uuid primary key,
  -- Whose it is.
  name_key text not null,
  title text not null,
  -- A page of the console with its parameters: /mentions?contains=…
  address text not null,
  -- Everybody sees it.
  is_shared boolean not null,
  created_at timestamptz not null
);
create index views_of_user on earshot.views (name_key);

-- Who gets which view every Monday.
create table earshot.view_mails (
  view_id uuid not null references earshot.views on delete cascade,
  name_key text not null,
  timezone text not null,
  since timestamptz not null,
  primary key (view_id, name_key)
);

-- Authors on lists of people. A request to forget finds them by their names.
create table earshot.listed_authors (
  id uuid not null unique,
  -- In lower case, as authors are compared.
  list_key text not null,
  list text not null,
  author_key text not null,
  author text not null,
  name text,
  -- Empty: on every site.
  site text not null,
  note text not null,
  actor jsonb not null,
  at timestamptz not null,
  primary key (author_key, list_key, site)
);

-- Who somebody in Slack is here.
create table earshot.slack_people (
  team_id text not null,
  user_id text not null,
  name_key text not null,
  -- What Slack calls them.
  slack_name text not null,
  linked_at timestamptz not null,
  primary key (team_id, user_id)
);
create index slack_people_of_user on earshot.slack_people (name_key);

-- Also of users that earshot.yaml names, so a session names its user by the key of the name.
create table earshot.sessions (
  id uuid primary key,
  -- SHA-256 of what the cookie holds.
  secret_hash bytea not null unique,
  name_key text not null,
  -- Of the password with which it was opened, so that a new one ends it.
  credential text not null,
  opened_at timestamptz not null,
  seen_at timestamptz not null,
  until timestamptz not null,
  address text not null,
  agent text not null,
  ended_at timestamptz
);
create index sessions_of_user on earshot.sessions (name_key, opened_at desc);
create index sessions_by_end on earshot.sessions (until);

-- A token acts for its user, with the rights that the user has at that moment.
create table earshot.access_tokens (
  id uuid primary key,
  -- SHA-256 of the token.
  secret_hash bytea not null unique,
  name_key text not null,
  label text not null,
  scope text not null check (scope in ('read', 'act', 'atom', 'metrics', 'push')),
  created_at timestamptz not null,
  until timestamptz not null,
  used_at timestamptz,
  used_from text,
  ended_at timestamptz
);
create index access_tokens_of_user on earshot.access_tokens (name_key, created_at desc);

-- Links to incidents, for people without an account. Wall time.
create table earshot.rooms (
  id uuid primary key,
  project_id text not null,
  incident_id uuid not null,
  -- SHA-256 of the secret in the link.
  secret_hash bytea not null unique,
  created_at timestamptz not null,
  until timestamptz not null,
  actor jsonb not null,
  ended_at timestamptz,
  ended_by jsonb,
  -- How often its page was opened, and when last.
  opened integer not null default 0,
  opened_at timestamptz
);
create index rooms_of_incident on earshot.rooms (project_id, incident_id);

-- Never changed and never pruned by month: a few rows a day, and somebody asks for them years later.
create table earshot.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  -- Who: an Actor, with the role at that moment.
  actor jsonb not null,
  role text,
  -- From where: an address, a host.
  origin text not null,
  action text not null,
  target text not null,
  outcome text not null check (outcome in ('Done', 'Refused', 'Failed')),
  detail text not null
);
create index audit_by_time on earshot.audit (at desc, id desc);
`;
