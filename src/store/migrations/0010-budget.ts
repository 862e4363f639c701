import { type Kysely, sql } from "kysely";

/**
 * The rate budget of an account at the source, shared by every process, and what the planner has learned. The budget
 * lives on the database's own clock: the source's window is one of real time.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(BUDGET).execute(db);
}

const BUDGET = `
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

-- One row for each call that a window allows. Who takes a call takes a row that is free; it is free again one window
-- after the answer. So no window can hold more calls than there are rows.
create table earshot.budget_places (
  account text not null,
  place integer not null,
  free_at_wall timestamptz not null default '-infinity',
  call uuid,
  -- 'crisis', 'live', 'background', or 'others': a call that somebody else made with the same account.
  taken_for text,
  primary key (account, place)
) with (fillfactor = 50);

-- How many mentions (or changes) arrive, by hour of the week (0 is Monday 00:00 UTC); -1 all hours, -2 the last minutes.
create table earshot.arrival_rates (
  project_id text not null,
  query_id text not null,
  walk text not null,
  hour smallint not null,
  mentions double precision not null,
  ms double precision not null,
  until_at timestamptz not null,
  primary key (project_id, query_id, walk, hour)
);

create index arrival_rates_by_hour on earshot.arrival_rates (hour, walk);

-- A poll of the walk is on its way to a worker; the walk gets calls of its own, because it fails with others; when it
-- will be polled next as the plan stands (null: when it is due).
alter table earshot.walks add column planned_until_wall timestamptz, add column own_call boolean not null default false,
  add column next_poll_at timestamptz;
`;
