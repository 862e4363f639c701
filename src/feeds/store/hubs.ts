import { sql } from "kysely";
import type { Database } from "#listening-api";
import type { FeedHub } from "../common/define-feed.ts";

/** A hub that is to be asked to push a feed. */
interface DueHub {
  readonly key: string;
  readonly id: string;
  readonly hub: string;
  readonly topic: string;
  readonly secret: string;
  /** How often it was asked in a row without a word from it, this time included. */
  readonly attempts: number;
}

/** A hub that calls. */
export interface SubscribedHub extends Pick<DueHub, "key" | "topic" | "secret"> {
  readonly base: string;
  /** Whether it was asked to push within the last day. Our yes may be lost on the way: it may ask again. */
  readonly isAsked: boolean;
  /** Whether its feed is still configured. */
  readonly isConfigured: boolean;
}

/**
 * Remembers the hub that the document of a feed names, inside the caller's transaction; null: it names none any more. Another
 * hub or topic begins anew. `id` and `secret` are
 * random, and taken where it is new.
 */
export async function noteHub(
  db: Database,
  projectId: number,
  key: string,
  hub: (FeedHub & { readonly id: string; readonly secret: string }) | null,
): Promise<void> {
  await sql`
    delete from feeds.hub where project_id = ${projectId} and key = ${key}
      and (hub, topic) is distinct from (${hub?.url ?? null}::text, ${hub?.topic ?? null}::text)`.execute(db);
  if (hub === null) return;
  await sql`
    insert into feeds.hub as known (project_id, key, id, hub, topic, base, secret)
    values (${projectId}, ${key}, ${hub.id}, ${hub.url}, ${hub.topic}, ${hub.base}, ${hub.secret})
    on conflict (project_id, key) do update set base = excluded.base where known.base <> excluded.base
  `.execute(db);
}

/** Whether the hub of a feed has agreed to push it, and that time is not over. */
export async function isPushed(db: Database, projectId: number, key: string): Promise<boolean> {
  const { rows } = await sql`
    select from feeds.hub where project_id = ${projectId} and key = ${key} and lease_until > now()
  `.execute(db);
  return rows.length > 0;
}

/**
 * A hub that is due to be asked; until `retryMs` later nobody else gets it. Null: none is due. One that calls us at another
 * address is due, too, and does not push until it has agreed; processes that disagree about our address do not ask in turns.
 */
export async function claimHub(
  db: Database,
  projectId: number,
  keys: readonly string[],
  { callback, retryMs }: { readonly callback: string; readonly retryMs: number },
): Promise<DueHub | null> {
  const { rows } = await sql<DueHub>`
    update feeds.hub h set asked_at = now(), attempts = attempts + 1, callback = ${callback},
      lease_until = case when callback is not distinct from ${callback} then lease_until end,
      next_at = now() + ${retryMs}::double precision * power(2, least(attempts, 5)) * interval '1 millisecond'
    where (project_id, key) = (
      select project_id, key from feeds.hub
      where project_id = ${projectId} and key = any(${keys}::text[]) and (next_at <= now()
        or (callback <> ${callback} and asked_at < now() - interval '5 minutes'))
      order by next_at, key limit 1 for no key update skip locked)
    returning key, id, hub, topic, secret, attempts`.execute(db);
  return rows[0] ?? null;
}

/** What came of asking it; null: it has taken the request, and will call. */
export async function askedHub(
  db: Database,
  projectId: number,
  key: string,
  problem: string | null,
): Promise<void> {
  await sql`
    update feeds.hub set problem = ${problem} where project_id = ${projectId} and key = ${key}`.execute(db);
}

/** The subscription of a hub that calls; null: there is none of this id. */
export async function findHub(db: Database, projectId: number, id: string): Promise<SubscribedHub | null> {
  const { rows } = await sql<SubscribedHub>`
    select h.key, topic, base, secret, coalesce(asked_at > now() - interval '1 day', false) as "isAsked",
      is_configured as "isConfigured"
    from feeds.hub h join feeds.feed f using (project_id, key)
    where project_id = ${projectId} and id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** It pushes for so long. It is asked again when half of that is over. */
export async function grantHubLease(db: Database, id: string, leaseMs: number): Promise<void> {
  const span = sql`${leaseMs}::double precision * interval '1 millisecond'`;
  await sql`
    update feeds.hub set lease_until = now() + ${span}, next_at = now() + ${span} / 2, attempts = 0,
      problem = null
    where id = ${id}`.execute(db);
}

/** It does not push, or no longer. It is asked again a day later. */
export async function endHubLease(db: Database, id: string, problem: string): Promise<void> {
  await sql`
    update feeds.hub set lease_until = null, attempts = 0, problem = ${problem},
      next_at = now() + interval '1 day'
    where id = ${id}`.execute(db);
}

/** It was told that nobody listens any more: it pushes no longer, and is asked anew as soon as somebody does. */
export async function dropHubLease(db: Database, id: string): Promise<void> {
  await sql`
    update feeds.hub set lease_until = null, attempts = 0, next_at = now() where id = ${id}`.execute(db);
}

export async function notePushed(db: Database, id: string): Promise<void> {
  await sql`update feeds.hub set pushed_at = now() where id = ${id}`.execute(db);
}

/**
 * The feed is fetched at the next opportunity: something of it is new, and could not be read as it was pushed. One that is
 * being fetched is fetched once more after that: the document in hand may be older.
 */
export async function makeFeedDue(db: Database, projectId: number, key: string): Promise<void> {
  await sql`
    update feeds.feed set next_at = least(next_at, now()), woken = coalesce(lease_until > now(), false)
    where project_id = ${projectId} and key = ${key} and next_at is not null`.execute(db);
}
