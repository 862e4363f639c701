import { sql } from "kysely";
import { followChannel } from "../../lib/follow-channel.ts";
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
    await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(some)})`.execute(db);
  }
}

/**
 * Calls `onArrivals` after each commit that stored mentions, in whatever process, until the returned function is called.
 * See `followChannel`.
 */
export function followArrivals(
  pool: DatabasePool,
  onArrivals: (arrivals: Arrivals) => void,
  onBroken: (error: unknown) => void,
): () => Promise<void> {
  return followChannel(pool, CHANNEL, (payload) => onArrivals(JSON.parse(payload) as Arrivals), onBroken);
}
