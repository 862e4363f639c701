import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import { wireTime } from "../../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../../src/listening-api/store/mention-version.ts";
import { putQueryGroup } from "../../../src/listening-api/store/query-groups.ts";
import { type Facts, seen } from "../charts/naive-chart.ts";
import { type Fixture, SEED, startFixture } from "../fixture.ts";
import { seededMentions } from "../seeded-mentions.ts";

type Parameters = readonly (readonly [string, string | number])[];

const FROM = Date.parse("2026-03-01T00:00:00Z");
const TO = FROM + 10 * DAY;
const COUNT = 400;

let fixture: Fixture;
let versions: MentionVersion[];
let [alpha, beta] = [0, 0];

beforeAll(async () => {
  fixture = await startFixture();
  const { account, database, clock } = fixture;
  [alpha = 0, beta = 0] = account.queries.values();
  const seeding = {
    queryIds: [alpha, beta],
    categories: account.categories,
    tagIds: [],
    from: FROM,
    days: 12,
  };
  versions = seededMentions({ ...seeding, count: COUNT });
  await insertMentions(createDatabase(database.pool), versions);
  clock.set(TO + 5 * DAY);
});
afterAll(() => fixture.stop());

function call(path: string, parameters: Parameters = [], queryIds = [alpha, beta], on = fixture) {
  return on.get(`/projects/${on.account.projectId}/data/${path}`, [
    ...queryIds.map((id) => ["queryId", id] as const),
    ["startDate", wireTime(FROM)],
    ["endDate", wireTime(TO)],
    ...parameters,
  ]);
}

const facts = (queryIds = [alpha, beta]) =>
  seen(versions, { queryIds, from: FROM, to: TO, at: TO + 5 * DAY });

interface Item {
  name: string;
  label: string | null;
  volume: number;
  tweets: number;
  retweets: number;
  impressions: number;
}

const VALUES: Readonly<Record<string, (fact: Facts) => readonly string[]>> = {
  hashtags: (fact) => (fact.insightsHashtag ?? []).map((tag) => tag.toLowerCase()),
  mentionedauthors: (fact) => (fact.insightsMentioned ?? []).map((name) => name.toLowerCase()),
  urls: (fact) => fact.insightsUrl ?? [],
  emoticons: (fact) => [...(fact.insightsEmoji ?? []), ...(fact.insightsEmoticon ?? [])],
};

function naive(path: string, all: readonly Facts[]): Item[] {
  const items = new Map<string, Item>();
  for (const fact of all) {
    for (const name of new Set(VALUES[path]?.(fact))) {
      const label = path === "urls" ? new URL(name).hostname.replace("www.", "") : null;
      const item = items.get(name) ?? { name, label, volume: 0, tweets: 0, retweets: 0, impressions: 0 };
      const isRepost = fact.retweetOf !== null || fact.threadEntryType === "share";
      item.volume++;
      item[isRepost ? "retweets" : "tweets"]++;
      item.impressions += fact.impressions ?? 0;
      items.set(name, item);
    }
  }
  return [...items.values()];
}

const byName = (a: Item, b: Item) => (Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) < 0 ? -1 : 1);

describe.each(Object.keys(VALUES))("data/%s", (path) => {
  it("counts what the mentions carry, most first", async () => {
    const expected = naive(path, facts()).sort((a, b) => b.volume - a.volume || byName(a, b));
    expect(expected.length).toBeGreaterThan(1);
    expect((await call(path)).body).toEqual({
      results: expected,
      orderBy: "volume",
      orderDirection: "desc",
    });
  });

  it("takes the filters of mentions, an order, and a limit", async () => {
    const kept = facts([alpha]).filter((fact) => fact.sentiment === "negative");
    const expected = naive(path, kept).sort((a, b) => a.impressions - b.impressions || byName(a, b));
    const asked: Parameters = [
      ["sentiment", "negative"],
      ["orderBy", "impressions"],
      ["orderDirection", "asc"],
      ["limit", 2],
    ];
    expect((await call(path, asked, [alpha])).body).toEqual({
      results: expected.slice(0, 2),
      orderBy: "impressions",
      orderDirection: "asc",
    });
  });
});

it("gives hashtags the fields of the spec", async () => {
  const [first] = (await call("hashtags")).body.results;
  expect(Object.keys(first)).toEqual(["name", "label", "volume", "tweets", "retweets", "impressions"]);
});

it("counts mentions like the mentions call does", async () => {
  expect((await call("mentions/count")).body).toEqual({ mentionsCount: facts().length });
  const mentions = await call("mentions", [["sentiment", "positive"]]);
  expect((await call("mentions/count", [["sentiment", "positive"]])).body.mentionsCount).toBe(
    mentions.body.resultsTotal,
  );
});

it("answers for a group that has no queries with nothing", async () => {
  const { database, account } = fixture;
  const db = createDatabase(database.pool);
  const empty = await putQueryGroup(db, { projectId: account.projectId, name: "Empty", queryIds: [] });
  const asked: Parameters = [["queryGroupId", empty]];
  expect((await call("hashtags", asked, [])).body.results).toEqual([]);
  expect((await call("mentions/count", asked, [])).body).toEqual({ mentionsCount: 0 });
  expect((await call("volume/topauthors/queries", asked, [])).body).toEqual({ results: [] });
  expect((await call("authors/authors/tags", asked, [])).body.results).toEqual([]);
});

describe("data/volume/topauthors/queries", () => {
  it("gives authors on their domains by volume, with what their mentions say of them", async () => {
    const mine = new Map<string, Facts[]>();
    for (const fact of facts().filter((fact) => fact.author)) {
      const key = JSON.stringify([fact.author, fact.domain ?? ""]);
      mine.set(key, [...(mine.get(key) ?? []), fact]);
    }
    const expected = [...mine.values()].map((theirs) => {
      const [one] = theirs;
      const sum = (of: (fact: Facts) => number | null) =>
        theirs.reduce((total, fact) => total + (of(fact) ?? 0), 0);
      const most = (of: (fact: Facts) => number | null) =>
        Math.max(0, ...theirs.map((fact) => of(fact) ?? 0));
      const count = (word: string) => theirs.filter((fact) => fact.sentiment === word).length;
      return {
        authorName: one?.author,
        domain: one?.domain,
        volume: theirs.length,
        authorVolume: theirs.length,
        sentiment: { negative: count("negative"), neutral: count("neutral"), positive: count("positive") },
        reachEstimate: sum((fact) => fact.reachEstimate),
        monthlyVisitors: most((fact) => fact.monthlyVisitors),
        twitterFollowers: most((fact) => fact.twitterFollowers),
        twitterRetweets: sum((fact) => fact.twitterRetweets),
        authorInterest: [...new Set(theirs.flatMap((fact) => fact.interest ?? []))].sort(),
        authorProfessions: [...new Set(theirs.flatMap((fact) => fact.profession ?? []))].sort(),
      };
    });
    const { results } = (await call("volume/topauthors/queries", [["limit", 1000]])).body;
    const volumes = results.map((result: { data: { volume: number } }) => result.data.volume);
    expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a));
    expect(results).toHaveLength(expected.length);
    const countries = new Set(
      results.map(
        (result: { data: { countryCode: string; countryName: string } }) =>
          `${result.data.countryCode} ${result.data.countryName}`,
      ),
    );
    expect([...countries]).toEqual(["IND India"]);
    for (const one of expected) {
      const same = (result: { data: { authorName: string; domain: string | null } }) =>
        result.data.authorName === one.authorName && result.data.domain === one.domain;
      expect(results.find(same).data).toMatchObject(one);
    }
  });

  it("returns ten by default, the fields of `data` first", async () => {
    const { results } = (await call("volume/topauthors/queries")).body;
    expect(results).toHaveLength(10);
    expect(Object.keys(results[0])).toEqual(["data", "id", "name", "values"]);
    expect(results[0].values[0]).toMatchObject({ value: null, data: {} });
    const asked: Parameters = [
      ["limit", 1],
      ["orderBy", "volume"],
      ["orderDirection", "asc"],
    ];
    const [least] = (await call("volume/topauthors/queries", asked)).body.results;
    expect(least.data.volume).toBeLessThanOrEqual(results.at(-1).data.volume);
    const none = await call("volume/topauthors/queries", [["limit", 0]]);
    expect(none.body.results).toEqual([]);
  });
});

describe("wrong input", () => {
  it.each<[string, Parameters, RegExp]>([
    ["hashtags", [["orderBy", "date"]], /orderBy: expected one of volume, tweets/],
    ["urls", [["limit", 1001]], /limit: expected an integer from 0 to 1000/],
    ["emoticons", [["orderDirection", "up"]], /orderDirection/],
    ["volume/topauthors/queries", [["limit", 1001]], /limit: expected an integer from 0 to 1000/],
    ["mentions/count", [["pageSize", 5]], /"pageSize" is not a parameter/],
    ["mentionedauthors", [["sentiment", "angry"]], /sentiment: expected one of/],
  ])("of %s is named", async (path, parameters, message) => {
    const answer = await call(path, parameters);
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, expect.stringMatching(message)]);
  });

  it("asks for a query and both dates", async () => {
    const bare = await fixture.get(`/projects/${fixture.account.projectId}/data/hashtags`);
    const messages = bare.body.errors.map((error: { message: string }) => error.message).join();
    expect(messages).toMatch(/queryId.*startDate.*endDate/);
  });

  it("does not look into projects of others", async () => {
    expect((await fixture.get("/projects/1/data/hashtags")).status).toBe(404);
    expect((await fixture.get("/projects/1/data/volume/queries/days")).status).toBe(404);
  });
});

describe("restricted sources and sampled queries", () => {
  let restricted: Fixture;
  let half = 0;

  beforeAll(async () => {
    restricted = await startFixture({
      ...SEED,
      project: { ...SEED.project, dataPolicy: "restricted" },
      queries: [{ name: "Alpha" }, { name: "Half", samplePercentage: 50 }],
    });
    const { account, database, clock } = restricted;
    half = account.queries.get("Half") ?? 0;
    const queryIds = [...account.queries.values()];
    const seeding = { queryIds, categories: account.categories, tagIds: [], from: FROM, days: 12 };
    await insertMentions(createDatabase(database.pool), seededMentions({ ...seeding, count: COUNT }));
    clock.set(TO + 5 * DAY);
  });
  afterAll(() => restricted.stop());

  const first = () => [restricted.account.queries.get("Alpha") ?? 0];

  it("show no authors, hashtags or texts that a record withholds, but go on being counted", async () => {
    const twitter: Parameters = [["pageType", "twitter"]];
    const rest: Parameters = [["pageType", "news"]];
    const read = async (path: string, filter: Parameters) =>
      (await call(path, filter, first(), restricted)).body.results;
    for (const path of [
      "hashtags",
      "emoticons",
      "urls",
      "mentionedauthors",
      "volume/topauthors/queries",
      "volume/authors/days",
    ]) {
      expect(await read(path, twitter)).toEqual([]);
      expect((await read(path, rest)).length).toBeGreaterThan(0);
    }
    const [series] = await read("volume/queries/months", twitter);
    expect(series.values[0].value).toBeGreaterThan(0);
  });

  it("count for the mentions that the sample left out", async () => {
    const [{ values }] = (await call("volume/queries/sentiment", [], [half], restricted)).body.results;
    const stored = (await call("mentions", [["pageSize", 5000]], [half], restricted)).body;
    const judged = stored.results.filter(
      (mention: { sentiment: string | null }) => mention.sentiment !== null,
    );
    const total = values.reduce((sum: number, point: { value: number }) => sum + point.value, 0);
    expect(judged.length).toBeGreaterThan(0);
    expect(total).toBe(2 * judged.length);
  });
});
