import type { Pool } from "pg";
import type { LocalApi } from "../../src/listening-api/create-local-api.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertFault, listActiveFaults, type NewFault } from "../../src/listening-api/store/faults.ts";

export interface SourceWatch {
  /** Paths with their parameters, in the order in which they were called. */
  readonly calls: string[];
  /** Waited for, each once, by the next call whose path fits. */
  readonly holds: { readonly on: RegExp; readonly hold: () => Promise<unknown> }[];
  /** Makes it fail: once, unless set otherwise. */
  fail(...faults: readonly (Partial<NewFault> & Pick<NewFault, "kind">)[]): Promise<void>;
  /** Faults that have not happened yet. */
  pending(): Promise<string[]>;
}

/** Watches a local API that does not listen yet. It fails by its own faults; here, calls are only seen and held up. */
export function watchSource({ app }: LocalApi, pool: Pool): SourceWatch {
  const db = createDatabase(pool);
  const calls: string[] = [];
  const holds: SourceWatch["holds"] = [];
  app.addHook("onRequest", async ({ url }) => {
    calls.push(url);
    const index = holds.findIndex(({ on }) => on.test(url));
    if (index !== -1) await holds.splice(index, 1)[0]?.hold();
  });
  return {
    calls,
    holds,
    async fail(...faults) {
      for (const fault of faults)
        await insertFault(db, { path: null, probability: 1, amount: null, remaining: 1, ...fault });
    },
    pending: async () => (await listActiveFaults(db)).map(({ kind }) => kind),
  };
}
