import { beforeAll, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import { isByArrival, type MentionFilter, type MentionPosition } from "../../../src/monitor/model/shown.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { openDatabase } from "../../../src/monitor/store/database.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { anAlert, makeAStory, PROJECT, pending, storeMentions } from "../../console/make-a-story.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { createTestDatabase } from "../../postgres.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const ANY: MentionFilter = { projectId: null, queryId: null, sentiment: null, contains: null };
const { database, stores } = await useStores();
let facts: ReturnType<typeof createConsoleStore>;
let story: { crisis: Alert; single: Alert; over: Alert };

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  facts = createConsoleStore(database.db);
  story = await makeAStory(stores, NOW);
});

/** Everything that a listing gives, page after page. */
async function readAll(filter: MentionFilter, limit: number, scanLimit?: number) {
  const all: { resourceId: string; moment: number }[] = [];
  let after: MentionPosition | null = null;
  let pages = 0;
  do {
    const listing = await facts.mentions(filter, after, limit, scanLimit);
    expect(listing.mentions.length).toBeLessThanOrEqual(limit);
    for (const { mention, eventAt } of listing.mentions) {
      all.push({
        resourceId: mention.resourceId,
        moment: isByArrival(filter) ? mention.addedAt : eventAt,
      });
    }
    after = listing.next;
    pages++;
  } while (after !== null && pages < 500);
  return { all, pages };
}

test("pages of mentions follow each other newest first, without a gap and without repetition", async () => {
  const stored = (await stores.mentions.countByQuery()).reduce((sum, query) => sum + query.stored, 0);
  const { all } = await readAll(ANY, 70);
  expect(all).toHaveLength(stored);
  expect(new Set(all.map(({ resourceId }) => resourceId)).size).toBe(stored);
  expect(all.map(({ moment }) => moment)).toEqual(all.map(({ moment }) => moment).sort((a, b) => b - a));
});

test("of a short time the newest published come first, of all queries together, page after page", async () => {
  const { rows } = await database.pool.query<{ id: string; at: number }>(
    `select m.resource_id as id, extract(epoch from m.event_at) * 1000 as at from earshot.mentions m
     join earshot.queries q using (project_id, query_id) where m.event_at >= $1 and m.event_at < $2`,
    [new Date(NOW - 5 * HOUR), new Date(NOW - HOUR)],
  );
  const { all, pages } = await readAll({ ...ANY, from: NOW - 5 * HOUR, to: NOW - HOUR }, 7);
  expect(pages).toBeGreaterThan(3);
  expect(all.map(({ resourceId }) => resourceId).sort()).toEqual(rows.map(({ id }) => id).sort());
  expect(all.map(({ moment }) => moment)).toEqual(all.map(({ moment }) => moment).sort((a, b) => b - a));
});

test("many mentions of one moment are paged through as well", async () => {
  const page = Array.from({ length: 25 }, (_, i) =>
    aMention({ queryId: "tie", resourceId: `tie-${i}`, addedAt: NOW - 5 * HOUR }),
  );
  await storeMentions(stores, page, NOW);
  const { all } = await readAll({ ...ANY, queryId: "tie", projectId: PROJECT }, 4);
  expect(new Set(all.map(({ resourceId }) => resourceId)).size).toBe(25);
  expect(all).toHaveLength(25);
});

test("a search that has read its share answers with what it has and continues from there", async () => {
  const filter = { ...ANY, contains: "SECOND night without" };
  const first = await facts.mentions(filter, null, 10, 20);
  expect(first).toMatchObject({ mentions: [], stoppedEarly: true });
  const { all, pages } = await readAll(filter, 10, 20);
  expect(all.map(({ resourceId }) => resourceId)).toEqual(["courier-1"]);
  expect(pages).toBeGreaterThan(2);
  expect(await facts.mentions(filter, null, 10)).toMatchObject({ next: null, stoppedEarly: false });
});

test("a search that finds little in its first look goes on behind it, without a gap or a repetition", async () => {
  const many = Array.from({ length: 1_300 }, (_, n) =>
    aMention({
      queryId: "far",
      resourceId: `far-${n}`,
      addedAt: NOW - n,
      text: n % 260 === 0 ? "a needle" : "hay",
    }),
  );
  await storeMentions(stores, many, NOW);
  const filter = { ...ANY, queryId: "far", projectId: PROJECT, contains: "needle" };
  const listing = await facts.mentions(filter, null, 10);
  expect(listing.mentions.map(({ mention }) => mention.resourceId)).toEqual(
    [0, 260, 520, 780, 1_040].map((n) => `far-${n}`),
  );
  expect(listing).toMatchObject({ next: null, stoppedEarly: false, scanned: 1_300 });
  const { all } = await readAll(filter, 2);
  expect(all).toHaveLength(5);
  const { all: full } = await readAll(filter, 4);
  expect(full).toHaveLength(5);
});

test("of many searches in one second five read on behind their first look, and the others where somebody asks for more", async () => {
  const many = Array.from({ length: 1_100 }, (_, n) =>
    aMention({
      queryId: "crowd",
      resourceId: `crowd-${n}`,
      addedAt: NOW - n,
      text: n === 1_050 ? "a needle" : "hay",
    }),
  );
  await storeMentions(stores, many, NOW);
  const filter = { ...ANY, queryId: "crowd", projectId: PROJECT, contains: "needle" };
  const own = createConsoleStore(database.db);
  const listings = await Promise.all(Array.from({ length: 12 }, () => own.mentions(filter, null, 10)));
  const early = listings.filter(({ stoppedEarly }) => stoppedEarly);
  expect(listings.filter(({ mentions }) => mentions.length === 1)).toHaveLength(5);
  expect(early).toHaveLength(7);
  for (const { next, scanned } of early) {
    expect(scanned).toBe(1_000);
    expect((await own.mentions(filter, next, 10)).mentions).toHaveLength(1);
  }
});

test("words are found whatever their case is in any alphabet, and whatever signs stand in them", async () => {
  const texts = [
    "\u0130STANBUL calls",
    "minus 40 \u212A at night",
    "Die STRASSE \u00DCber",
    'she said "no\\thing"',
    "50% off_line / on",
  ];
  const mentions = texts.map((text, n) =>
    aMention({ queryId: "words", resourceId: `word-${n}`, text, title: "T" }),
  );
  await storeMentions(stores, mentions, NOW);
  const found = async (...words: string[]) => {
    const listing = await facts.mentions({ ...ANY, queryId: "words", projectId: PROJECT, words }, null, 10);
    return listing.mentions.map(({ mention }) => mention.resourceId).sort();
  };
  // The space between title and text stands in neither.
  expect(await found("T 50% off_line")).toEqual(["word-4"]);
  expect(await found("istanbul")).toEqual(["word-0"]);
  expect(await found("40", "k")).toEqual(["word-1"]);
  expect(await found("strasse", "\u00FCBER")).toEqual(["word-2"]);
  expect(await found('"NO\\THING"')).toEqual(["word-3"]);
  expect(await found("50%", "OFF_line", "/")).toEqual(["word-4"]);
  expect(await found("t calls", "T")).toEqual([]);
  expect(await found("T \u0130stanbul")).toEqual(["word-0"]);
  expect(await found("title")).toEqual([]);
});

test("a listing that ends exactly with its page has no next one", async () => {
  expect(await facts.mentions({ ...ANY, queryId: "tie", projectId: PROJECT }, null, 25)).toMatchObject({
    mentions: { length: 25 },
    next: null,
  });
  expect((await facts.mentions({ ...ANY, queryId: "nobody's" }, null, 25)).next).toBeNull();
});

test("volume counts mentions in the window by hour and sentiment, undated ones by their arrival", async () => {
  const from = Date.parse("2026-03-03T12:00:00Z");
  await stores.queries.register([oddQuery({ projectId: PROJECT, queryId: "9", name: "Counted" })], NOW, NOW);
  await storeMentions(
    stores,
    [
      aMention({ queryId: "9", resourceId: "a", publishedAt: from, sentiment: "negative" }),
      aMention({ queryId: "9", resourceId: "b", publishedAt: from + HOUR - 1, sentiment: "negative" }),
      aMention({ queryId: "9", resourceId: "c", publishedAt: from + HOUR }),
      aMention({ queryId: "9", resourceId: "d", publishedAt: from - 1 }),
      aMention({ queryId: "9", resourceId: "e", publishedAt: null, addedAt: from + HOUR }),
    ],
    NOW,
  );
  const volume = (await facts.volume(from, from + 2 * HOUR)).filter(({ queryId }) => queryId === "9");
  expect(volume.map(({ hour, sentiment, n }) => [hour, sentiment, n]).sort()).toEqual([
    [from, "negative", 2],
    [from + HOUR, null, 2],
  ]);
});

test("alerts come by state, the most severe open ones first, and page without repetition", async () => {
  expect((await facts.openAlerts(10)).map(({ id }) => id)).toEqual([story.crisis.id, story.single.id]);
  expect(await facts.countOpenAlerts()).toBe(2);
  const first = await facts.alerts("all", null, 2);
  expect(first.alerts.map(({ id }) => id)).toEqual([story.single.id, story.crisis.id]);
  const second = await facts.alerts("all", first.next, 2);
  expect(second).toMatchObject({ alerts: [{ id: story.over.id }], next: null });
  expect(await facts.alert(story.crisis.id)).toEqual(story.crisis);
  expect(await facts.alert("019cb3d1-0000-7000-8000-000000000000")).toBeNull();
});

test("mentions of an alert are those that met its rule, or those of its window", async () => {
  const matches = await facts.alertMatches(PROJECT, story.single.id, 10);
  expect(matches.map(({ mention }) => mention.resourceId)).toEqual(["courier-1"]);
  const window = await facts.windowMentions(story.crisis, null, 10);
  expect(window).toHaveLength(10);
  for (const { eventAt } of window) {
    expect(eventAt).toBeGreaterThanOrEqual(story.crisis.windowFrom);
    expect(eventAt).toBeLessThan(story.crisis.windowTo);
  }
});

test("notifications show their subject and their outcome, digests included", async () => {
  const digest = {
    ...pending(story.crisis, { createdAt: NOW, kind: "digest", receiver: "board" }),
    projectId: "all",
    alertId: null,
    digest: { name: "daily", localDate: "2026-03-02" },
  };
  await stores.notifications.addPending([digest]);
  const [newest] = await facts.notifications(3);
  expect(newest).toMatchObject({
    receiver: "board",
    kind: "digest",
    digestName: "daily",
    alertId: null,
    state: "due",
  });
  const own = await facts.alertNotifications(PROJECT, story.crisis.id, 10);
  expect(own.map(({ receiver, state, attempts }) => [receiver, state, attempts]).sort()).toEqual([
    ["comms-slack", "sent", 1],
    ["on-call-mail", "due", 1],
  ]);
  const deliveries = await facts.alertDeliveries(PROJECT, story.crisis.id, 10);
  expect(deliveries.map(({ outcome }) => outcome).sort()).toEqual(["failed", "sent"]);
});

test("a version changes with its part and with nothing else", async () => {
  const before = await facts.versions();
  expect(await facts.versions()).toEqual(before);
  await stores.alerts.save([{ ...story.crisis, mentions: 300 }]);
  const grown = await facts.versions();
  expect(grown).toEqual({ ...before, alerts: expect.not.stringMatching(before.alerts) });
  await storeMentions(stores, [aMention({ resourceId: "new", addedAt: NOW + MINUTE })], NOW);
  expect(await facts.versions()).toEqual({ ...grown, mentions: expect.not.stringMatching(grown.mentions) });
  await stores.notifications.addPending([pending(anAlert({ openedAt: NOW }), { createdAt: NOW + MINUTE })]);
  expect((await facts.versions()).notifications).not.toBe(before.notifications);
});

test("an empty installation has versions too", async () => {
  const empty = await createTestDatabase();
  const own = openDatabase({ url: empty.url, onError: (error) => expect.fail(error.message) });
  const versions = await createConsoleStore(own.db).versions();
  expect(Object.values(versions).every((version) => typeof version === "string")).toBe(true);
  await own.close();
  await empty.drop();
});
