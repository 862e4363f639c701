import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { createManualClock, monotonicMs } from "../../src/lib/clock.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../src/lib/instant.ts";
import { createNotifyConfig } from "../../src/monitor/health/notify-config.ts";
import { closeWindows } from "../../src/monitor/ingest/close-windows.ts";
import type { SourcePage } from "../../src/monitor/ingest/source-page.ts";
import { composeSlack, type SlackContent } from "../../src/monitor/notify/notifiers/slack/compose-slack.ts";
import { createViewOf } from "../../src/monitor/notify/view/view-of.ts";
import type { PollParts } from "../../src/monitor/polling/poll-parts.ts";
import { pollQuery } from "../../src/monitor/polling/poll-queries.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";
import { timeStore } from "../bench/time-store.ts";
import { aMention } from "../mention.ts";
import { createMemoryKnowledge } from "../monitor/ingest/use-polls.ts";
import { sourceOfPages } from "../monitor/polling/source-of-pages.ts";
import { aRule } from "../monitor/rules/a-rule.ts";
import { oddQuery } from "../odd-world.ts";
import { useStores } from "../use-stores.ts";

/** Ten thousand authors are angry within a minute, about four brands. */
const QUERIES = ["Acme", "Bolt", "Crux", "Dune"];
const EACH = 2_500;
const PAGE = 500;
const NINE = Date.parse("2026-03-02T09:00:00Z");

const { database, stores } = await useStores();
beforeAll(async () => {
  await ensurePartitions(database.db, NINE);
});

const config = await parseConfig({
  // The rule is not held.
  operator: { flood: 10_000 },
  source: { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" },
  receivers: [
    // Without a throttle in the configuration: the one that every channel has.
    { name: "channel", kind: "slack", channel: "#alerts", token: "t" },
    { name: "grouped", kind: "slack", channel: "#groups", token: "t" },
  ],
  routes: [
    { receivers: ["channel"], repeatEvery: "never", continue: true },
    {
      receivers: ["grouped"],
      repeatEvery: "never",
      groupBy: ["rule"],
      groupWait: "30s",
      groupInterval: "5m",
    },
  ],
});
const directory = createNotifyConfig(config);
const rules = [aRule("when: { sentiment: negative }\ngroupBy: author\nover: { after: 20m }")];
const clock = createManualClock(NINE);

test("10,000 alerts in a minute end as few readable messages with true counts, and so do their ends", async () => {
  const health = timeStore(stores);
  const startedAt = monotonicMs();
  await stores.queries.register(
    QUERIES.map((name) => oddQuery({ queryId: name, name })),
    NINE - HOUR,
    NINE - HOUR,
  );
  await stores.polls.ensure(NINE);
  clock.set(NINE + MINUTE);
  for (const queryId of QUERIES) await read(queryId, health.timed);
  const firedMs = monotonicMs() - startedAt;
  for (const minutes of [6, 11]) await tick(NINE + minutes * MINUTE, health.timed);
  const { text, blocks } = await largest();
  expect(text).toMatch(
    /^INFO author \d+ is negative about \w+(: “.+”)?\. Since Mon 2 Mar, 09:00 UTC\. And 9,490 more\.$/,
  );
  expect(JSON.stringify(blocks)).toMatch(
    /… and 9,485 others: 2,495 × \w+ \(A rule\), 2,495 × \w+ \(A rule\)/,
  );
  // The end of a single mention is sent only if somebody took the alert.
  await sql`update earshot.alerts set handling = handling || '{"assignee": "Ann"}'`.execute(database.db);
  for (const minutes of [32, 45]) await tick(NINE + minutes * MINUTE, health.timed);
  const wholeMs = monotonicMs() - startedAt;

  const messageSizes = await readMessageSizes();
  expect(messageSizes("grouped", "fired")).toEqual([500, 9_500]);
  // The tenth message of ten minutes covers the rest of the first page; the next ten minutes cover all others.
  expect(messageSizes("channel", "fired")).toEqual([...ONES, 491, ...ONES, 9_491]);
  for (const receiver of ["grouped", "channel"]) {
    expect(sum(messageSizes(receiver, "resolved"))).toBe(10_000);
    expect(messageSizes(receiver, "resolved").length).toBeLessThanOrEqual(20);
  }
  const slowest = health.times().slice(0, 5);
  process.stdout.write(
    `10,000 alerts fired in ${Math.round(firedMs)} ms, were sent and resolved after ${Math.round(wholeMs)} ms, ${Math.round(process.memoryUsage().rss / 1e6)} MB; waited for ${slowest.map(([name, ms]) => `${name} ${Math.round(ms)} ms`).join(", ")}\n`,
  );
}, 120_000);

const ONES = Array.from({ length: 9 }, () => 1);
const sum = (counts: readonly number[]) => counts.reduce((all, n) => all + n, 0);

/** Polls all mentions of one brand in that minute, page by page. */
async function read(queryId: string, store: PollParts["store"]): Promise<void> {
  const all = Array.from({ length: EACH }, (_, n) =>
    aMention({
      queryId,
      resourceId: `m${n}`,
      addedAt: NINE + Math.floor((n * MINUTE) / EACH),
      sentiment: "negative",
      author: `author ${n}`,
      text: `never again, says number ${n} of us, and means it`,
    }),
  );
  async function* pages(): AsyncGenerator<SourcePage> {
    for (let i = 0; i < all.length; i += PAGE) {
      const nextCursor = i + PAGE < all.length ? String(i) : null;
      yield { mentions: all.slice(i, i + PAGE), rejected: [], nextCursor, total: all.length, pageSize: PAGE };
    }
  }
  const parts: PollParts = {
    store,
    source: sourceOfPages(pages, { quirkLog: createMemoryKnowledge(clock.now), now: clock.now }),
    rulesFor: () => rules,
    notifyConfig: directory,
    clock,
    settings: () => ({ overlapMs: 0, settleMs: 0, lookbackMs: DAY, historyFrom: NINE - HOUR }),
    everyMs: () => DAY,
    onPending: async () => {},
  };
  const done = await pollQuery(
    parts,
    { projectId: "p", queryId, poll: "added" },
    new AbortController().signal,
  );
  expect(done).toMatchObject({ outcome: "Complete", added: EACH });
}

async function tick(at: Instant, store: PollParts["store"]): Promise<void> {
  clock.set(at);
  const until = at / 1000;
  await sql`update earshot.polls set complete_until = to_timestamp(${until}::double precision)`.execute(
    database.db,
  );
  for (const queryId of QUERIES)
    await closeWindows(
      { store, rulesFor: () => rules, notifyConfig: directory, clock },
      { projectId: "p", queryId },
    );
}

/** How many alerts each message covered, in order. */
async function readMessageSizes() {
  const { rows } = await sql<{ receiver: string; kind: string; alerts: number }>`
    select receiver, kind, 1 + coalesce(jsonb_array_length(also), 0) as alerts from earshot.notifications order by id
  `.execute(database.db);
  return (receiver: string, kind: string) =>
    rows.filter((one) => one.receiver === receiver && one.kind === kind).map(({ alerts }) => alerts);
}

async function largest(): Promise<SlackContent> {
  const { rows } = await sql<{ id: string }>`
    select id from earshot.notifications where kind = 'fired' and receiver = 'channel'
    order by jsonb_array_length(also) desc nulls last limit 1
  `.execute(database.db);
  const notification = await stores.notifications.claim("p", rows[0]?.id ?? "");
  if (notification === null) throw new Error("no notification was pending");
  const viewOf = createViewOf({
    ...{ stores, rulesFor: () => rules, timezone: "UTC", clock, consoleUrl: () => null },
  });
  const found = await viewOf({ ...notification, kind: "fired" });
  if (found?.about !== "alert") throw new Error("there is nothing to show");
  const renderer = await createRenderer({ folder: "templates" });
  return composeSlack({ kind: "fired", view: found.view }, renderer);
}
