import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { chooseTopics, topicsOf } from "../../src/listening-api/insights/count-topics.ts";
import type { MentionFields } from "../../src/listening-api/records/mention-record.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  const [alpha = 0, beta = 0] = fixture.account.queries.values();
  const plain = ["good morning everybody", "the weather is fine", "good weather this morning"];
  const mentions: (Partial<MentionFields> & { queryId: number })[] = [
    ...Array.from({ length: 12 }, (_, n) => ({
      queryId: alpha,
      snippet: `${plain[n % 3]}, the hot water bottle leaks. #leak https://www.help.example/${n}`,
      insightsHashtag: ["#leak"],
      sentiment: n < 9 ? "negative" : "positive",
      pageType: n % 2 === 0 ? "twitter" : "news",
      domain: n % 2 === 0 ? "twitter.com" : "news.example",
      author: n < 8 ? "ann" : "bo",
      gender: n < 8 ? "female" : "male",
      interest: ["Sports"],
      professions: [{ profession: "Journalist", jobTitle: "" }],
      country: "Germany",
      countryCode: "DEU",
      monthlyVisitors: 1_000,
    })),
    ...Array.from({ length: 12 }, (_, n) => ({ queryId: beta, snippet: `${plain[n % 3]} and hello` })),
    ...Array.from({ length: 3 }, () => ({ queryId: alpha, snippet: "a cold handle" })),
    { queryId: alpha, snippet: "a post", pageType: "facebook", threadEntryType: "post", author: "cy" },
    { queryId: alpha, snippet: "a comment", pageType: "facebook", threadEntryType: "comment", author: "cy" },
  ];
  await insertMentions(
    createDatabase(fixture.database.pool),
    mentions.map((fields, n) =>
      mentionVersion({ ...fields, resourceId: resourceId(n) }, { added: T0 - n * MINUTE }),
    ),
  );
});
afterAll(() => fixture.stop());

const data = (path: string, ...more: readonly (readonly [string, string | number])[]) =>
  fixture.get(`/projects/${fixture.account.projectId}/data/${path}`, [
    ["queryId", fixture.account.queries.get("Alpha") ?? 0],
    ["startDate", new Date(T0 - HOUR).toISOString()],
    ["endDate", new Date(T0 + HOUR).toISOString()],
    ...more,
  ]);

describe("topics", () => {
  it("are what the other queries do not speak of, longest form first, without stop words", async () => {
    const { topics } = (await data("volume/topics/queries")).body;
    const labels = topics.map(({ label }: { label: string }) => label);
    expect(labels).toContain("hot water bottle");
    expect(labels).toContain("#leak");
    for (const common of ["the", "morning", "weather", "good", "hot", "hot water"])
      expect(labels).not.toContain(common);
    expect(topics.find(({ label }: { label: string }) => label === "hot water bottle")).toMatchObject({
      volume: 12,
      type: "topic",
      sentiment: { negative: 9, neutral: 0, positive: 3 },
      sentimentScore: 50,
      pageType: { twitter: 6, news: 6 },
      gender: { female: 8, male: 4 },
      queries: [{ id: fixture.account.queries.get("Alpha"), name: "Alpha", volume: 12 }],
      days: [{ date: "2026-03-03T00:00:00.000+0100", volume: 12 }],
    });
  });

  it("are limited, ordered and filtered like everything else", async () => {
    expect((await data("volume/topics/queries", ["limit", 2])).body.topics).toHaveLength(2);
    expect((await data("volume/topics/queries", ["orderBy", "burst"], ["excludeTags", "true"])).status).toBe(
      200,
    );
    const positive = (await data("volume/topics/compare/gender", ["sentiment", "positive"])).body.topics;
    expect(positive[0].volume).toBe(3);
    expect((await data("topics", ["extract", "hashtags"], ["metrics", "volume"])).body.topics).toMatchObject([
      { label: "#leak", type: "hashtags", volume: 12, netSentiment: -50 },
    ]);
    expect((await data("topics", ["extract", "people"])).body.topics).toEqual([]);
    expect((await data("topics", ["extract", "pigeons"])).status).toBe(400);
  });

  it.each(["volume/topics/queries", "topics"])("stand in the order that is asked for: %s", async (path) => {
    const volumes = async (direction: string): Promise<number[]> => {
      const kinds = [["extract", "words"] as const, ["extract", "hashtags"] as const];
      const { body } = await data(path, ...(path === "topics" ? kinds : []), ["orderDirection", direction]);
      return body.topics.map(({ volume }: { volume: number }) => volume);
    };
    const falling = await volumes("desc");
    expect(new Set(falling).size).toBeGreaterThan(1);
    expect(falling).toEqual([...falling].sort((a, b) => b - a));
    expect(await volumes("asc")).toEqual(falling.toReversed());
  });

  it("never span a sentence, an address or a name", () => {
    const found = topicsOf({ text: "Red door. Blue @door #door https://door.example/x wall", hashtags: [] }, [
      "phrases",
    ]);
    expect([...found.keys()]).toEqual(["red door"]);
  });

  it("without other texts are the most frequent ones", () => {
    const here = {
      texts: 9,
      counts: new Map([
        ["a b", 5],
        ["c", 4],
        ["d", 1],
      ]),
    };
    expect(chooseTopics(here, { texts: 0, counts: new Map() }, 10).map(({ key }) => key)).toEqual([
      "a b",
      "c",
    ]);
  });
});

test("the top sites, with what is said on them and who says most", async () => {
  const { results } = (await data("volume/topsites/queries")).body;
  expect(results).toMatchObject([
    {
      id: "news.example",
      name: "news.example",
      data: {
        volume: 6,
        domain: "news.example",
        authorName: "ann",
        monthlyVisitors: 1_000,
        countryCode: "DEU",
        sentiment: { negative: 4, neutral: 0, positive: 2 },
      },
      values: [{ name: "Alpha" }],
    },
    { id: "twitter.com", data: { volume: 6 } },
  ]);
  expect((await data("volume/topsites/queries", ["limit", 1])).body.results).toHaveLength(1);
});

test("the top authors of one network alone", async () => {
  const names = async (path: string) =>
    (await data(`volume/${path}/queries`)).body.results.map(
      ({ data: { authorName, volume } }: { data: { authorName: string; volume: number } }) => [
        authorName,
        volume,
      ],
    );
  expect(await names("toptweeters")).toEqual([
    ["ann", 4],
    ["bo", 2],
  ]);
  expect(await names("topfacebookusers")).toEqual([["cy", 2]]);
});

test("the sites that are linked to", async () => {
  const { results } = (await data("sharedsites")).body;
  expect(results).toMatchObject([{ name: "help.example", volume: 12, label: null }]);
});

test.each([
  [
    "gender",
    [
      ["female", 8],
      ["male", 4],
    ],
  ],
  ["interest", [["Sports", 12]]],
  ["profession", [["Journalist", 12]]],
  ["countries", [["DEU", 12]]],
] as const)("demographics of %s", async (metric, expected) => {
  const { results } = (await data(`demographics/${metric}`)).body;
  expect(results.map(({ id, volume }: { id: string; volume: number }) => [id, volume])).toEqual(expected);
});

test.each([
  ["tweets", 6],
  ["facebookposts", 1],
  ["facebookcomments", 1],
])("mentions/%s", async (path, total) => {
  const { body } = await data(`mentions/${path}`, ["pageSize", 1]);
  expect(body).toMatchObject({ resultsTotal: total, results: [expect.anything()] });
  const whole = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ["cursor", body.nextCursor],
  ]);
  expect(whole.status).toBe(400);
});

test.each(["audience", "ownerActivity", "audienceActivity"])(
  "nobody but its owner knows the %s of a channel",
  async (name) => {
    const { status, body } = await data(`${name}/queries/days`);
    expect(status).toBe(404);
    expect(body.errors[0].message).toMatch(/only the owner of a channel/);
  },
);
