import { systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import type { Logger } from "../log.ts";
import type { SetAside } from "../model/set-aside.ts";
import { openDatabase } from "../store/database.ts";
import { startEmbeddedPostgres } from "../store/embedded.ts";
import { createSetAsideStore } from "../store/set-aside.ts";

export interface SetAsideDesk {
  standing(limit: number): Promise<readonly SetAside[]>;
  replay(ids: readonly string[] | "all"): Promise<number>;
  close(): Promise<void>;
}

/** What stands aside, for a command beside a running Earshot or alone. */
export async function openSetAside(options: {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly log: Logger;
}): Promise<SetAsideDesk> {
  const { databaseUrl, dataDir, log } = options;
  return openTogether(async (closing) => {
    let url = databaseUrl;
    if (url === null) {
      const embedded = await startEmbeddedPostgres({ dataDir, log, share: true });
      closing.add(embedded.stop);
      url = embedded.url;
    }
    const database = openDatabase({ url, connections: 2, onError: () => {} });
    closing.add(database.close);
    const store = createSetAsideStore(database.db);
    return {
      standing: store.standing,
      replay: (ids) => store.replay(ids, systemClock.now()),
      close: closing.close,
    };
  });
}
