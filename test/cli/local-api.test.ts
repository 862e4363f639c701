import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createProgram } from "../../src/cli/create-program.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { UserError } from "../../src/lib/errors.ts";
import { createLocalApi, type LocalApi } from "../../src/listening-api/create-local-api.ts";
import { startDatabase, type TestDatabase } from "../listening-api/database.ts";
import { get, logIn } from "../listening-api/fixture.ts";

let database: TestDatabase;
let folder: string;
let api: LocalApi;
let printed: string[] = [];
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

/** The standard output of the command, as in `printed`; `errors` has its standard error. */
async function say(...words: string[]): Promise<string> {
  printed = [];
  errors = [];
  vi.spyOn(console, "log").mockImplementation((text) => printed.push(String(text)));
  vi.spyOn(console, "error").mockImplementation((text) => errors.push(String(text)));
  const { connectionString } = database.pool.options;
  const env = { DATABASE_URL: connectionString, LOG_LEVEL: "silent" };
  const argv = ["local-api", ...words];
  await (await createProgram(env, argv)).parseAsync(["node", "earshot", ...argv]);
  return printed.join("\n");
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

const ACCOUNT = `
clients:
  - name: Acme
    rateLimit: 1000/10
    tags: { shardName: one }
    projects:
      - name: Brands
        timezone: Europe/Berlin
        queries:
          - { name: Refunds, text: refund* OR money }
          - { name: Channel, type: twitter }
        queryGroups:
          - { name: All, queries: [Refunds] }
        categories:
          - { name: Topics, children: [Price, Safety] }
    siteLists:
      - { name: Press, domains: [news.example] }
users:
  - username: ann@acme.example
    firstName: Ann
    clients: { Acme: Admin }
`;

/** Applies a text as the file account.yaml. */
async function apply(text: string, ...words: string[]) {
  const file = join(folder, "account.yaml");
  await writeFile(file, text);
  return json("apply", file, ...words);
}

async function queriesNow(): Promise<{ id: number; name: string }[]> {
  return (await json("get")).clients[0].projects[0].queries;
}

test("from nothing to an account whose mentions can be asked for", async () => {
  const applied = await apply(ACCOUNT);
  expect(applied).toMatchObject({ applied: true, passwords: { "ann@acme.example": expect.any(String) } });
  login = { username: "ann@acme.example", password: applied.passwords["ann@acme.example"] };
  projectId = (await json("get")).clients[0].projects[0].id;
  expect(await apply(ACCOUNT)).toMatchObject({ changes: [], applied: false });
  await expect(apply(ACCOUNT.replace("refund* OR", "(refund* OR"))).rejects.toMatchObject({
    details: [expect.stringMatching(/account\.yaml:10:36 character 1: /)],
  });
  await apply(ACCOUNT.replace(/.*Channel.*\n/, ""), "--prune", "--yes");
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
  expect(await say("get")).toMatch(/Refunds # id \d+, 1 mention\n.*Everything # id \d+, 3 mentions\n/s);
});

async function mentions(more: readonly (readonly [string, string | number])[] = []) {
  const [refunds] = await queriesNow();
  const range = [
    ["queryId", refunds?.id ?? 0],
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
  const [tag] = (await json("get")).clients[0].projects[0].tags;
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
        "select count(*)::int as n from local_api.mention where filled_fields like '%money; now%'",
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
  await apply(ACCOUNT.replace("Acme: Admin", "Acme: Viewer"));
  expect((await get(api, "/me", [], token)).status).toBe(403);
  await apply(ACCOUNT.replace("Acme: Admin", "Acme: Regular"));
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

test("what is deleted is gone, and nothing goes unasked", async () => {
  const [{ resourceId }] = (await mentions()).results;
  expect(await json("edit", resourceId, "--query", "Refunds", "--delete")).toEqual({ deleted: 1 });
  expect(await mentions()).toMatchObject({ results: [], resultsTotal: 0 });
  expect((await fault("edit", resourceId, "--query", "Refunds", "--delete")).message).toMatch(/no such/);
  const file = join(folder, "account.yaml");
  const less = ACCOUNT.replace("Price, ", "");
  await writeFile(file, less);
  expect((await fault("apply", file, "--prune")).message).toMatch(/would delete something/);
  const lines = printed.join("\n");
  expect(lines).toMatch(/^- {5}query "Everything", with 3 mentions$/m);
  expect(lines).toMatch(/^- {7}subcategory "Price"$/m);
  const kept = await apply(less, "--dry-run");
  expect(kept.applied).toBe(false);
  expect(kept.changes).toContainEqual(expect.objectContaining({ action: "keep", name: "Everything" }));
  await apply(less, "--prune", "--yes");
  const { queries, categories } = (await json("get")).clients[0].projects[0];
  expect(queries).toMatchObject([{ name: "Refunds" }, { name: "Channel" }]);
  expect(categories).toMatchObject([{ name: "Topics", children: [{ name: "Safety" }] }]);
  await apply("clients: []", "--prune", "--yes");
  expect(await json("get")).toEqual({
    users: [{ username: "ann@acme.example", id: expect.any(Number), firstName: "Ann" }],
  });
});

test.each([
  [["apply"], /Which file/],
  [["apply", "nowhere.yaml"], /there is no such file/],
  [["import", "mentions.csv"], /cannot be read/],
  [["get", "--changes"], /There is no project yet/],
  [["fault", "set", "slwo"], /perhaps slow/],
  [["fault", "set", "slow=soon"], /a duration such as 2s/],
  [["revoke-tokens"], /Whose tokens/],
])("%j is reported with what is wrong", async (words, message) => {
  expect((await fault(...words)).message).toMatch(message);
});
