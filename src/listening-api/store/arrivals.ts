import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { followChannel } from "../../lib/follow-channel.ts";
import { SECOND } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Database, DatabasePool } from "./database.ts";
import type { MentionVersion } from "./mention-version.ts";

/** Queries that mentions entered, and queries whose mentions changed. */
export interface Arrivals {
  readonly added: readonly number[];
  readonly updated: readonly number[];
}

const CHANNEL = "local_api_arrivals";

/** Ids in one announcement: PostgreSQL takes 8,000 bytes. */
const IDS_AT_ONCE = 350;

/** Announces the queries of these versions when the transaction commits; a rollback announces nothing. */
export async function announceArrivals(db: Database, versions: readonly MentionVersion[]): Promise<void> {
  const idsOf = (isNew: boolean): number[] => [
    ...new Set(
      versions.filter(({ version }) => (version === 1) === isNew).map(({ record }) => record.queryId),
    ),
  ];
  const [added, updated] = [idsOf(true), idsOf(false)];
  for (let from = 0; from < Math.max(added.length, updated.length); from += IDS_AT_ONCE) {
    const to = from + IDS_AT_ONCE;
    const some: Arrivals = { added: added.slice(from, to), updated: updated.slice(from, to) };
    await sql`select pg_notify(${CHANNEL}, ${storableJson(some)})`.execute(db);
  }
}

/**
 * Calls `onArrivals` after each commit that stored mentions, in whatever process, until the returned function is called.
 * See `followChannel`. A commit whose announcement was lost shows at the revision of its query, some seconds later: then
 * its mentions may be new or changed.
 */
export function followArrivals(
  pool: DatabasePool,
  onArrivals: (arrivals: Arrivals) => void,
  onBroken: (error: unknown) => void,
  checkEveryMs = 5 * SECOND,
): () => Promise<void> {
  const announced = new Set<number>();
  const endFollowing = followChannel(
    pool,
    CHANNEL,
    (payload) => {
      const arrivals = JSON.parse(payload) as Arrivals;
      for (const id of [...arrivals.added, ...arrivals.updated]) announced.add(id);
      onArrivals(arrivals);
    },
    onBroken,
  );
  const stopping = new AbortController();
  const checking = checkRevisions(
    pool,
    (changed) => {
      const missed = changed.filter((id) => !announced.has(id));
      announced.clear();
      if (missed.length > 0) onArrivals({ added: missed, updated: missed });
    },
    checkEveryMs,
    stopping.signal,
  );
  return async () => {
    stopping.abort();
    await Promise.all([endFollowing(), checking]);
  };
}

/**
 * Calls `onChanged` after each look that found other revisions, with the queries that were written to since the look
 * before. The first look has none before it, and so no queries.
 */
async function checkRevisions(
  pool: DatabasePool,
  onChanged: (queryIds: readonly number[]) => void,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  let known: ReadonlyMap<number, string> | null = null;
  let total: string | null = null;
  while (!signal.aborted) {
    // Ignored: the listener for announcements reports a database that is away.
    const revisions: readonly Revision[] = await readRevisions(pool, total).catch(() => []);
    if (revisions.length > 0) {
      const now = new Map(revisions.map(({ id, revision }) => [Number(id), revision]));
      const before: ReadonlyMap<number, string> = known ?? now;
      onChanged([...now.keys()].filter((id) => before.get(id) !== now.get(id)));
      known = now;
      total = revisions[0]?.total ?? null;
    }
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Of all queries, if the sum of their revisions is not `known`: mostly nothing is new, and there may be thousands. */
async function readRevisions(pool: DatabasePool, known: string | null): Promise<readonly Revision[]> {
  const { rows } = await pool.query<Revision>(
    `select q.id::text as id, q.revision::text as revision, t.total::text as total
     from (select sum(revision) as total from local_api.query) t join local_api.query q on true
     where t.total is distinct from $1::numeric`,
    [known],
  );
  return rows;
}

interface Revision {
  readonly id: string;
  readonly revision: string;
  /** The sum of all. */
  readonly total: string;
}
