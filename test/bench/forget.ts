import { createManualClock, monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY } from "../../src/lib/instant.ts";
import { commitPage } from "../../src/monitor/ingest/commit-page.ts";
import { preparePage } from "../../src/monitor/ingest/prepare-page.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import { NEW_POLL } from "../../src/monitor/model/poll-state.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import { aMention } from "../mention.ts";
import { NOBODY } from "../monitor/ingest/use-polls.ts";
import { aRule } from "../monitor/rules/a-rule.ts";
import { openBenchDatabase } from "./bench-database.ts";

// What tombstones cost a page of 5,000 new mentions, and how long a page of 500 deletes takes.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const RULES = [
  aRule("when: { sentiment: negative }\ngroupBy: author"),
  { ...aRule("when: { sentiment: negative }\nvolume: { atLeast: 1000, within: 1h }"), name: "crowd" },
];
const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;
const PAGE = 5_000;

const closing = createClosing();
const database = await openBenchDatabase(closing);
const stores = createStores(database.db);
const clock = createManualClock(NOON);
await ensurePartitions(database.db, NOON);
const query = { projectId: "p", queryId: "1", name: "Acme", projectName: "Brands", timezone: "UTC" };
await stores.queries.register([query], NOON - DAY, NOON - DAY);
await stores.polls.ensure(NOON);
const watched = await stores.queries.find("p", "1");
const claim = await stores.polls.claim(KEY, NOON + DAY);
if (watched === null || claim === null) throw new Error("the poll is free");
const run = { key: KEY, query: watched, lease: claim.lease };

function page(from: number, count: number, facts: Partial<Mention> = {}): Mention[] {
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const times = { publishedAt: NOON - (n % 3_600) * 1_000, addedAt: NOON };
    const text = `post ${n} of author ${n % 700} about kettle ${n * 7919} and train ${n * 104729} in town ${n % 31}`;
    const sentiment = n % 40 === 0 ? "negative" : "neutral";
    return aMention({ resourceId: `m${n}`, ...times, text, sentiment, author: `author${n % 700}`, ...facts });
  });
}

/** The median of some pages, in milliseconds. */
async function median(pages: readonly Mention[][]): Promise<number> {
  const took: number[] = [];
  for (const mentions of pages) {
    const all = { mentions, rejected: [], nextCursor: null, total: null, pageSize: PAGE };
    const prepared = preparePage(RULES, stores.mentions.rowsOf, all);
    const begun = monotonicMs();
    await commitPage({ store: stores, notifyConfig: NOBODY, clock }, run, prepared, NEW_POLL);
    took.push(monotonicMs() - begun);
  }
  return Math.round(took.sort((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0);
}

try {
  const pages = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => page(from + i * PAGE, PAGE));
  await median(pages(0, 1));
  console.log(`5,000 new mentions, no tombstone: ${await median(pages(10_000, 5))} ms`);
  const deletes = Array.from({ length: 5 }, (_, i) => page(10_000 + i * 500, 500, { isDeleted: true }));
  console.log(`500 deletes of stored mentions: ${await median(deletes)} ms`);
  await median([page(1_000_000, 10_000, { isDeleted: true })]);
  console.log(`5,000 new mentions, 12,500 tombstones: ${await median(pages(100_000, 5))} ms`);
} finally {
  await closing.close();
}
