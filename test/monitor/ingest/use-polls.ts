import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { QuirkName, ServerQuirk } from "../../../src/monitor/model/server-quirk.ts";
import type { QuirkLog } from "../../../src/monitor/polling/next-page.ts";
import type { PollParts } from "../../../src/monitor/polling/poll-parts.ts";
import { type Database, openDatabase } from "../../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../../src/monitor/store/stores.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";
import { type Pages, sourceOfPages } from "../polling/source-of-pages.ts";
import { aWindowRule } from "../rules/a-rule.ts";

export const NOON = Date.parse("2026-03-02T12:00:00Z");
/** Counts negative mentions, and fires never. */
export const RULE = aWindowRule("when: { sentiment: negative }\nvolume: { atLeast: 1000, within: 1h }");

/** Tables, a clock and watched queries of project `p` for tests of polls; all new before each test. */
export function useWalks(queryIds: readonly string[] = ["1"]) {
  const clock = createManualClock(NOON);
  let testDatabase: TestDatabase;
  let database: Database;
  let stores: Stores;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ url: testDatabase.url, onError: (error) => expect.fail(error.message) });
    stores = createStores(database.db);
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });
  const reset = async (): Promise<void> => {
    await sql`truncate earshot.queries, earshot.polls, earshot.mentions, earshot.counts, earshot.series,
      earshot.coverage, earshot.condition_states, earshot.dead_letters, earshot.server_quirks, earshot.query_groups,
      earshot.count_checks, earshot.counted_queries`.execute(database.db);
    clock.set(NOON);
    const queries = queryIds.map((queryId) => oddQuery({ queryId, name: `Query ${queryId}` }));
    await stores.queries.register(queries, NOON - DAY, NOON - DAY);
    await stores.polls.ensure(NOON);
  };
  beforeEach(reset);
  return {
    clock,
    reset,
    db: () => database.db,
    url: () => testDatabase.url,
    stores: () => stores,
    /** A poll without stored quirks, with rules that count, and without receivers. */
    parts: ({
      fetchPages = noPages,
      quirkLog = createMemoryKnowledge(() => clock.now()),
      ...more
    }: Partial<PollParts> & { readonly fetchPages?: Pages; readonly quirkLog?: QuirkLog }): PollParts => ({
      store: stores,
      source: sourceOfPages(fetchPages, { quirkLog, now: () => clock.now() }),
      rulesFor: () => [RULE],
      notifyConfig: NOBODY,
      clock,
      settings: () => ({ overlapMs: 5 * MINUTE, settleMs: 0, lookbackMs: DAY, historyFrom: NOON - DAY }),
      everyMs: () => MINUTE,
      onPending: async () => {},
      ...more,
    }),
    /** The next poll is due, and nothing waits to be tried again. */
    due: async (): Promise<void> => {
      await sql`update earshot.polls set next_at = to_timestamp(0), retry_at_wall = null`.execute(
        database.db,
      );
    },
  };
}

async function* noPages(): AsyncGenerator<never> {}

/** Routes without receivers. */
export const NOBODY: PollParts["notifyConfig"] = {
  routes: [],
  inhibitions: [],
  escalations: [],
  rotations: [],
  receiver: () => undefined,
  throttled: [],
};

/** What is learned, for as long as the test lives. */
export function createMemoryKnowledge(now: () => Instant): QuirkLog {
  const known = new Map<QuirkName, ServerQuirk>();
  return {
    quirks: async () => known,
    note: async (findings) => {
      for (const { quirk, value, ms } of findings)
        known.set(quirk, { quirk, value, ms: ms ?? null, firstAt: now(), lastAt: now() });
    },
  };
}

/** A negative mention that arrived at `addedAt`. */
export function negative(resourceId: string, addedAt: Instant, queryId = "1"): Mention {
  return aMention({ queryId, resourceId, publishedAt: addedAt, addedAt, sentiment: "negative" });
}
