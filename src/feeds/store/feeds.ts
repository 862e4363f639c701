import { sql } from "kysely";
import type { Database } from "#listening-api";
import type { Instant } from "../../lib/instant.ts";
import { type JsonObject, storableJson } from "../../lib/json.ts";

/** A feed as it is configured. */
export interface ConfiguredFeed {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly host: string;
  /** Null: it is not fetched, because others push to it. */
  readonly everyMs: number | null;
}

/** A feed that this process may fetch until the lease ends. */
export interface LeasedFeed {
  readonly key: string;
  readonly lease: string;
  readonly state: JsonObject;
  readonly failures: number;
  readonly everyMs: number;
  /** What was read when the last attempt did not end well, and how often that has begun in a row. */
  readonly reading: string | null;
  readonly readings: number;
  /** A moment of the database's clock. */
  readonly at: Instant;
}

/** A feed with what happened to it, for people. Moments are of the database's clock. */
export interface FeedRow extends Omit<ConfiguredFeed, "everyMs"> {
  readonly everyMs: number;
  readonly isConfigured: boolean;
  readonly isFetchedNow: boolean;
  readonly nextAt: Instant | null;
  readonly failures: number;
  /** Since when the configuration has it. */
  readonly addedAt: Instant;
  readonly triedAt: Instant | null;
  readonly receivedAt: Instant | null;
  readonly itemAt: Instant | null;
  readonly problem: string | null;
  /** How often its answer began to be read without an end, in a row. */
  readonly readings: number;
  /** What the last fetch did not take, in words. */
  readonly leftOut: string | null;
  /** What people should know of it, in sentences. */
  readonly notes: readonly string[];
  readonly itemsToday: number;
  readonly matchedToday: number;
  /** The last time of which a stream brought nothing; null: none in the last 30 days. */
  readonly gap: (FeedGap & { readonly noticedAt: Instant }) | null;
}

/** What people should know of a feed, in sentences by their subject; null takes one away. */
export type FeedNotes = Readonly<Record<string, string | null>>;

/** Time of which a stream has no events for us. */
export interface FeedGap {
  readonly from: Instant;
  readonly to: Instant;
  readonly reason: string;
}

/**
 * Makes these the feeds of the project: new ones are due at once, the others keep their cursor and schedule. A feed
 * that had been given up is tried again. Feeds of an earlier configuration stay, and are not fetched.
 */
export async function configureFeeds(
  db: Database,
  projectId: number,
  feeds: readonly ConfiguredFeed[],
): Promise<void> {
  await sql`
    update feeds.feed set is_configured = false
    where project_id = ${projectId} and key <> all(${feeds.map(({ key }) => key)}::text[])`.execute(db);
  await sql`
    insert into feeds.feed as known (project_id, key, kind, name, host, every_ms, next_at)
    select ${projectId}, f->>'key', f->>'kind', f->>'name', f->>'host', coalesce((f->>'everyMs')::bigint, 0),
      case when f->>'everyMs' is not null then now() end
    from jsonb_array_elements(${storableJson(feeds)}::jsonb) as f order by f->>'key'
    on conflict (project_id, key) do update set name = excluded.name, host = excluded.host,
      every_ms = excluded.every_ms, is_configured = true,
      added_at = case when known.is_configured then known.added_at else now() end,
      next_at = case when excluded.next_at is null then null
        -- What may have ended the process is not read at once after it.
        when known.readings > 0 then known.next_at
        else least(coalesce(known.next_at, now()), now() + excluded.every_ms * interval '1 millisecond') end
  `.execute(db);
}

/** Claims a due feed for `leaseMs`; null if none is due. Two workers never get the same one. */
export async function claimFeed(
  db: Database,
  projectId: number,
  keys: readonly string[],
  leaseMs: number,
): Promise<LeasedFeed | null> {
  const { rows } = await sql<LeasedRow>`
    update feeds.feed f set lease = gen_random_uuid(), tried_at = now(), woken = false,
      lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where (project_id, key) = (
      select project_id, key from feeds.feed d
      where project_id = ${projectId} and key = any(${keys}::text[]) and next_at <= now()
        and (lease_until is null or lease_until <= now())
        and not exists (select from feeds.host h
          where h.host = d.host and h.next_at > now() + interval '30 seconds')
      order by next_at, key limit 1 for no key update skip locked)
    returning key, lease, state, failures, every_ms, reading, readings, now() as at`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  return { ...row, everyMs: Number(row.every_ms), at: row.at.getTime() };
}

interface LeasedRow {
  key: string;
  lease: string;
  state: JsonObject;
  failures: number;
  every_ms: string;
  reading: string | null;
  readings: number;
  at: Date;
}

/**
 * Stores that something is read now, and when the feed is asked next should that not end: it may end the process, and
 * then nobody else stores it. False if somebody else has the feed now.
 */
export async function noteReading(
  db: Database,
  projectId: number,
  { key, lease }: Pick<LeasedFeed, "key" | "lease">,
  {
    name,
    readings,
    nextInMs,
  }: { readonly name: string; readonly readings: number; readonly nextInMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update feeds.feed set reading = ${name}, readings = ${readings},
      next_at = now() + ${nextInMs}::double precision * interval '1 millisecond'
    where project_id = ${projectId} and key = ${key} and lease = ${lease}::uuid`.execute(db);
  return numAffectedRows === 1n;
}

/** Ends a fetch whose answer could not be read within bounds. It is asked next at the moment that `noteReading` stored. */
export async function endUnread(
  db: Database,
  projectId: number,
  { key, lease }: Pick<LeasedFeed, "key" | "lease">,
  problem: string,
): Promise<void> {
  await sql`
    update feeds.feed set lease = null, lease_until = null, problem = ${problem}, failures = failures + 1
    where project_id = ${projectId} and key = ${key} and lease = ${lease}::uuid`.execute(db);
}

/** Holds a lease that is about to end. False if somebody else has the feed now. */
export async function extendLease(
  db: Database,
  projectId: number,
  { key, lease }: Pick<LeasedFeed, "key" | "lease">,
  leaseMs: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update feeds.feed set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where project_id = ${projectId} and key = ${key} and lease = ${lease}::uuid`.execute(db);
  return numAffectedRows === 1n;
}

/** How a fetch ended. */
export interface FetchEnd {
  readonly state: JsonObject;
  /** When it is fetched next; null: never again, until it is configured anew. */
  readonly nextInMs: number | null;
  /** Null: it succeeded. */
  readonly problem: string | null;
  /** New and changed items, and those of them that a query matched. */
  readonly items: number;
  readonly matched: number;
  /** What was not taken, in words. Default: nothing. */
  readonly leftOut?: string | null;
  /** Added to those that it has. */
  readonly notes?: FeedNotes;
  /** The lease goes on: another part of the same fetch follows. */
  readonly goesOn?: boolean;
}

/**
 * Records how a fetch ended, inside the transaction that stores its items. False, and nothing is changed, if the lease
 * has gone to somebody else: then the transaction must not be committed.
 */
export async function endFetch(
  db: Database,
  projectId: number,
  { key, lease }: Pick<LeasedFeed, "key" | "lease">,
  end: FetchEnd,
): Promise<boolean> {
  const isDone = end.goesOn !== true;
  const { numAffectedRows } = await sql`
    update feeds.feed set state = ${storableJson(end.state)}::jsonb
        || jsonb_strip_nulls(jsonb_build_object('pushedEdits', state->'pushedEdits')),
      lease = case when ${isDone} then null else lease end,
      lease_until = case when ${isDone} then null else lease_until end,
      next_at = case when not ${isDone} or (woken and ${end.nextInMs}::double precision is not null)
        then least(next_at, now()) else now() + ${end.nextInMs}::double precision * interval '1 millisecond' end,
      notes = jsonb_strip_nulls(notes || ${storableJson(end.notes ?? {})}::jsonb),
      reading = null, readings = 0, left_out = ${end.leftOut ?? null},
      problem = ${end.problem}, failures = case when ${end.problem}::text is null then 0 else failures + 1 end,
      received_at = case when ${end.problem}::text is null then now() else received_at end,
      ${countedSql(end)}
    where project_id = ${projectId} and key = ${key} and lease = ${lease}::uuid`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Records what a stream has brought, inside the transaction that stores its items, and holds the lease. False, and
 * nothing is changed, if the lease has gone to somebody else: then the transaction must not be committed.
 */
export async function keepStream(
  db: Database,
  projectId: number,
  { key, lease }: Pick<LeasedFeed, "key" | "lease">,
  had: Pick<FetchEnd, "state" | "items" | "matched"> & { readonly leaseMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update feeds.feed set state = ${storableJson(had.state)}::jsonb,
      lease_until = now() + ${had.leaseMs} * interval '1 millisecond',
      received_at = now(), problem = null, failures = 0, ${countedSql(had)}
    where project_id = ${projectId} and key = ${key} and lease = ${lease}::uuid`.execute(db);
  return numAffectedRows === 1n;
}

/** Records that a connection of a stream ended, and holds the lease until the next one. False: see `keepStream`. */
export async function failStream(
  db: Database,
  projectId: number,
  { key, lease }: Pick<LeasedFeed, "key" | "lease">,
  { problem, leaseMs }: { readonly problem: string; readonly leaseMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update feeds.feed set problem = ${problem}, failures = failures + 1, tried_at = now(),
      lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where project_id = ${projectId} and key = ${key} and lease = ${lease}::uuid`.execute(db);
  return numAffectedRows === 1n;
}

/** Adds to the notes of a feed that somebody else may be fetching. */
export async function putNotes(
  db: Database,
  projectId: number,
  key: string,
  notes: FeedNotes,
): Promise<void> {
  await sql`
    update feeds.feed set notes = jsonb_strip_nulls(notes || ${storableJson(notes)}::jsonb)
    where project_id = ${projectId} and key = ${key}`.execute(db);
}

/** Remembers a gap for as long as somebody may ask. */
export async function putGap(
  db: Database,
  projectId: number,
  key: string,
  { from, to, reason }: FeedGap,
): Promise<void> {
  await sql`
    insert into feeds.gap (project_id, key, from_at, to_at, reason)
    values (${projectId}, ${key}, ${new Date(from)}, ${new Date(to)}, ${reason})`.execute(db);
  await sql`
    delete from feeds.gap where project_id = ${projectId} and key = ${key}
      and noticed_at < now() - interval '30 days'`.execute(db);
}

/**
 * The same for items that were pushed: nobody holds a lease. Edits are counted in the state, as a push may come late and put
 * an old text back: then the next fetch reads the document, also if that is the same. The fetch in hand does not end that.
 */
export async function countPushed(
  db: Database,
  projectId: number,
  key: string,
  counts: Pick<FetchEnd, "items" | "matched"> & { readonly edited: number },
): Promise<void> {
  await sql`
    update feeds.feed set tried_at = now(), received_at = now(), ${countedSql(counts)},
      state = case when ${counts.edited} = 0 then state
        else state || jsonb_build_object('pushedEdits', coalesce((state->>'pushedEdits')::bigint, 0) + ${counts.edited}) end
    where project_id = ${projectId} and key = ${key}`.execute(db);
}

function countedSql({ items, matched }: Pick<FetchEnd, "items" | "matched">) {
  const today = sql`(now() at time zone 'utc')::date`;
  return sql`
    item_at = case when ${items} > 0 then now() else item_at end,
    items_today = ${items} + case when counted_on = ${today} then items_today else 0 end,
    matched_today = ${matched} + case when counted_on = ${today} then matched_today else 0 end,
    counted_on = ${today}`;
}

/** Gives a feed back that was not fetched after all, because this process stops. */
export async function releaseFeed(
  db: Database,
  projectId: number,
  { key, lease, reading, readings }: Pick<LeasedFeed, "key" | "lease" | "reading" | "readings">,
): Promise<void> {
  await sql`
    update feeds.feed set lease = null, lease_until = null, reading = ${reading}, readings = ${readings},
      next_at = least(next_at, now())
    where project_id = ${projectId} and key = ${key} and lease = ${lease}::uuid`.execute(db);
}

/**
 * Takes the next `count` moments at which the host may be asked, `paceMs` apart, for all processes together. Gives the
 * wait until the first of them, in milliseconds.
 */
export async function reserveHost(
  db: Database,
  host: string,
  { count, paceMs }: { readonly count: number; readonly paceMs: number },
): Promise<number> {
  const span = sql`${count * paceMs}::double precision * interval '1 millisecond'`;
  const { rows } = await sql<{ wait: number }>`
    insert into feeds.host as h (host, next_at) values (${host}, clock_timestamp() + ${span})
    on conflict (host) do update set next_at = greatest(h.next_at, clock_timestamp()) + ${span}
    returning 1000 * extract(epoch from next_at - ${span} - clock_timestamp())::double precision as wait
  `.execute(db);
  return Math.max(0, Math.ceil(rows[0]?.wait ?? 0));
}

/** Nobody asks the host for this long: it has said so, or it does not answer. */
export async function closeHost(db: Database, host: string, forMs: number): Promise<void> {
  const until = sql`clock_timestamp() + ${forMs}::double precision * interval '1 millisecond'`;
  await sql`
    insert into feeds.host as h (host, next_at) values (${host}, ${until})
    on conflict (host) do update set next_at = greatest(h.next_at, ${until})`.execute(db);
}

/** All feeds that are configured, or were, by name. `at` is the database's clock. */
export async function listFeeds(
  db: Database,
  projectId: number,
): Promise<{ readonly at: Instant; readonly feeds: readonly FeedRow[] }> {
  const { rows } = await sql<ListedRow>`
    select f.*, now() as at, coalesce(lease_until > now(), false) as is_fetched_now,
      greatest(f.next_at, h.next_at) as due_at,
      counted_on is not distinct from (now() at time zone 'utc')::date as is_today,
      g.from_at as gap_from, g.to_at as gap_to, g.reason as gap_reason, g.noticed_at as gap_noticed
    from feeds.feed f left join feeds.host h on h.host = f.host
      left join lateral (select from_at, to_at, reason, noticed_at from feeds.gap g
        where g.project_id = f.project_id and g.key = f.key and noticed_at > now() - interval '30 days'
        order by noticed_at desc limit 1) g on true
    where project_id = ${projectId} order by is_configured desc, kind, name`.execute(db);
  const { rows: now } = await sql<{ at: Date }>`select now() as at`.execute(db);
  return { at: now[0]?.at.getTime() ?? 0, feeds: rows.map(toRow) };
}

interface ListedRow {
  key: string;
  kind: string;
  name: string;
  host: string;
  every_ms: string;
  is_configured: boolean;
  is_fetched_now: boolean;
  next_at: Date | null;
  due_at: Date | null;
  failures: number;
  added_at: Date;
  tried_at: Date | null;
  received_at: Date | null;
  item_at: Date | null;
  problem: string | null;
  readings: number;
  left_out: string | null;
  notes: Record<string, string>;
  is_today: boolean;
  items_today: number;
  matched_today: number;
  gap_from: Date | null;
  gap_to: Date | null;
  gap_reason: string | null;
  gap_noticed: Date | null;
}

function toRow(row: ListedRow): FeedRow {
  const { key, kind, name, host, failures, problem, readings } = row;
  return {
    ...{ key, kind, name, host, failures, problem, readings, leftOut: row.left_out },
    notes: Object.keys(row.notes)
      .sort()
      .map((subject) => row.notes[subject] ?? ""),
    everyMs: Number(row.every_ms),
    isConfigured: row.is_configured,
    isFetchedNow: row.is_fetched_now,
    nextAt: row.next_at === null ? null : (row.due_at?.getTime() ?? null),
    addedAt: row.added_at.getTime(),
    triedAt: row.tried_at?.getTime() ?? null,
    receivedAt: row.received_at?.getTime() ?? null,
    itemAt: row.item_at?.getTime() ?? null,
    itemsToday: row.is_today ? row.items_today : 0,
    matchedToday: row.is_today ? row.matched_today : 0,
    gap: gapOf(row),
  };
}

function gapOf(row: ListedRow): FeedRow["gap"] {
  const { gap_from: from, gap_to: to, gap_reason: reason, gap_noticed: noticed } = row;
  if (from === null || to === null || noticed === null) return null;
  return { from: from.getTime(), to: to.getTime(), reason: reason ?? "", noticedAt: noticed.getTime() };
}
