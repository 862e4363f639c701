import { type RawBuilder, sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";
import { type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";

export interface Total {
  readonly count: number;
  /** The highest mention id in the range, -1 when there is none. */
  readonly maximumId: number;
  /** In which the mentions were added, and last changed; null when there is none. */
  readonly added: Span | null;
  readonly updated: Span | null;
}

/** Both ends belong to it. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** Totals of ranges at moments. */
export interface MentionTotals {
  read(range: MentionRange, at: Instant): Promise<Total>;
}

/** How many ranges have a stored total. */
const REMEMBERED = 500;

/**
 * Counting a wide range costs a scan, and every page repeats it. So a total is stored with the moment it is true for; a
 * later moment only adds what became visible since and subtracts what was superseded. Writes to a query raise its
 * revision, and a total of an older revision is not used: the answer is always exact.
 */
export function createMentionTotals(db: Database): MentionTotals {
  const remembered = new Map<string, Total & { at: Instant; revision: string }>();

  return {
    async read(range, at) {
      const key = JSON.stringify(range);
      const revision = await readRevision(db, range.queryIds);
      const before = remembered.get(key);
      const total =
        before !== undefined && before.revision === revision && before.at <= at
          ? await carryForward(db, range, before, at)
          : await count(db, range, visibleSql(at));
      remembered.delete(key);
      remembered.set(key, { ...total, at, revision });
      for (const oldest of remembered.keys()) {
        if (remembered.size <= REMEMBERED) break;
        remembered.delete(oldest);
      }
      return total;
    },
  };
}

async function carryForward(
  db: Database,
  range: MentionRange,
  before: Total & { at: Instant },
  at: Instant,
): Promise<Total> {
  if (before.at === at) return before;
  const [then, now] = [new Date(before.at), new Date(at)];
  const [appeared, vanished] = await Promise.all([
    count(db, range, sql`visible_at > ${then} and visible_at <= ${now} and superseded_at > ${now}`),
    count(db, range, sql`superseded_at > ${then} and superseded_at <= ${now} and visible_at <= ${then}`),
  ]);
  return {
    count: before.count + appeared.count - vanished.count,
    maximumId: Math.max(before.maximumId, appeared.maximumId),
    // Those that vanished may leave them too wide, which does no harm.
    added: wider(before.added, appeared.added),
    updated: wider(before.updated, appeared.updated),
  };
}

function wider(a: Span | null, b: Span | null): Span | null {
  if (a === null || b === null) return a ?? b;
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
}

async function count(db: Database, range: MentionRange, which: RawBuilder<boolean>): Promise<Total> {
  const { rows } = await sql<{
    count: string;
    maximum_id: string | null;
    added: readonly [Date | null, Date | null];
    updated: readonly [Date | null, Date | null];
  }>`
    select count(*) as count, max(id) as maximum_id, array[min(added), max(added)] as added,
      array[min(updated), max(updated)] as updated
    from local_api.mention
    where query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${which}`.execute(db);
  return {
    count: Number(rows[0]?.count ?? 0),
    maximumId: Number(rows[0]?.maximum_id ?? -1),
    added: toSpan(rows[0]?.added),
    updated: toSpan(rows[0]?.updated),
  };
}

function toSpan([from, to]: readonly (Date | null)[] = []): Span | null {
  return from == null || to == null ? null : { from: from.getTime(), to: to.getTime() };
}

/** Changes with every write to the mentions of the queries. */
export async function readRevision(db: Database, queryIds: readonly number[]): Promise<string> {
  const { rows } = await sql<{ revision: string }>`
    select coalesce(sum(revision), 0)::text as revision from local_api.query
    where id = any(${queryIds}::bigint[])`.execute(db);
  return rows[0]?.revision ?? "0";
}
