import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { CallName } from "../../src/monitor/source/call-table.ts";
import type { Parameters, Places } from "../../src/monitor/source/define-call.ts";
import { createMemoryTokenStore } from "../../src/monitor/source/session.ts";
import { createSourceClient, type SourceClient } from "../../src/monitor/source/source-client.ts";
import { formatWireInstant } from "../../src/monitor/source/wire-values.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../listening-api/fixture.ts";

/** The two ends of one specification, which share no code, meet here. */
const DAY = 86_400_000;
let fixture: Fixture;
let client: SourceClient;
let projectId: string;
let scope: { projectId: string; queryIds: string[]; startDate: number; endDate: number };

beforeAll(async () => {
  fixture = await startFixture();
  projectId = String(fixture.account.projectId);
  const alpha = fixture.account.queries.get("Alpha") ?? 0;
  scope = { projectId, queryIds: [String(alpha)], startDate: T0 - 2 * DAY, endDate: T0 };
  const versions = Array.from({ length: 30 }, (_, number) =>
    mentionVersion(
      {
        queryId: alpha,
        resourceId: resourceId(number),
        snippet: "late #late",
        insightsHashtag: ["#late"],
        author: "ada",
        pageType: "twitter",
        sentiment: number % 2 === 0 ? "negative" : "neutral",
      },
      { added: T0 - (number + 1) * 3_600_000 },
    ),
  );
  await insertMentions(createDatabase(fixture.database.pool), versions);
  client = createSourceClient({
    baseUrl: await fixture.api.listen({ host: "127.0.0.1", port: 0 }),
    credentials: {
      username: SEED.user.username,
      password: SEED.user.password,
      clientId: "earshot-api-client",
    },
    tokens: createMemoryTokenStore(),
  });
});

afterAll(async () => {
  await client.close();
  await fixture.stop();
});

/** An answer as the local API wrote it. */
async function ask(
  name: CallName,
  parameters: Parameters = [],
  more: Partial<Places> & { body?: unknown } = {},
): Promise<unknown> {
  const { body, ...places } = more;
  return client.ask(name, { places: { projectId, ...places }, parameters, body });
}

/** The query and the days of its mentions, as the API takes them. */
const range = () =>
  [
    ["queryId", scope.queryIds[0] ?? ""],
    ["startDate", formatWireInstant(scope.startDate)],
    ["endDate", formatWireInstant(scope.endDate)],
  ] as const;

test("the account is read through every call of the specification", async () => {
  expect(await ask("me")).toMatchObject({ username: "ann@acme.example", uiRole: "Admin" });
  expect(await ask("client")).toMatchObject({ name: "Acme", parentId: -1 });
  expect(await client.client()).toEqual({ rateLimit: null });
  const [project] = await client.projects();
  expect(project).toMatchObject({ projectId, name: "Brands", timezone: "Europe/Berlin" });
  const detailed = { id: Number(projectId), name: "Brands", defaultLanguage: "en" };
  expect(await ask("projects-detailed")).toMatchObject({ results: [detailed] });
  expect(await ask("project")).toMatchObject(detailed);
  expect((await client.queries(projectId)).map(({ name }) => name)).toEqual(["Alpha", "Beta"]);
  expect(await ask("queries")).toMatchObject({ results: [{ type: "search string" }, { type: "twitter" }] });
  expect(await ask("queries-detailed", [["type", "search string"]])).toMatchObject({
    results: [{ name: "Alpha" }],
  });
  const topics = [{ name: "Topics", children: [{ name: "Price" }, { name: "Safety" }] }];
  expect(await ask("categories")).toMatchObject({ results: topics });
  expect(await ask("rule-categories")).toMatchObject({ results: topics });
  for (const name of ["site-lists", "author-lists", "tags", "rule-tags"] as const)
    expect(await ask(name)).toMatchObject({ results: [] });
  expect(await client.extensions.queryGroups(projectId)).toEqual([]);
});

test("a location list that was created is listed", async () => {
  const body = {
    ...{ name: "Cities", locations: [{ id: "new8" }], shared: "public" },
    sharedProjectIds: [Number(projectId)],
  };
  const made = await ask("create-location-list", [], { body });
  expect(made).toMatchObject({
    name: "Cities",
    sharedProjectIds: [Number(projectId)],
    locations: [{ id: "new8", type: "city" }],
  });
  expect(await ask("location-lists")).toMatchObject({ results: [made] });
});

test("mentions come by page, by cursor, by filter and with their full text", async () => {
  const page = await client.mentionsPage({ ...scope, pageSize: 12, page: 1 });
  expect([page.mentions.length, page.total, page.rejected]).toEqual([12, 30, []]);
  const ids = new Set<string>();
  for await (const one of client.mentions({ ...scope, pageSize: 7, orderBy: "added", orderDirection: "asc" }))
    for (const mention of one.mentions) ids.add(mention.resourceId);
  expect(ids.size).toBe(30);
  const negative = [...range(), ["sentiment", "negative"]] as const;
  expect(await ask("mentions", negative)).toMatchObject({ resultsTotal: 15 });
  const places = [
    ["pageType", "news"],
    ["pageType", "twitter"],
    ["xlanguage", "de"],
  ] as const;
  expect(await ask("mentions", [...negative, ...places])).toMatchObject({ resultsTotal: 15 });
  // A mention without the number has none that is large enough.
  expect(await ask("mentions", [...negative, ["impactMin", "0"]])).toMatchObject({ resultsTotal: 0 });
  expect(await ask("mentions-fulltext", [...range(), ["pageSize", "1"]])).toMatchObject({
    results: [{ fullText: expect.any(String) }],
  });
});

test("breakdowns, counts and charts are read", async () => {
  expect(await client.hashtags(scope)).toEqual([{ name: "#late", volume: 30 }]);
  for (const name of ["emoticons", "urls", "mentioned-authors"] as const)
    expect(await ask(name, range())).toMatchObject({ results: expect.any(Array) });
  expect(await ask("mention-count", range())).toMatchObject({ mentionsCount: 30 });
  expect(await client.extensions.topAuthors({ ...scope, limit: 5 })).toMatchObject([
    { name: "ada", volume: 30, negative: 15 },
  ]);
  const dimensions = { aggregate: "volume", dimension1: "queries", dimension2: "sentiment" };
  expect(await ask("chart", [...range(), ["dim2Args", "negative"]], dimensions)).toMatchObject({
    results: [{ name: "Alpha", values: [{ id: "negative", value: 15 }] }],
  });
});
