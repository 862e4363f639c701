import { hostname } from "node:os";
import { type Database, isLoopLate, pendingMigrations, ping, type QueueCounts, type Stores } from "#monitor";
import { withTimeout } from "../lib/concurrency.ts";
import { describeError } from "../lib/errors.ts";
import { loopDelay } from "../lib/loop-delay.ts";

/** Every process needs these. An answer that takes longer than a few seconds counts as none. */
export async function readiness(
  database: Database,
  stores: Stores,
  queues: (() => Promise<readonly QueueCounts[]>) | undefined,
) {
  const checks: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["database", () => ping(database.db)],
    ["migrations", () => expectNoneMissing(database)],
    ["event loop", () => expectInTime(stores)],
    ...(queues === undefined ? [] : [["queue", queues] as const]),
  ];
  return Promise.all(
    checks.map(async ([name, check]) => {
      const failure = await withTimeout(READY_WITHIN_MS, check()).then(() => undefined, describeError);
      return { name, ok: failure === undefined, detail: failure };
    }),
  );
}

const READY_WITHIN_MS = 4_000;

/** This process, and the pipeline if that started it: another host's is judged there. */
async function expectInTime({ processes }: Stores): Promise<void> {
  if (isLoopLate(loopDelay(READY_SECONDS))) throw new Error("the loop of this process is late");
  const here = hostname();
  const parent = (await processes.running()).find(({ host, pid }) => host === here && pid === process.ppid);
  if (parent !== undefined && isLoopLate(parent.loop)) throw new Error("the loop of the pipeline is late");
}

const READY_SECONDS = 10;

async function expectNoneMissing(database: Database): Promise<void> {
  const missing = await pendingMigrations(database.db);
  if (missing.length > 0) throw new Error(`the database has not had ${missing.join(", ")}`);
}
