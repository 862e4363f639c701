import type { Clock } from "../../src/lib/clock.ts";
import { openTogether } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import type { Earshot } from "../../src/monitor/monitor.ts";
import { openSource } from "../../src/monitor/polling/open-source.ts";
import { reconcileInTurn } from "../../src/monitor/polling/reconcile-counts.ts";
import { accountOf } from "../../src/monitor/source/source-access.ts";
import { createAccountStores } from "../../src/monitor/store/account-stores.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { pruneTables } from "../../src/monitor/store/prune-tables.ts";
import { createStores } from "../../src/monitor/store/stores.ts";

/**
 * A round of each background loop that a small account has. A loop that fails begins again soon: so does a round here,
 * since another worker may have been in its way.
 */
export async function runLoopsOnce(worker: {
  readonly earshot: Earshot;
  readonly clock: Clock;
  readonly databaseUrl: string;
}): Promise<void> {
  const { earshot, clock, databaseUrl } = worker;
  const { sources, retention: retentionMs } = earshot.config;
  const log = createLog({ level: "silent" });
  const { signal } = new AbortController();
  await openTogether(async (closing) => {
    const { db, close } = openDatabase({ url: databaseUrl, connections: 2, onError: () => {} });
    closing.add(close);
    const stores = createStores(db);
    const parts = { db, stores, retentionMs, clock, log, signal };
    const work: (() => Promise<unknown>)[] = [() => pruneTables(parts), () => earshot.refreshQueries()];
    for (const config of sources) {
      const account = createAccountStores(db, { ...config, account: accountOf(config) });
      const source = openSource({ ...parts, config, account, rulesFor: () => [] }, closing);
      work.push(() => reconcileInTurn({ ...parts, source }));
    }
    for (const round of work) await round().catch(() => round());
    await closing.close();
  });
}
