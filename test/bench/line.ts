import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { createManualClock } from "../../src/lib/clock.ts";
import { collectGarbageSooner } from "../../src/lib/heap.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../src/lib/instant.ts";
import { createStoryCache } from "../../src/monitor/ingest/fold-stories.ts";
import type { PollParts } from "../../src/monitor/polling/poll-parts.ts";
import { pollQuery } from "../../src/monitor/polling/poll-queries.ts";
import { createQuirkLog } from "../../src/monitor/polling/quirk-log.ts";
import { loadRules } from "../../src/monitor/rules/load-rules.ts";
import type { Rule } from "../../src/monitor/rules/rule.ts";
import { createMemoryTokenStore } from "../../src/monitor/source/session.ts";
import { createSourceClient, type SourceClient } from "../../src/monitor/source/source-client.ts";
import type { Database } from "../../src/monitor/store/database.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { createServerQuirkStore } from "../../src/monitor/store/server-quirks.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import type { PageServer } from "./pages.ts";

/** When the mentions of the page server begin to arrive; there are 2.5 a second. */
const BEGIN = Date.UTC(2026, 10, 1);
const MS_PER_MENTION = 400;

/** What a poll writes to. */
const TABLES = [
  "story_texts",
  "queries",
  "polls",
  "mentions",
  "matches",
  "series",
  "counts",
  "condition_states",
  "coverage",
  "dead_letters",
  "alerts",
  "latest_alerts",
  "alert_events",
  "alert_receivers",
  "notifications",
];

/** The whole line from the page server to the tables, as app.ts puts it together. */
export interface Line {
  readonly parts: PollParts;
  run(parts?: PollParts): Promise<number>;
  /** Empties every table and lets PostgreSQL write what it still holds, outside of what is measured. */
  empty(): Promise<void>;
  /** Throws unless every mention of every page is stored. */
  check(): Promise<void>;
  stored(): Promise<string>;
  /** The database stays open: it is the caller's. */
  close(): Promise<void>;
}

/** `history`: the mentions are older than the watch, so they are counted and alert nobody. */
export async function createLine(
  database: Database,
  from: PageServer,
  options: { readonly history: boolean },
): Promise<Line> {
  collectGarbageSooner();
  // Later than all of them.
  const now = BEGIN + Math.max(DAY, from.mentions * MS_PER_MENTION + HOUR);
  const { rules, faults } = await loadRules(fileURLToPath(new URL("../../rules", import.meta.url)));
  if (faults.length > 0) throw new Error("the shipped rules have faults");
  const stores = createStores(database.db);
  const source = clientOf(from);
  const query = {
    projectId: from.projectId,
    queryId: from.queryId,
    name: "Everything about the brand",
    projectName: "Bench",
    timezone: "UTC",
  };
  // Watched from long before: every mention is judged, counted and may alert.
  const watchFrom = options.history ? now : now - 30 * DAY;
  const parts = pollParts(database, source, rules, now);
  const prepare = async (): Promise<void> => {
    await stores.queries.register([query], watchFrom, now - 14 * DAY);
    await stores.polls.ensure(now);
  };
  await ensurePartitions(database.db, now);
  await prepare();
  const countOf = async (table: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.id("earshot", table)}`.execute(
      database.db,
    );
    return rows[0]?.n ?? 0;
  };
  return {
    parts,
    run: async (used = parts) => {
      // Tables were emptied in between.
      const outcome = await pollQuery(
        { ...used, stories: createStoryCache() },
        { ...query, poll: "added" },
        new AbortController().signal,
      );
      if (outcome.outcome !== "Complete") throw new Error(`the poll ended with ${JSON.stringify(outcome)}`);
      return outcome.added;
    },
    empty: async () => {
      await sql`truncate ${sql.join(TABLES.map((table) => sql.id("earshot", table)))}`.execute(database.db);
      await sql`checkpoint`.execute(database.db);
      await prepare();
    },
    check: async () => {
      const stored = await countOf("mentions");
      if (stored !== from.mentions) throw new Error(`${stored} of ${from.mentions} mentions are stored`);
    },
    stored: async () =>
      `${await countOf("mentions")} mentions stored, ${await countOf("counts")} counts, ${await countOf("matches")} matches, ${await countOf("alerts")} alerts, ${await countOf("notifications")} notifications`,
    close: () => source.close(),
  };
}

function pollParts({ db }: Database, source: SourceClient, rules: readonly Rule[], now: Instant): PollParts {
  const stores = createStores(db);
  const clock = createManualClock(now);
  const quirkLog = createQuirkLog(createServerQuirkStore(db, "bench"), clock);
  return {
    store: stores,
    source: {
      clients: { crisis: source, live: source, background: source },
      rulesFor: () => rules,
      pageSize: 5_000,
      quirkLog,
      hasOlder: stores.mentions.hasOlder,
      fullest: { rows: 0 },
      now: () => clock.now(),
      isWallTime: clock.speed === 1,
      noteCall: async () => {},
    },
    rulesFor: () => rules,
    notifyConfig: {
      routes: [
        {
          match: { severity: "critical" },
          receivers: ["phone"],
          repeatEveryMs: 4 * HOUR,
          sendResolved: true,
          forgetAfterMs: DAY,
          group: null,
          routes: [],
          continue: false,
        },
      ],
      receiver: (name) => ({ name, quietHours: [], throttle: null }),
      throttled: [],
      inhibitions: [],
      escalations: [],
      rotations: [],
    },
    clock,
    settings: () => ({
      overlapMs: 5 * MINUTE,
      settleMs: 0,
      lookbackMs: 30 * DAY,
      historyFrom: now - 14 * DAY,
    }),
    everyMs: () => MINUTE,
    onPending: async () => {},
  };
}

function clientOf(from: PageServer): SourceClient {
  return createSourceClient({
    baseUrl: from.baseUrl,
    credentials: { username: "bench", password: "bench", clientId: "bench-api-client" },
    tokens: createMemoryTokenStore(),
  });
}
