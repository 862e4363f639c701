import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR, SECOND } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import type { MentionFields } from "../../src/listening-api/records/mention-record.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import { type Fixture, get, logIn, mentionVersion, resourceId, SEED, startFixture, T0 } from "./fixture.ts";
import { CURRENT_FIELDS, EARLIER_FIELDS } from "./records/spec-fields.ts";

type Parameters = readonly (readonly [string, string | number])[];

const HOSTILE = '<script>"nul \0, half \ud83d, \u2028 \\" & 😀 </script>';

let fixture: Fixture;
let [alpha, beta] = [0, 0];

beforeAll(async () => {
  fixture = await startFixture();
  alpha = fixture.account.queries.get("Alpha") ?? 0;
  beta = fixture.account.queries.get("Beta") ?? 0;
  await insertMentions(createDatabase(fixture.database.pool), [
    withText({ queryId: alpha, resourceId: resourceId(1), pageType: "news", title: HOSTILE }, HOSTILE, 1),
    withText({ queryId: alpha, resourceId: resourceId(2), pageType: "twitter", author: "ann" }, "hello", 2),
    withText({ queryId: beta, resourceId: resourceId(3), pageType: "forum" }, "x".repeat(3_000), 3),
  ]);
  fixture.clock.set(T0 + HOUR);
});
afterAll(() => fixture.stop());

/** The snippet is the beginning of the text. */
function withText(
  fields: Partial<MentionFields> & { queryId: number; resourceId: string },
  fullText: string,
  second: number,
): MentionVersion {
  const times = { added: T0 + second * SECOND };
  return { ...mentionVersion({ snippet: fullText.slice(0, 1_000), ...fields }, times), fullText };
}

const RANGE: Parameters = [
  ["startDate", "2026-03-01"],
  ["endDate", "2026-04-01"],
  ["orderBy", "added"],
  ["orderDirection", "asc"],
];

function path(projectId = fixture.account.projectId, call = "mentions"): string {
  return `/projects/${projectId}/data/${call}`;
}

function ask(call: string, ...more: Parameters) {
  return fixture.get(path(undefined, call), [["queryId", alpha], ["queryId", beta], ...RANGE, ...more]);
}

describe("the version of the record", () => {
  it("is the current one unless a call asks for the earlier one", async () => {
    const fieldsOf = async (...more: Parameters) =>
      Object.keys((await ask("mentions", ...more)).body.results[0]).sort();
    // Programs read a guid, which the spec lacks.
    const fields = (spec: object) => [...Object.keys(spec), "guid"].sort();
    expect(await fieldsOf()).toEqual(fields(CURRENT_FIELDS));
    expect(await fieldsOf(["mentionVersion", "current"])).toEqual(fields(CURRENT_FIELDS));
    expect(await fieldsOf(["mentionVersion", "earlier"])).toEqual(fields(EARLIER_FIELDS));
    const wrong = await ask("mentions", ["mentionVersion", "2"]);
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors[0].message).toMatch(/mentionVersion: expected one of current, earlier/);
  });

  it("of a client that has the tag is the earlier one, unless a call asks otherwise", async () => {
    const tags = { "mentions.version": "earlier" };
    const user = { username: "old", password: "old" };
    const account = await seedAccount(fixture.database.pool, {
      ...SEED,
      client: { name: "Old", tags },
      user,
    });
    const queryId = account.queries.get("Alpha") ?? 0;
    await insertMentions(createDatabase(fixture.database.pool), [
      withText({ queryId, resourceId: resourceId(1) }, "one two", 1),
    ]);
    const { access_token } = (await logIn(fixture.api, user)).body;
    const call = async (...more: Parameters) =>
      (
        await get(
          fixture.api,
          path(account.projectId),
          [["queryId", queryId], ...RANGE, ...more],
          access_token,
        )
      ).body;
    expect((await call()).results[0]).toMatchObject({ resourceType: "page", wordCount: 2 });
    expect((await call(["mentionVersion", "current"])).results[0].resourceId).toBe(resourceId(1));
  });

  it("has its own envelope", async () => {
    const current = (await ask("mentions", ["pageSize", 2])).body;
    const earlier = (await ask("mentions", ["pageSize", 2], ["mentionVersion", "earlier"])).body;
    expect(current).toMatchObject({ resultsTotal: 3, scaledResultsTotal: 3 });
    expect(current).not.toHaveProperty("maximumId");
    expect(earlier).not.toHaveProperty("scaledResultsTotal");
    const ids = earlier.results.map((mention: { id: number }) => mention.id);
    expect(new Set(ids).size).toBe(2);
    expect(earlier.maximumIdInResult).toBe(Math.max(...ids));
    expect(earlier.maximumId).toBeGreaterThanOrEqual(earlier.maximumIdInResult);
    const next = ["cursor", current.nextCursor] as const;
    expect((await ask("mentions", ["pageSize", 2], next)).body).toMatchObject({
      scaledResultsTotal: 3,
      maximumId: earlier.maximumId,
      prevCursor: expect.any(String),
    });
    const empty = await ask("mentions", ["mentionVersion", "earlier"], ["sentiment", "negative"]);
    expect(empty.body).toMatchObject({ resultsTotal: 0, maximumId: -1, maximumIdInResult: -1 });
  });
});

describe("full texts", () => {
  it("come whole and verbatim, in place of the snippet, with the same parameters and paging", async () => {
    const { status, body } = await ask("mentions/fulltext", ["pageSize", 1]);
    expect(status).toBe(200);
    expect(body.results[0]).toMatchObject({ snippet: null, fullText: HOSTILE, title: HOSTILE });
    const second = (await ask("mentions/fulltext", ["pageSize", 1], ["cursor", body.nextCursor])).body;
    const third = (await ask("mentions/fulltext", ["pageSize", 1], ["cursor", second.nextCursor])).body;
    expect(third.results[0].fullText).toBe("x".repeat(3_000));
    expect((await ask("mentions")).body.results[2].snippet).toHaveLength(1_000);
    const earlier = await ask("mentions/fulltext", ["mentionVersion", "earlier"]);
    expect(earlier.body.results[1]).toMatchObject({ fullText: "hello", resourceType: "page", wordCount: 1 });
    expect((await ask("mentions/fulltext", ["colour", "red"])).status).toBe(400);
    expect(
      (await fixture.get(`${path(undefined, "mentions/fulltext")}.json`, [["queryId", alpha], ...RANGE]))
        .status,
    ).toBe(200);
  });
});

describe("data policies", () => {
  async function restrictedBy(seed: { tag?: string; project?: "full" | "restricted" }) {
    const name = JSON.stringify(seed);
    const user = { username: name, password: "p" };
    const tags = seed.tag === undefined ? {} : { "data.policy": seed.tag };
    const project = { name: "P", ...(seed.project === undefined ? {} : { dataPolicy: seed.project }) };
    const account = await seedAccount(fixture.database.pool, {
      ...SEED,
      client: { name, tags },
      user,
      project,
    });
    const queryId = account.queries.get("Alpha") ?? 0;
    await insertMentions(createDatabase(fixture.database.pool), [
      withText({ queryId, resourceId: resourceId(1), pageType: "twitter", author: "ann" }, "secret", 1),
    ]);
    const { access_token } = (await logIn(fixture.api, user)).body;
    const call = (call: string) =>
      get(fixture.api, path(account.projectId, call), [["queryId", queryId], ...RANGE], access_token);
    const full = (await call("mentions/fulltext")).body.results[0].fullText;
    const { snippet, author, sentiment } = (await call("mentions")).body.results[0];
    expect(sentiment).toBeNull();
    return { snippet, author, full };
  }
  const open = { snippet: "secret", author: "ann", full: "secret" };
  const closed = { snippet: null, author: null, full: null };

  it.each([
    ["none is named", {}, open],
    ["the client names one", { tag: "restricted" }, closed],
    ["the client names one that nobody knows", { tag: "restrikted" }, closed],
    ["the project names one", { project: "restricted" }, closed],
    ["the project names another than the client", { tag: "restricted", project: "full" }, open],
  ] as const)("when %s", async (_, seed, expected) => {
    expect(await restrictedBy(seed)).toEqual(expected);
  });
});

it("no cursor reveals the value of the order", async () => {
  for (const orderBy of ["author", "title", "date"]) {
    const parameters: Parameters = [
      ["queryId", alpha],
      ...RANGE.slice(0, 2),
      ["orderBy", orderBy],
      ["orderDirection", "desc"],
      ["pageSize", 1],
    ];
    const { nextCursor } = (await fixture.get(path(), parameters)).body;
    const bytes = Buffer.from(nextCursor, "base64url").toString("latin1");
    expect(bytes).not.toMatch(/ann|script|2026|17725/);
    const next = (await fixture.get(path(), [...parameters, ["cursor", nextCursor]])).body;
    expect(next.results).toHaveLength(1);
    const half = nextCursor.slice(0, nextCursor.length / 2);
    for (const forged of [half, `${half}AAAA${nextCursor.slice(half.length + 4)}`, "AAAA", "a".repeat(400)])
      expect((await fixture.get(path(), [...parameters, ["cursor", forged]])).status).toBe(400);
  }
});

it("a project that is seeded again keeps its data policy", async () => {
  const closed = { ...SEED, project: { name: "Closed", dataPolicy: "restricted" as const } };
  const { projectId } = await seedAccount(fixture.database.pool, closed);
  await seedAccount(fixture.database.pool, { ...SEED, project: { name: "Closed" } });
  const { rows } = await fixture.database.pool.query(
    "select data_policy from local_api.project where id = $1",
    [projectId],
  );
  expect(rows).toEqual([{ data_policy: "restricted" }]);
});

describe("sampled queries", () => {
  it("keep their share of what matches, say so, and extrapolate the total", async () => {
    const account = await seedAccount(fixture.database.pool, {
      ...SEED,
      project: { name: "Sampled" },
      queries: [{ name: "All" }, { name: "Quarter", samplePercentage: 25 }],
    });
    const id = (name: string) => account.queries.get(name) ?? 0;
    for (const name of ["All", "Quarter"]) {
      const versions = Array.from({ length: 400 }, (_, n) =>
        mentionVersion({ queryId: id(name), resourceId: resourceId(n) }, { added: T0 + n }),
      );
      const stored = await insertMentions(createDatabase(fixture.database.pool), versions);
      const [least, most] = name === "All" ? [400, 400] : [70, 130];
      expect(stored).toBeGreaterThanOrEqual(least);
      expect(stored).toBeLessThanOrEqual(most);
      expect(await insertMentions(createDatabase(fixture.database.pool), versions)).toBe(0);
    }
    const records = (await fixture.get(`/projects/${account.projectId}/queries`)).body.results;
    expect(records).toMatchObject([
      { name: "All", sampled: false, samplePercentage: 100 },
      { name: "Quarter", sampled: true, samplePercentage: 25 },
    ]);
    const totals = async (pageSize: number, ...names: string[]) => {
      const queries = names.map((name) => ["queryId", id(name)] as const);
      const { body } = await fixture.get(path(account.projectId), [
        ...queries,
        ...RANGE,
        ["pageSize", pageSize],
      ]);
      return [body.resultsTotal, body.scaledResultsTotal];
    };
    const [quarter = 0] = await totals(10, "Quarter");
    expect(await totals(10, "All")).toEqual([400, 400]);
    expect(await totals(10, "Quarter")).toEqual([quarter, quarter * 4]);
    for (const pageSize of [10, 5_000])
      expect(await totals(pageSize, "All", "Quarter")).toEqual([400 + quarter, 400 + quarter * 4]);
  });
});
