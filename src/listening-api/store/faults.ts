import { sql } from "kysely";
import type { Database } from "./database.ts";
import { type FaultKind, FaultKindName } from "./fault-kinds.ts";

/** One requested fault, as stored. */
export interface StoredFault {
  readonly id: number;
  readonly kind: FaultKind;
  /** Part of the path with its parameters, `*` for anything; null: every call. */
  readonly path: string | null;
  /** From 0 to 1. */
  readonly probability: number;
  /** In the unit of its kind. */
  readonly amount: number | null;
  /** How many times are left; null: until it is cleared. */
  readonly remaining: number | null;
  /** How often it has happened. */
  readonly applied: number;
}

export type NewFault = Omit<StoredFault, "id" | "applied">;

/** In the order in which they were set. */
export async function listFaults(db: Database): Promise<StoredFault[]> {
  const { rows } = await sql<FaultRow>`
    select id, kind, path, probability, amount, remaining, applied from local_api.fault order by id
  `.execute(db);
  return rows.flatMap(toFault);
}

/** Those that may still happen. */
export async function listActiveFaults(db: Database): Promise<StoredFault[]> {
  const { rows } = await sql<FaultRow>`
    select id, kind, path, probability, amount, remaining, applied from local_api.fault
    where remaining is null or remaining > 0 order by id`.execute(db);
  return rows.flatMap(toFault);
}

export async function insertFault(db: Database, fault: NewFault): Promise<StoredFault> {
  const { kind, path, probability, amount, remaining } = fault;
  const { rows } = await sql<{ id: string }>`
    insert into local_api.fault (kind, path, probability, amount, remaining)
    values (${kind}, ${path}, ${probability}, ${amount}, ${remaining}) returning id`.execute(db);
  return { ...fault, id: Number(rows[0]?.id), applied: 0 };
}

/** Uses up one time of a fault. False if another call has used the last one. */
export async function claimFault(db: Database, id: number): Promise<boolean> {
  const { rows } = await sql`
    update local_api.fault set remaining = remaining - 1, applied = applied + 1
    where id = ${id} and (remaining is null or remaining > 0) returning id`.execute(db);
  return rows.length > 0;
}

/** All of them, or those with these ids. Gives how many there were. */
export async function deleteFaults(db: Database, ids?: readonly number[]): Promise<number> {
  const which = ids === undefined ? sql`true` : sql`id = any(${ids}::bigint[])`;
  const { rows } = await sql`delete from local_api.fault where ${which} returning id`.execute(db);
  return rows.length;
}

interface FaultRow {
  id: string;
  kind: string;
  path: string | null;
  probability: number;
  amount: string | null;
  remaining: number | null;
  applied: string;
}

/** A kind of a later version is ignored here. */
function toFault(row: FaultRow): StoredFault[] {
  const kind = FaultKindName.safeParse(row.kind);
  if (!kind.success) return [];
  const { path, probability, remaining } = row;
  const amount = row.amount === null ? null : Number(row.amount);
  return [
    {
      id: Number(row.id),
      kind: kind.data,
      path,
      probability,
      amount,
      remaining,
      applied: Number(row.applied),
    },
  ];
}
