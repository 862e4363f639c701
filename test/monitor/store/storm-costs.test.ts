import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { createStores, type Stores } from "../../../src/monitor/store/stores.ts";
import { useStores } from "../../use-stores.ts";

/**
 * What the line asks again and again while alerts are open and notifications wait must cost the same however many they
 * are: PostgreSQL says how many pages of 8 kB each statement reads.
 */
const NOW = Date.parse("2026-03-02T12:00:00Z");
const [FEW, MANY] = [4_000, 40_000];

const { database } = await useStores();
const costs = new Map<string, number[]>();

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  for (const count of [FEW, MANY]) {
    await openAlerts(count);
    for (const [name, ask] of Object.entries(ASKED)) {
      const pages = await pagesRead(ask);
      costs.set(name, [...(costs.get(name) ?? []), pages]);
    }
  }
}, 120_000);

const TERMS = { bucketMs: 5 * MINUTE, unplanned: [], mostPolls: 500, mostDeliveries: 500, mostEdits: 50 };

const ASKED: Readonly<Record<string, (stores: Stores) => Promise<unknown>>> = {
  "what the sweep finds": ({ dueWork }) => dueWork.find({ ...TERMS, now: NOW, liveReceivers: ["channel"] }),
  "what may be sent while channels are closed": ({ notifications }) => notifications.due(500, ["channel"]),
  "the next message to a receiver": ({ notifications }) => notifications.nextDue(["hook", "channel"]),
  "the claim of a message": ({ notifications }) => notifications.claim("p", idOf(1)),
  "what a throttle looks back on": ({ notifications }) =>
    notifications.decidedSince(new Map([["channel", NOW - 10 * MINUTE]])),
  "the alerts that may inhibit": ({ alerts }) => alerts.inhibitorsOfProject("p"),
  "the alerts that a tick may end": ({ alerts }) =>
    alerts.openThatMayEnd({ projectId: "p", queryId: "q" }, [{ rule: "flood", before: NOW - 60 * MINUTE }]),
  "the newest alerts of a page": ({ alerts }) =>
    alerts.latest(
      "p",
      Array.from({ length: 10 }, (_, n) => `f${n + 1}`),
    ),
};

test.each(Object.keys(ASKED))("%s", (name) => {
  const [few = 0, many = 0] = costs.get(name) ?? [];
  expect(few).toBeGreaterThan(0);
  // An index of ten times as many rows is a level deeper.
  expect({ name, few, many }).toSatisfy(() => many <= few * 1.2 + 40);
});

/** Ids as alerts and notifications have them: they begin with their moment. */
function idOf(n: number): string {
  const moment = NOW.toString(16).padStart(12, "0");
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** So many alerts of one rule are open; a notification of each waits for the webhook, and ten went to the channel. */
async function openAlerts(count: number): Promise<void> {
  const { db } = database;
  const at = sql`to_timestamp(${NOW / 1_000}::double precision)`;
  const id = sql`(left(${idOf(0)}, 24) || lpad(to_hex(n), 12, '0'))::uuid`;
  const numbers = sql`generate_series((select count(*)::int from earshot.latest_alerts) + 1, ${count}::int) as n`;
  await sql`
    insert into earshot.alerts (project_id, id, rule, fingerprint, query_id, query_name, severity, state, labels, opened_at, fired_at,
      last_seen_at, mentions, because, window_from, window_to, "values")
    select 'p', ${id}, 'flood', 'f' || n, 'q', 'Acme', 'info', 'firing', '{}', ${at}, ${at}, ${at}, 1, 'because', ${at}, ${at}, '{}'
    from ${numbers}`.execute(db);
  await sql`
    insert into earshot.notifications (project_id, id, receiver, kind, alert_id, created_at, reason)
    select 'p', ${id}, case when n <= 10 then 'channel' else 'hook' end, 'fired', ${id}, ${at}, 'Fired' from ${numbers}`.execute(
    db,
  );
  await sql`
    insert into earshot.latest_alerts (project_id, fingerprint, query_id, alert_id, open)
    select 'p', 'f' || n, 'q', ${id}, true from ${numbers}`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

/** What is asked is asked twice: for its statements, and to be explained. Nothing of it stays. */
async function pagesRead(ask: (stores: Stores) => Promise<unknown>): Promise<number> {
  const asked: CompiledQuery[] = [];
  const spied = new Kysely<never>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => {
      asked.push(query);
    },
  });
  let pages = 0;
  await spied.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    await ask(createStores(connection));
    await sql`rollback`.execute(connection);
    await sql`begin`.execute(connection);
    for (const { sql: text, parameters } of asked.slice(1, -2)) {
      const explain = `explain (analyze, buffers, format json) ${text}`;
      const { rows } = await connection.executeQuery<{ "QUERY PLAN": readonly Explained[] }>(
        CompiledQuery.raw(explain, [...parameters]),
      );
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
      pages += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
    }
    await sql`rollback`.execute(connection);
  });
  return pages;
}

interface Explained {
  readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number };
}
