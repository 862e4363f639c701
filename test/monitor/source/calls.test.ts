import { expect, test } from "vitest";
import { bytes, json } from "../../fakes/listening-api.ts";
import { CALLS, createList } from "./calls.ts";
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
const PROJECT = {
  id: 12,
  name: "Brände",
  description: "",
  billableClientId: 3,
  billableClientName: "Acme",
  timezone: "Europe/Berlin",
  billableClientIsPitch: false,
};
const READ_PROJECT = { projectId: "12", name: "Brände", timezone: "Europe/Berlin" };
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
const READ_QUERY = { queryId: "12", name: "Brand" };
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
    { rateLimit: { limit: 600, periodMs: 600_000 } },
  ],
  ["projects", "/projects/summary", list(PROJECT, { id: 1 }, null), [READ_PROJECT]],
  ["queries", "/projects/19/queries/summary", list(QUERY), [READ_QUERY]],
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
    "hashtags",
    `/projects/19/data/hashtags${DATA}`,
    {
      results: [HASHTAG, { name: "x", volume: "many" }, { volume: 1 }],
      orderBy: "volume",
      orderDirection: "desc",
    },
    [
      { name: "#late", volume: 9 },
      { name: "x", volume: null },
    ],
  ],
  [
    "extensions.queryGroups",
    "/projects/19/querygroups",
    list({ id: 1, name: "All", queries: [{ id: 7, name: "Brand" }, 8, {}] }),
    [{ queryGroupId: "1", name: "All", queryIds: ["7", "8"] }],
  ],
  [
    "extensions.topAuthors",
    `/projects/19/data/volume/topauthors/queries${DATA}&limit=50`,
    list(
      { id: "a", name: "ada", data: { volume: 3, reachEstimate: 40, sentiment: { negative: 1 } } },
      { name: "bo", volume: 2 },
    ),
    [
      { name: "ada", volume: 3, negative: 1 },
      { name: "bo", volume: 2, negative: null },
    ],
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

test("a call that writes is a POST of JSON", async () => {
  api().reply(json({ id: 4 }));
  await createList(connect());
  const [call] = api().calls;
  expect([call?.method, call?.path]).toEqual(["POST", "/projects/19/group/location/"]);
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
  const name = `[1, 9007199254740993] \\"id\\":9007199254740993`;
  api().reply(bytes(`{"results":[{"id":${long},"name":"${name}","queries":[1,${long}, ${long}]}]}`));
  expect(await connect().extensions.queryGroups("19")).toEqual([
    {
      queryGroupId: long,
      name: '[1, 9007199254740993] "id":9007199254740993',
      queryIds: ["1", long, long],
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
