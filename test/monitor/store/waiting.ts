import { type Kysely, sql } from "kysely";
import { expect } from "vitest";

/** No test is about how soon a statement gets there. */
const PATIENCE = { timeout: 20_000 };

/** Resolves when so many statements wait for what other transactions hold. */
export async function untilWaiting(db: Kysely<never>, n = 1): Promise<void> {
  await expect.poll(() => waiting(db), PATIENCE).toBe(n);
}

async function waiting(db: Kysely<never>): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}

/** Begins `work` while the caller's transaction holds something: whether it waits for that, and its result in the end. */
export async function begun<T>(
  db: Kysely<never>,
  work: () => Promise<T>,
): Promise<{ readonly waits: boolean; readonly result: Promise<T> }> {
  let isDone = false;
  const result = work().finally(() => {
    isDone = true;
  });
  let waits = false;
  await expect
    .poll(async () => {
      waits = !isDone && (await waiting(db)) > 0;
      return isDone || waits;
    }, PATIENCE)
    .toBe(true);
  return { waits, result };
}
