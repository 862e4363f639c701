import { expect, test } from "vitest";
import { bytes, json } from "../../fakes/listening-api.ts";
import { CALLS } from "./calls.ts";
import { useFakeApi } from "./connect.ts";

const { api, connect } = useFakeApi();

const RANGE = "startDate=2026-01-01T00%3A00%3A00.000%2B0000&endDate=2026-02-01T00%3A00%3A00.000%2B0000";
const DATA = `?queryId=7&${RANGE}`;

const list = (...results: readonly unknown[]) => ({
  resultsTotal: -1,
  resultsPage: -1,
  resultsPageSize: -1,
  results,
});
const CREATED = "2020-01-01T00:00:00.000+0000";
const CREATED_AT = Date.UTC(2020, 0, 1);
const PROJECT = {
  id: 12,
  name: "Brände",
  description: "",
  billableClientId: 3,
  billableClientName: "Acme",
  timezone: "Europe/Berlin",
  billableClientIsPitch: false,
};
const READ_PROJECT = {
  projectId: "12",
  name: "Brände",
  description: "",
  timezone: "Europe/Berlin",
  billableClientId: "3",
  billableClientName: "Acme",
};
const QUERY = {
  id: 12,
  name: "Brand",
  type: "search string",
  creationDate: CREATED,
  lastModificationDate: CREATED,
  lastModifiedUsername: "ada",
  lockedQuery: true,
  lockedByUsername: null,
  createdByWizard: false,
  sampled: true,
  samplePercentage: 12.5,
};
const READ_QUERY = {
  queryId: "12",
  name: "Brand",
  type: "search string",
  createdAt: CREATED_AT,
  changedAt: CREATED_AT,
  changedBy: "ada",
  locked: true,
  lockedBy: null,
  createdByWizard: false,
  sampled: true,
  samplePercentage: 12.5,
};
const SAVED = {
  id: 4,
  name: "Ours",
  shared: "public",
  sharedProjectIds: [12, 13],
  userId: 5,
  userName: "ada",
};
const READ_SAVED = {
  listId: "4",
  name: "Ours",
  shared: "public",
  sharedProjectIds: ["12", "13"],
  userId: "5",
  userName: "ada",
};
const CITY = { id: "abc", name: "Bath", type: "city", fullName: "Bath, Somerset, UK, Europe" };
const HASHTAG = { name: "#late", label: null, volume: 9, tweets: 5, retweets: 4, impressions: 1_000 };

/** Call → the address it asks, what is answered, and what the client makes of it. */
test.each<[string, string, unknown, unknown]>([
  [
    "client",
    "/client",
    {
      id: 3,
      name: "Acme",
      parentId: -1,
      startDate: CREATED,
      expiryDate: null,
      owner: "ada",
      maxUsers: 7,
      tags: { "ratelimit.limit": "600", "ratelimit.period": "10", odd: 7 },
      isLegacy: "new value",
      unheardOf: {},
    },
    {
      clientId: "3",
      name: "Acme",
      parentId: null,
      startsAt: CREATED_AT,
      expiresAt: null,
      owner: "ada",
      maxUsers: 7,
      maximumSubscribedBrands: null,
      mentionArchiveSize: null,
      userInactivityTimeoutMinutes: null,
      tags: { "ratelimit.limit": "600", "ratelimit.period": "10" },
      rateLimit: { limit: 600, periodMs: 600_000 },
    },
  ],
  [
    "me",
    "/me",
    {
      id: 5,
      username: "ada",
      uiRole: "Admin",
      firstName: "Ada",
      lastName: "Berg",
      tags: {},
      client: { id: 3, name: "Acme", queryLimit: 10, mentionLimit: -1 },
      passwordExpiryDate: null,
      creationDate: CREATED,
    },
    {
      userId: "5",
      username: "ada",
      uiRole: "Admin",
      firstName: "Ada",
      lastName: "Berg",
      createdAt: CREATED_AT,
      passwordExpiresAt: null,
      client: { clientId: "3", name: "Acme", queryLimit: 10, mentionLimit: -1 },
    },
  ],
  ["projects", "/projects/summary", list(PROJECT, { id: 1 }, null), [READ_PROJECT]],
  [
    "detailedProjects",
    "/projects",
    list({ ...PROJECT, defaultLanguage: "en", queries: [{ rel: "queries" }] }),
    [{ ...READ_PROJECT, defaultLanguage: "en" }],
  ],
  [
    "project",
    "/projects/19",
    { ...PROJECT, defaultLangauge: "de" },
    { ...READ_PROJECT, defaultLanguage: "de" },
  ],
  ["queries", "/projects/19/queries/summary", list(QUERY), [READ_QUERY]],
  ["detailedQueries", "/projects/19/queries?type=search+string", [QUERY], [READ_QUERY]],
  [
    "categories",
    "/projects/19/categories",
    list({ id: 1, name: "Topics", multiple: true, children: [{ id: 2, name: "Late", ordering: 1 }, 7] }),
    [{ id: "1", name: "Topics", multiple: true, children: [{ id: "2", name: "Late", ordering: 1 }] }],
  ],
  [
    "siteLists",
    "/projects/19/group/site/summary",
    { ...list({ ...SAVED, domains: ["a.example/b", null] }), projects: [PROJECT] },
    [{ ...READ_SAVED, domains: ["a.example/b"] }],
  ],
  [
    "authorLists",
    "/projects/19/group/author/summary",
    { ...list({ ...SAVED, authors: ["ada"] }), projects: [] },
    [{ ...READ_SAVED, authors: ["ada"] }],
  ],
  [
    "createLocationList",
    "/projects/19/group/location/",
    { ...SAVED, locations: [CITY] },
    { ...READ_SAVED, locations: [CITY] },
  ],
  [
    "mentionsPage",
    `/projects/19/data/mentions${DATA}`,
    { results: [], resultsTotal: 0, resultsPage: 0, resultsPageSize: 20 },
    {
      mentions: [],
      rejected: [],
      servedAt: expect.any(Number),
      revision: null,
      nextCursor: null,
      total: 0,
      pageSize: 20,
      budget: null,
    },
  ],
  [
    "fullText",
    `/projects/19/data/mentions/fulltext${DATA}`,
    { results: [] },
    {
      mentions: [],
      rejected: [],
      servedAt: expect.any(Number),
      revision: null,
      nextCursor: null,
      total: null,
      pageSize: null,
      budget: null,
    },
  ],
  ...["hashtags", "emoticons", "urls", "mentionedAuthors"].map((name): [string, string, unknown, unknown] => [
    name,
    `/projects/19/data/${name.toLowerCase()}${DATA}`,
    {
      results: [HASHTAG, { name: "x", volume: "many" }, { volume: 1 }],
      orderBy: "volume",
      orderDirection: "desc",
    },
    {
      items: [
        HASHTAG,
        { name: "x", label: null, volume: null, tweets: null, retweets: null, impressions: null },
      ],
      orderBy: "volume",
      orderDirection: "desc",
    },
  ]),
  [
    "extensions.locationLists",
    "/projects/19/group/location/summary",
    list({ ...SAVED, locations: "none" }),
    [{ ...READ_SAVED, locations: [] }],
  ],
  ["extensions.tags", "/projects/19/tags", list({ id: 1, name: "seen" }), [{ id: "1", name: "seen" }]],
  ["extensions.ruleTags", "/projects/19/ruletags", list(), []],
  ["extensions.ruleCategories", "/projects/19/rulecategories", list(), []],
  [
    "extensions.queryGroups",
    "/projects/19/querygroups",
    list({ id: 1, name: "All", queries: [{ id: 7, name: "Brand" }, 8, {}] }),
    [{ queryGroupId: "1", name: "All", queryIds: ["7", "8"] }],
  ],
  ["extensions.mentionCount", `/projects/19/data/mentions/count${DATA}`, { mentionsCount: 12 }, 12],
  [
    "extensions.topAuthors",
    `/projects/19/data/volume/topauthors/queries${DATA}&limit=50`,
    list(
      { id: "a", name: "ada", data: { volume: 3, reachEstimate: 40, sentiment: { negative: 1 } } },
      { name: "bo", volume: 2 },
    ),
    [
      {
        name: "ada",
        domain: null,
        countryCode: null,
        volume: 3,
        reach: 40,
        impressions: null,
        sentiment: { positive: null, neutral: null, negative: 1 },
      },
      {
        name: "bo",
        domain: null,
        countryCode: null,
        volume: 2,
        reach: null,
        impressions: null,
        sentiment: null,
      },
    ],
  ],
  [
    "extensions.chart",
    `/projects/19/data/volume/days/categories${DATA}&dim2Args=1&dim2Args=2`,
    list({ id: CREATED, name: CREATED, values: [{ id: 1, name: "Late", value: 4 }, null] }),
    [{ id: CREATED, name: CREATED, values: [{ id: "1", name: "Late", value: 4 }] }],
  ],
  ["ask", "/projects/19/tags", list({ id: 1, odd: "ü" }), list({ id: 1, odd: "ü" })],
])("%s asks its address and reads the answer", async (name, address, answer, expected) => {
  api().reply(json(answer), json(answer), json(answer));
  const read = await CALLS[name]?.(connect());
  expect(read).toEqual(expected);

  await CALLS[name]?.(connect({ spelling: { jsonSuffix: true } }));
  await CALLS[name]?.(connect({ spelling: { tokenIn: "parameter" } }));
  const [plain, suffixed, inAddress] = api().calls;
  const [path, query = ""] = address.split("?");
  expect(`${plain?.path}${plain?.rawQuery}`).toBe(address);
  expect(plain?.headers.authorization).toBe("bearer token-1-secret");
  expect(`${suffixed?.path}?${suffixed?.rawQuery.slice(1)}`).toBe(
    `${path?.replace(/\/$/, "")}.json?${query}`,
  );
  expect(inAddress?.query.get("access_token")).toBe("token-3-secret");
  expect(inAddress?.headers.authorization).toBeUndefined();
  expect(inAddress?.path).toBe(path);
});

test("a location list is created by a POST of JSON", async () => {
  api().reply(json({ ...SAVED, locations: [] }));
  await CALLS["createLocationList"]?.(connect());
  const [call] = api().calls;
  expect(call?.method).toBe("POST");
  expect(call?.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(call?.body ?? "")).toEqual({
    name: "Cities",
    locations: [{ id: "abc" }],
    sharedProjectIds: [19],
    shared: "public",
  });
});

test("ids beyond 53 bits keep their digits in every record, in lists of ids as well", async () => {
  const long = "9007199254740993";
  const text = `[1, 9007199254740993] \\"id\\":9007199254740993`;
  api().reply(
    bytes(
      `{"results":[{"id":${long},"name":"${text}","sharedProjectIds":[1,${long}, ${long}],"userId":${long},"domains":[]}]}`,
    ),
  );
  expect(await connect().siteLists("19")).toEqual([
    {
      listId: long,
      name: '[1, 9007199254740993] "id":9007199254740993',
      shared: null,
      sharedProjectIds: ["1", long, long],
      userId: long,
      userName: null,
      domains: [],
    },
  ]);
});

test("a new token can be requested, and later calls use it", async () => {
  api().reply(json(list()));
  const client = connect();
  expect(await client.token()).toMatchObject({
    token: "token-1-secret",
    tokenType: "bearer",
    expiresInSeconds: 31_535_999,
    scopes: ["read", "trust", "write"],
  });
  await client.projects();
  expect(api().logins).toHaveLength(1);
});
