import type pg from "pg";
import type { Config } from "../../src/admin/config/config.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { openTogether } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import type { Earshot } from "../../src/monitor/monitor.ts";
import { type OpenSource, openSource } from "../../src/monitor/polling/open-source.ts";
import { reconcileInTurn } from "../../src/monitor/polling/reconcile-counts.ts";
import { refreshGroups } from "../../src/monitor/polling/refresh-groups.ts";
import { writeNext } from "../../src/monitor/polling/write-corrections.ts";
import { accountOf } from "../../src/monitor/source/source-access.ts";
import { createAccountStores } from "../../src/monitor/store/account-stores.ts";
import { type Db, openDatabase } from "../../src/monitor/store/database.ts";
import { pruneTables } from "../../src/monitor/store/prune-tables.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";

/**
 * A round of each background loop that a small account has. A loop that fails begins again soon: so does a round here,
 * since another worker may have been in its way.
 */
export async function runLoopsOnce(worker: {
  readonly earshot: Earshot;
  readonly clock: Clock;
  readonly databaseUrl: string;
  /** Leads past every relay. */
  readonly wall: pg.Pool;
}): Promise<void> {
  const { earshot, clock, databaseUrl, wall } = worker;
  const { sources, retention: retentionMs } = earshot.config;
  await openTogether(async (closing) => {
    const { db, close } = openDatabase({ url: databaseUrl, connections: 2, onError: () => {} });
    closing.add(close);
    const parts = { db, stores: createStores(db), retentionMs, clock, log };
    await twice(() => pruneTables(parts));
    await twice(() => earshot.refreshQueries());
    await withSources({ db, clock, sources }, async (own) => {
      const { config } = own.source;
      await twice(() => reconcileInTurn(own));
      // It reads the list of groups or changes them, and then tries them.
      for (let turn = 0; config.mayCreateGroups && turn < 2; turn++)
        await twice(() => refreshGroups(own, own.source, ROOM));
      if (config.writeCorrections) await twice(() => writeAll(own, wall));
    });
    await closing.close();
  });
}

/** For so many queries an address has room: with a few more there are groups. */
export const ROOM = 2;

/** Under a rate limit a poll waits for its turn, by the wall's clock. `$1`: what the domain clock shows. */
export const POLLS_THAT_WAIT = `select from earshot.polls join earshot.queries q using (project_id, query_id)
  where q.active and next_at <= $1 and exists (select from earshot.budgets where calls is not null)`;

const log = createLog({ level: "silent" });

async function twice(round: () => Promise<unknown>): Promise<void> {
  await round().catch(() => round());
}

/** Works with each source as a background loop does. */
export async function withSources(
  {
    db,
    clock,
    sources,
  }: { readonly db: Db; readonly clock: Clock; readonly sources: readonly Config["sources"][number][] },
  work: (parts: {
    readonly stores: Stores;
    readonly source: OpenSource;
    readonly clock: Clock;
    readonly log: typeof log;
    readonly signal: AbortSignal;
  }) => Promise<void>,
): Promise<void> {
  const parts = { stores: createStores(db), clock, log, signal: new AbortController().signal };
  for (const config of sources)
    await openTogether(async (closing) => {
      const account = createAccountStores(db, { ...config, account: accountOf(config) });
      await work({
        ...parts,
        source: openSource({ ...parts, config, account, rulesFor: () => [] }, closing),
      });
      await closing.close();
    });
}

/**
 * Writes all corrections. A worker that died has one longer than the harness lets pass at a death. One that is never free
 * is left: the comparison of the facts says so.
 */
async function writeAll(parts: Parameters<typeof writeNext>[0], wall: pg.Pool): Promise<void> {
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    while ((await writeNext(parts)) === "Written");
    const [next] = (await wall.query<{ seconds: number }>(NEXT_EDIT)).rows;
    if (next === undefined) return;
    await wall.query("select harness.put_forward($1)", [Math.max(0, next.seconds) + 1]);
  }
}

const MOST_ROUNDS = 10;

const NEXT_EDIT = `select extract(epoch from greatest(next_try_wall, leased_until_wall) - now())::float8 as seconds
  from earshot.source_edits where state = 'due' order by 1 limit 1`;
