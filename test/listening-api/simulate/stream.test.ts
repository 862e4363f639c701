import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { lint } from "../../../src/listening-api/query-language/compile.ts";
import { createStream } from "../../../src/listening-api/simulate/create-stream.ts";
import { BRANDS, STORIES } from "../../../src/listening-api/simulate/data.ts";
import { generateHour } from "../../../src/listening-api/simulate/generate-hour.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { listQueries, putQueries } from "../../../src/listening-api/store/queries.ts";
import { type Fixture, startFixture } from "../fixture.ts";

/** A Wednesday, midnight. */
const DAY_START = Date.parse("2026-03-04T00:00:00.000Z");
const CALM = { crises: [] };

test("the text of every brand's query is one that the linter has nothing to say about", () => {
  for (const { name, handle, query } of BRANDS) {
    expect(lint(query)).toEqual([]);
    for (const word of [name, `#${handle}`, `@${handle}`]) expect(query).toContain(word);
  }
});

describe("an hour", () => {
  it("is the same whenever it is generated, and another with another seed", () => {
    const hour = () => generateHour("seed", DAY_START + 10 * HOUR, CALM);
    expect(hour()).toEqual(hour());
    expect(generateHour("other", DAY_START + 10 * HOUR, CALM)).not.toEqual(hour());
  });

  it("holds only what is published in it; nothing is found before that or shown before it is found", () => {
    for (const { post, added, visibleAt, correctedAt } of generateHour("seed", DAY_START + 9 * HOUR, CALM)) {
      expect(post.publishedAt).toBeGreaterThanOrEqual(DAY_START + 9 * HOUR);
      expect(post.publishedAt).toBeLessThan(DAY_START + 10 * HOUR);
      expect(added).toBeGreaterThan(post.publishedAt);
      expect(visibleAt).toBeGreaterThan(added);
      if (correctedAt !== null) expect(correctedAt).toBeGreaterThan(visibleAt);
    }
  });

  it("leaves no slot of a text unfilled", () => {
    const crises = STORIES.map(({ brand }) => ({ brand, at: DAY_START }));
    for (let hour = 0; hour < 24; hour++) {
      for (const { post } of generateHour("seed", DAY_START + hour * HOUR, { crises }))
        expect(`${post.title ?? ""}${post.text}`).not.toMatch(/[{}|]|undefined/);
    }
  });
});

describe("a day", () => {
  const hours = Array.from({ length: 24 }, (_, hour) => generateHour("seed", DAY_START + hour * HOUR, CALM));
  const day = hours.flat();
  const count = (keep: (mention: (typeof day)[number]) => boolean) => day.filter(keep).length;

  it("is lively by day and quiet by night", () => {
    const between = (from: number, to: number) => hours.slice(from, to).flat().length / (to - from);
    expect(between(8, 21)).toBeGreaterThan(100);
    expect(between(8, 21)).toBeLessThan(220);
    expect(between(0, 5)).toBeLessThan(between(8, 21) / 3);
  });

  it("has many kinds of pages, languages, late finds, corrections and reposts, and few large accounts", () => {
    const kinds = new Set(day.map(({ post }) => post.pageType));
    expect(kinds).toEqual(new Set(["twitter", "news", "forum", "reddit", "instagram", "review"]));
    expect(new Set(day.map(({ post }) => post.language))).toEqual(new Set(["en", "de", "fr", "es"]));
    expect(count(({ post, added }) => added - post.publishedAt > 10 * MINUTE)).toBeGreaterThan(20);
    expect(count(({ correctedAt }) => correctedAt !== null)).toBeGreaterThan(20);
    expect(count(({ post }) => post.repostOf !== null)).toBeGreaterThan(20);
    const large = count(({ post }) => post.author.followers > 10_000);
    expect(large).toBeGreaterThan(5);
    expect(large).toBeLessThan(day.length / 20);
    expect(count(({ post }) => post.sentiment === "negative") / day.length).toBeLessThan(0.35);
  });

  it("does not repeat itself much", () => {
    const originals = day.filter(({ post }) => post.repostOf === null);
    const texts = new Set(originals.map(({ post }) => post.text));
    expect(texts.size / originals.length).toBeGreaterThan(0.85);
  });
});

describe("a crisis", () => {
  const at = DAY_START + 12 * HOUR + 5 * MINUTE;
  const plan = { crises: [{ brand: "Hearthly", at }] };
  const storm = Array.from({ length: 8 }, (_, hour) =>
    generateHour("seed", DAY_START + (12 + hour) * HOUR, plan),
  )
    .flat()
    .filter(({ post }) => post.key.includes("/crisis/"));
  const within = (from: number, to: number) =>
    storm.filter(({ post }) => post.publishedAt >= at + from * MINUTE && post.publishedAt < at + to * MINUTE);

  it("begins with one post, grows for twenty minutes and fades over hours", () => {
    expect(storm[0]?.post.publishedAt).toBe(at);
    expect(within(0, 5).length).toBeLessThan(within(15, 20).length / 3);
    expect(within(15, 25).length).toBeGreaterThan(80);
    expect(within(120, 130).length).toBeLessThan(40);
    expect(within(300, 360).length).toBeLessThan(10);
  });

  it("is negative, passed on a lot, and taken up by a verified journalist and the news", () => {
    const negative = storm.filter(({ post }) => post.sentiment === "negative").length;
    expect(negative / storm.length).toBeGreaterThan(0.8);
    expect(storm.filter(({ post }) => post.repostOf !== null).length).toBeGreaterThan(100);
    expect(storm.some(({ post }) => post.pageType === "news")).toBe(true);
    expect(storm.some(({ post }) => post.author.verified === "blue" && post.author.followers > 100_000)).toBe(
      true,
    );
  });

  it("changes nothing of what is said otherwise", () => {
    const hour = DAY_START + 13 * HOUR;
    const calm = generateHour("seed", hour, plan).filter(({ post }) => !post.key.includes("/crisis/"));
    expect(calm).toEqual(generateHour("seed", hour, CALM));
  });
});

describe("the stream", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.stop());

  const open = (crises: { brand: string; at: number }[] = []) =>
    createStream({
      pool: fixture.database.pool,
      projectId: fixture.account.projectId,
      seed: "seed",
      startAt: DAY_START + 30 * MINUTE,
      crises,
    });
  const stored = async () =>
    (await fixture.database.pool.query("select count(*)::int as count from local_api.mention")).rows[0].count;

  it("stores each hour once, though two processes fill at the same time and a third comes later", async () => {
    const [a, b] = await Promise.all([
      open().fillUntil(DAY_START + 5 * HOUR),
      open().fillUntil(DAY_START + 5 * HOUR),
    ]);
    expect(a + b).toBe(5);
    const before = await stored();
    expect(await open().fillUntil(DAY_START + 5 * HOUR)).toBe(0);
    expect(await stored()).toBe(before);
    const stream = open();
    expect(await stream.fillUntil(DAY_START + 5 * HOUR + 1)).toBe(1);
    expect(await stream.fillUntil(DAY_START + 5 * HOUR + 1)).toBe(0);
    expect(await stored()).toBeGreaterThan(before);
  });

  it("makes queries with Boolean texts, and leaves one that a person set", async () => {
    const { projectId } = fixture.account;
    const db = createDatabase(fixture.database.pool);
    const by = { username: "ann", at: DAY_START };
    await putQueries(
      db,
      projectId,
      [{ name: "Lumabox", type: "search string", text: "lumabox NOT jobs" }],
      by,
    );
    await open().queries();
    const texts = new Map((await listQueries(db, projectId)).map(({ name, text }) => [name, text]));
    for (const { name, query } of BRANDS)
      expect(texts.get(name)).toBe(name === "Lumabox" ? "lumabox NOT jobs" : query);
  });

  it("shows through the API what the clock has reached, with topics, and both versions of what was corrected", async () => {
    const stream = open([{ brand: "Velorra", at: DAY_START + 7 * HOUR }]);
    await stream.fillUntil(DAY_START + 10 * HOUR);
    const queries = await stream.queries();
    const ask = async (at: number, ...more: [string, string | number][]) => {
      fixture.clock.set(at);
      const { body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
        ...[...queries.values()].map((id) => ["queryId", id] as const),
        ["startDate", "2026-03-03"],
        ["endDate", "2026-03-06"],
        ["pageSize", 5000],
        ...more,
      ]);
      return body;
    };
    expect((await ask(DAY_START)).results).toEqual([]);
    const early = await ask(DAY_START + 5 * HOUR);
    const late = await ask(DAY_START + DAY);
    expect(late.results.length).toBeGreaterThan(early.results.length * 3);
    expect(late.resultsTotal).toBe(late.results.length);
    const safety = late.results.filter((mention: { categoryDetails: { name: string }[] }) =>
      mention.categoryDetails.some(({ name }) => name === "Product safety"),
    );
    expect(safety.length).toBeGreaterThan(300);
    expect(new Set(late.results.map((mention: { resourceId: string }) => mention.resourceId)).size).toBe(
      late.results.length,
    );
    const corrected = late.results.filter(
      (mention: { added: string; updated: string }) => mention.updated > mention.added,
    );
    expect(corrected.length).toBeGreaterThan(10);
    const changedSince = await ask(DAY_START + DAY, ["sinceUpdated", corrected[0].added]);
    expect(changedSince.results.map((mention: { resourceId: string }) => mention.resourceId)).toContain(
      corrected[0].resourceId,
    );
  });
});
