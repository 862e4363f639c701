import { sql } from "kysely";
import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { createStoryCache, type StoryCache } from "../../../src/monitor/ingest/fold-stories.ts";
import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { sourceOfPages } from "../polling/source-of-pages.ts";
import { aRule } from "../rules/a-rule.ts";
import { createMemoryKnowledge } from "./use-polls.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const rules = [aRule("when: { sentiment: negative }\ngroupBy: story")];
const { database, stores } = await useStores();

const NEWS =
  "Northwind Airlines will cancel two hundred flights this weekend because of a shortage of pilots, the carrier said on Friday.";
const TEXTS = [
  NEWS,
  "Never again will I fly with Northwind, my suitcase went to Denver and I went to Boston, and nobody says sorry.",
  NEWS.replace("shortage", "lack"),
  `RT @paper: ${NEWS}`,
  NEWS.replace("two hundred", "200").replace("Friday", "Thursday"),
];

function mentionsOf(queryId: string): Mention[] {
  return TEXTS.map((text, n) =>
    aMention({
      queryId,
      resourceId: `m${n}`,
      addedAt: NOON - HOUR + n * MINUTE,
      sentiment: "negative",
      text,
      author: `author ${n}`,
      reach: n === 2 ? 90_000 : n,
    }),
  );
}

/** Stories of the mentions and alerts, after pages of so many. */
async function read(queryId: string, pageSize: number, cache: () => StoryCache | undefined) {
  const query = oddQuery({ queryId, name: queryId });
  await stores.queries.register([query], NOON - DAY, NOON - DAY);
  await stores.polls.ensure(NOON);
  const all = mentionsOf(queryId);
  async function* pages(): AsyncGenerator<SourcePage> {
    for (let i = 0; i < all.length; i += pageSize) {
      const nextCursor = i + pageSize < all.length ? String(i) : null;
      yield { mentions: all.slice(i, i + pageSize), rejected: [], nextCursor, total: all.length, pageSize };
    }
  }
  const parts = {
    store: stores,
    source: sourceOfPages(pages, { quirkLog: createMemoryKnowledge(() => NOON), now: () => NOON }),
    rulesFor: () => rules,
    notifyConfig: {
      routes: [],
      inhibitions: [],
      escalations: [],
      rotations: [],
      receiver: () => undefined,
      throttled: [],
    },
    clock: createManualClock(NOON),
    settings: () => ({ overlapMs: 0, settleMs: 0, lookbackMs: DAY, historyFrom: NOON - DAY }),
    everyMs: () => DAY,
    onPending: async () => {},
  };
  const stories = cache();
  await pollQuery(
    { ...parts, ...(stories !== undefined && { stories }) },
    { projectId: "p", queryId, poll: "added" },
    new AbortController().signal,
  );
  const { rows } = await sql<{ story: string }>`
    select story from earshot.mentions where query_id = ${queryId} order by resource_id
  `.execute(database.db);
  const alerts = await stores.alerts.openOfQuery("p", queryId);
  return { stories: rows.map(({ story }) => story), alerts };
}

test("texts that are nearly the same are one story and one alert, however they are cut into pages, by whichever process", async () => {
  const atOnce = await read("at once", 5, createStoryCache);
  const [news, other] = atOnce.stories;
  expect(other).not.toBe(news);
  expect(atOnce.stories).toEqual([news, other, news, news, news]);
  expect(atOnce.alerts.map(({ labels, mentions }) => [labels["story"], mentions]).sort()).toEqual(
    [
      [news, 4],
      [other, 1],
    ].sort(),
  );
  const cache = createStoryCache();
  expect((await read("one by one", 1, () => cache)).stories).toEqual(atOnce.stories);
  expect((await read("without a memory", 2, () => undefined)).stories).toEqual(atOnce.stories);
});

test("a story is shown with its count, its first and its most reaching mention", async () => {
  const { alerts } = await read("shown", 2, createStoryCache);
  const alert = alerts.find(({ mentions }) => mentions === 4);
  if (alert === undefined) throw new Error("there is no alert on the story");
  const [story, ...others] = await createConsoleStore(database.db).alertStories(alert, "matches", 5);
  expect(others).toEqual([]);
  expect([story?.mentions, story?.first.resourceId, story?.widest.resourceId]).toEqual([4, "m0", "m2"]);
});
