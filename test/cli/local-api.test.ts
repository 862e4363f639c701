import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createProgram } from "../../src/cli/create-program.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { UserError } from "../../src/lib/errors.ts";
import { createLocalApi, type LocalApi } from "../../src/local-api/create-local-api.ts";
import { startDatabase, type TestDatabase } from "../local-api/database.ts";
import { get, logIn } from "../local-api/fixture.ts";

let database: TestDatabase;
let folder: string;
let api: LocalApi;
let errors: string[] = [];

beforeAll(async () => {
  database = await startDatabase();
  folder = await mkdtemp(join(tmpdir(), "earshot-cli-"));
  const log = { info() {}, warn() {}, error() {} };
  api = createLocalApi({
    pool: database.pool,
    clock: systemClock,
    log,
    signingSecret: "for tests",
    strict: true,
  });
});
afterAll(async () => {
  await api.close();
  await database.stop();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The standard output of the command; `errors` has its standard error. */
async function say(...words: string[]): Promise<string> {
  const said: string[] = [];
  errors = [];
  vi.spyOn(console, "log").mockImplementation((text) => said.push(String(text)));
  vi.spyOn(console, "error").mockImplementation((text) => errors.push(String(text)));
  const { connectionString } = database.pool.options;
  const env = { DATABASE_URL: connectionString, LOG_LEVEL: "silent" };
  const argv = ["local-api", ...words];
  await (await createProgram(env, argv)).parseAsync(["node", "earshot", ...argv]);
  return said.join("\n");
}

async function json(...words: string[]) {
  return JSON.parse(await say(...words, "--json"));
}

async function fault(...words: string[]): Promise<UserError> {
  const thrown = await say(...words).catch((error: unknown) => error);
  if (thrown instanceof UserError) return thrown;
  throw new Error("expected a UserError", { cause: thrown });
}

let login: { username: string; password: string };
let token: string;
let projectId: number;

test("from nothing to an account whose mentions can be asked for", async () => {
  const client = await json("create", "client", "Acme", "--rate-limit", "1000/10", "--tag", "shardName=one");
  expect(client).toMatchObject({
    tags: { "ratelimit.limit": "1000", "ratelimit.period": "10", shardName: "one" },
  });
  const user = await json("create", "user", "ann@acme.example", "--client", "acme", "--first-name", "Ann");
  login = { username: "ann@acme.example", password: user.password };
  projectId = (await json("create", "project", "Brands", "--client", "Acme", "--timezone", "Europe/Berlin"))
    .id;
  await say("create", "query", "Refunds", "--text", "refund* OR money");
  const file = join(folder, "queries.jsonl");
  const written = [
    { name: "Returns", booleanQuery: "returns OR returned" },
    { name: "Channel", type: "twitter" },
  ];
  await writeFile(file, written.map((query) => JSON.stringify(query)).join("\n"));
  expect((await json("create", "queries", file)).queries).toEqual({
    Returns: expect.any(Number),
    Channel: expect.any(Number),
  });
  await writeFile(file, JSON.stringify({ results: [{ name: "Broken", booleanQuery: "(a OR" }] }));
  await expect(say("create", "queries", file)).rejects.toThrow(/query "Broken" is not valid/);
  for (const query of ["Returns", "Channel"]) await say("delete", "query", query, "--yes");
  await say("create", "category", "Topics", "--child", "Price", "--child", "Safety");
  await say("create", "query-group", "All", "--query", "Refunds");
  await say("create", "site-list", "Press", "--entry", "news.example");
  token = String((await logIn(api, login)).body.access_token);
  const seen = async (path: string) =>
    (await get(api, `/projects/${projectId}${path}`, [], token)).body.results;
  expect(await seen("/queries/summary")).toMatchObject([{ name: "Refunds" }]);
  expect(await seen("/categories")).toMatchObject([
    { name: "Topics", children: [{ name: "Price" }, { name: "Safety" }] },
  ]);
  expect(await seen("/querygroups")).toMatchObject([{ name: "All", queries: [{ name: "Refunds" }] }]);
  expect(await seen("/group/site/summary")).toMatchObject([{ name: "Press", domains: ["news.example"] }]);
});

test("a CSV file is imported with its own column names, and bad rows are reported and left out", async () => {
  const file = join(folder, "tweets.csv");
  await writeFile(
    file,
    [
      "tweet_id;user;Posted at;tweet;mood;retweet_count",
      '1;ann;2026-03-01 10:00:00 +0100;"I want my money; now ""please""\nor else";Negative;1,200',
      "2;bob;2026-03-01T11:00:00Z;nothing of interest;positive;",
      "3;cy;the other day;money;neutral;0",
      "4;di;2026-03-01 12:00;refunded;furious;0",
    ].join("\r\n"),
  );
  const outcome = await json("import", file, "--map", "date=Posted at", "--map", "sentiment=mood");
  expect(outcome).toMatchObject({
    imported: 1,
    unmatched: 1,
    leftOut: 2,
    queries: [{ name: "Refunds", mentions: 1 }],
  });
  expect(errors).toEqual([
    expect.stringMatching(/tweets\.csv:5 is left out: date: expected/),
    expect.stringMatching(/tweets\.csv:6 is left out: sentiment: /),
  ]);
  expect(await json("import", file, "--map", "date=Posted at", "--map", "sentiment=mood")).toMatchObject({
    imported: 0,
    alreadyThere: 1,
  });
  expect(await json("import", file, "--map", "date=Posted at", "--query", "Everything")).toMatchObject({
    queries: [{ name: "Everything", mentions: 3 }],
  });
  expect(await json("list", "queries")).toMatchObject([
    { name: "Refunds", mentions: 1 },
    { name: "Everything", mentions: 3 },
  ]);
});

async function mentions(more: readonly (readonly [string, string | number])[] = []) {
  const [refunds] = await json("list", "queries");
  const range = [
    ["queryId", refunds.id],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-03-03"],
  ] as const;
  return (await get(api, `/projects/${projectId}/data/mentions`, [...range, ...more], token)).body;
}

test("an edit moves `updated`, shows at once and in every filter, and is kept as a new version", async () => {
  const [before] = (await mentions()).results;
  const since = new Date(systemClock.now() - 1).toISOString();
  const words = [
    "--sentiment",
    "positive",
    "--add-category",
    "Safety",
    "--add-tag",
    "answered",
    "--status",
    "closed",
  ];
  const [edited] = await json(
    "edit",
    before.resourceId,
    "--query",
    "Refunds",
    ...words,
    "--set",
    "impact=70",
  );
  expect(edited).toMatchObject({ version: 2, resourceId: before.resourceId });
  const [after, ...others] = (await mentions([["sinceUpdated", since]])).results;
  expect(others).toEqual([]);
  expect(after).toMatchObject({
    sentiment: "positive",
    tags: ["answered"],
    categoryDetails: [{ name: "Safety", parentName: "Topics" }],
    status: "closed",
    impact: 70,
    snippet: before.snippet,
    added: before.added,
    date: before.date,
  });
  expect(Date.parse(after.updated)).toBeGreaterThan(Date.parse(before.updated));
  expect((await mentions([["sentiment", "negative"]])).resultsTotal).toBe(0);
  const [tag] = await json("list", "tags");
  expect((await mentions([["tag", tag.id]])).resultsTotal).toBe(1);
  await say(
    "edit",
    before.resourceId,
    "--query",
    "Refunds",
    "--remove-tag",
    "answered",
    "--remove-category",
    "Safety",
  );
  expect((await mentions()).results[0]).toMatchObject({ tags: [], categories: [], sentiment: "positive" });
  expect(
    (
      await database.pool.query(
        "select count(*)::int as n from local_api.mention where said like '%money; now%'",
      )
    ).rows[0].n,
  ).toBe(4);
});

test("faults are set, happen, are listed and cleared", async () => {
  await say("fault", "set", "503", "--times", "1", "--path", "/me");
  expect(
    (await api.app.inject({ url: "/me", headers: { authorization: `bearer ${token}` } })).statusCode,
  ).toBe(503);
  expect((await get(api, "/me", [], token)).status).toBe(200);
  expect(await json("fault", "list")).toMatchObject([{ kind: "503", remaining: 0, applied: 1 }]);
  expect(await json("fault", "clear")).toEqual({ cleared: 1 });
});

test("a role that may not use the API, and tokens that are taken back", async () => {
  await say("grant", "ann@acme.example", "--client", "Acme", "--role", "Viewer");
  expect((await get(api, "/me", [], token)).status).toBe(403);
  await say("grant", "ann@acme.example", "--client", "Acme", "--role", "Regular");
  expect((await get(api, "/me", [], token)).status).toBe(200);
  expect(await json("revoke-tokens", "ann@acme.example")).toEqual({ revoked: 1 });
  expect((await get(api, "/me", [], token)).status).toBe(401);
  token = String((await logIn(api, login)).body.access_token);
});

test("a simulated day fills a project once", async () => {
  const words = [
    "simulate",
    "--past",
    "3h",
    "--crisis",
    `Velorra@${new Date(systemClock.now() - 7_200_000).toISOString()}`,
  ];
  const first = await json(...words);
  expect(first.hours).toBeGreaterThanOrEqual(3);
  expect(Object.keys(first.queries)).toEqual(["Parcelwing", "Lumabox", "Hearthly", "Velorra"]);
  expect((await json(...words)).hours).toBe(0);
});

test("what is deleted is gone, and nothing with mentions goes unasked", async () => {
  const [{ resourceId }] = (await mentions()).results;
  expect(await json("delete", "mentions", resourceId, "--query", "Refunds")).toEqual({ deleted: 1 });
  expect(await mentions()).toMatchObject({ results: [], resultsTotal: 0 });
  expect(await fault("delete", "query", "Everything")).toMatchObject({
    message: expect.stringMatching(/3 mentions/),
  });
  expect(await json("delete", "query", "Everything", "--yes")).toMatchObject([{ mentions: 3 }]);
  await say("delete", "tag", "answered");
  await say("delete", "category", "Price");
  const [topics] = await json("list", "categories");
  expect(topics.children.join()).toMatch(/Safety/);
  expect(topics.children.join()).not.toMatch(/Price/);
  await say("delete", "client", "Acme", "--yes");
  expect(await json("list", "projects")).toEqual([]);
  expect(await json("list", "users")).toMatchObject([{ name: "ann@acme.example", clients: [] }]);
});

test.each([
  [["create", "user", "x", "--client", "Nobody"], /no client "Nobody"/],
  [["list", "queries"], /There is no project yet/],
  [["fault", "set", "slwo"], /perhaps slow/],
  [["fault", "set", "slow=soon"], /a duration such as 2s/],
  [["revoke-tokens"], /Whose tokens/],
  [["delete", "query"], /Which query/],
  [["delete", "mentions"], /every mention/],
  [["import", "nowhere.csv"], /cannot be read/],
])("%j is reported with what is wrong", async (words, message) => {
  expect((await fault(...words)).message).toMatch(message);
});
