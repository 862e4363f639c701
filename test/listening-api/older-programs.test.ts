import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { HOUR } from "../../src/lib/instant.ts";
import { GAZETTEER, placeFields } from "../../src/listening-api/places/gazetteer.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { type Answer, type Fixture, mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";
import { send } from "./send.ts";

let fixture: Fixture;
let project: string;
let alpha: number;
const place = (id: string) => {
  const found = GAZETTEER.get(id);
  return found === undefined ? {} : placeFields(found);
};
beforeAll(async () => {
  fixture = await startFixture();
  project = `/projects/${fixture.account.projectId}`;
  alpha = fixture.account.queries.get("Alpha") ?? 0;
  const own = { queryId: alpha, gender: "female", domain: "news.example", pageType: "news" };
  const fields = [
    { ...own, ...place("us-ma"), snippet: "tea", url: "https://news.example/2026/12345" },
    { ...own, ...place("de"), snippet: "tea" },
    { ...own, snippet: "tea", title: "no place" },
  ];
  await insertMentions(
    createDatabase(fixture.database.pool),
    fields.map((one, n) =>
      mentionVersion({ ...one, resourceId: resourceId(n) }, { added: T0 - HOUR, date: T0 - n * 24 * HOUR }),
    ),
  );
});
afterAll(() => fixture.stop());

function ask(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers = { authorization: `bearer ${fixture.token}` };
  return send(fixture.api, {
    method,
    url: `${project}/${path}`,
    ...(body === undefined
      ? { headers }
      : { headers: { ...headers, "content-type": "application/json" }, payload: JSON.stringify(body) }),
  });
}

const RANGE = "startDate=2026-02-01&endDate=2026-04-01";

test("demographics and top sites are found under their older paths, too", async () => {
  for (const [older, today] of [
    ["demographics/gender", "data/demographics/gender"],
    ["data/volume/queries/topsites", "data/volume/topsites/queries"],
  ]) {
    const asked = `queryId=${alpha}&${RANGE}`;
    const answer = await ask("GET", `${older}?${asked}`);
    expect(answer.status).toBe(200);
    expect(answer.body.results).toHaveLength(1);
    expect(answer.body).toEqual((await ask("GET", `${today}?${asked}`)).body);
  }
  expect((await fixture.get("/content/sources/list")).body).toMatchObject({ results: [] });
});

test("the users of a project are those of its client, without what is secret", async () => {
  const { status, body } = await ask("GET", "users");
  expect(status).toBe(200);
  expect(body.results).toEqual([
    {
      id: fixture.account.userId,
      username: "ann@acme.example",
      firstName: "Ann",
      lastName: "Lee",
      uiRole: "Admin",
    },
  ]);
});

test("every mention has a guid: the number of its post, or null", async () => {
  const { body } = await ask(
    "GET",
    `data/mentions?queryId=${alpha}&${RANGE}&orderBy=date&orderDirection=desc`,
  );
  expect(body.results.map((one: { guid: string | null }) => one.guid)).toEqual(["12345", null, null]);
});

describe("one mention by its path", () => {
  const one = () => `queries/${alpha}/mentions/${resourceId(0)}`;

  it("is read, with its whole text at /content", async () => {
    expect((await ask("GET", one())).body).toMatchObject({ resourceId: resourceId(0), snippet: "tea" });
    expect((await ask("GET", `${one()}/content`)).body).toMatchObject({ fullText: "tea", snippet: null });
    expect((await ask("GET", `queries/${alpha}/mentions/none`)).status).toBe(404);
    expect((await ask("GET", `queries/7/mentions/${resourceId(0)}`)).status).toBe(404);
  });

  it("is changed as in a list of edits, and the answer is what it is then", async () => {
    const { status, body } = await ask("PATCH", one(), { sentiment: "negative", starred: true });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { resourceId: resourceId(0), queryId: alpha, sentiment: "negative", starred: true },
    });
    // Its path says which; a body that says another thing changes nothing else.
    await ask("PATCH", one(), { resourceId: resourceId(1), checked: true });
    expect((await ask("GET", `queries/${alpha}/mentions/${resourceId(1)}`)).body).toMatchObject({
      checked: false,
    });
    const wrong = await ask("PATCH", one(), { sentiment: "sad" });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors[0].message).toMatch(/^sentiment: expected one of/);
    expect((await ask("PATCH", `queries/${alpha}/mentions/none`, { starred: true })).status).toBe(404);
    expect((await ask("PATCH", one(), [])).status).toBe(400);
  });
});

test("what looked back for a query is listed", async () => {
  const { body } = await ask("POST", "queries", { name: "Tea", booleanQuery: "coffee" });
  expect((await ask("GET", `queries/${body.id}/backfill`)).body.results).toEqual([]);
  await ask("PATCH", `queries/${body.id}`, { booleanQuery: "tea" });
  const done = await ask("POST", `queries/${body.id}/backfill`, { minDate: "2026-01-01" });
  expect(done.body).toMatchObject({ queryId: body.id, minDate: "2025-12-31T23:00:00.000+0000", mentions: 0 });
  const { mentions: _, ...listed } = done.body;
  expect((await ask("GET", `queries/${body.id}/backfill`)).body).toMatchObject({
    resultsTotal: 1,
    results: [{ ...listed, status: "finished", mentionsFound: 0 }],
  });
  expect((await ask("GET", "queries/7/backfill")).status).toBe(404);
});

describe("the locationFilter of a query", () => {
  const foundBy = async (name: string, locationFilter: unknown) => {
    const { status, body } = await ask("POST", "queries", { name, booleanQuery: "tea", locationFilter });
    expect({ status, body }).toMatchObject({ status: 201 });
    const { results } = (await ask("GET", `data/mentions?queryId=${body.id}&${RANGE}`)).body;
    return { body, found: results.map((one: { resourceId: string }) => one.resourceId).sort() };
  };

  it("limits what its text finds to places, and leaves others out", async () => {
    const [boston, germany, nowhere] = [0, 1, 2].map(resourceId);
    expect((await foundBy("Anywhere", undefined)).body.locationFilter).toBeNull();
    const { body, found } = await foundBy("America", { includedLocations: ["us"] });
    expect(found).toEqual([boston]);
    expect(body.locationFilter).toMatchObject({
      includedLocations: [{ id: "us", name: "United States", type: "country" }],
      excludedLocations: [],
    });
    const { startDate: _, ...rest } = body;
    const same = await ask("PUT", `queries/${body.id}`, rest);
    expect(same.body.locationFilter).toEqual(body.locationFilter);
    expect((await foundBy("Europe", { includedLocations: [{ id: "europe" }] })).found).toEqual([germany]);
    expect((await foundBy("Not Germany", { excludedLocations: ["de"] })).found).toEqual([boston, nowhere]);
    const { found: some } = await foundBy("Both", {
      includedLocations: ["north-america"],
      excludedLocations: ["us-ma"],
    });
    expect(some).toEqual([]);
    const wider = await ask("PUT", `queries/${body.id}`, { locationFilter: {} });
    expect(wider.body).toMatchObject({ locationFilter: null });
    const { results } = (await ask("GET", `data/mentions?queryId=${body.id}&${RANGE}`)).body;
    expect(results).toHaveLength(3);
  });

  it.each([
    ["de", /^locationFilter: expected an object/],
    [{ includedLocations: "de" }, /^locationFilter\.includedLocations: expected an array/],
    [{ excludedLocations: ["mars"] }, /^locationFilter\.excludedLocations: "mars" is no known location/],
  ])("is refused: %j", async (locationFilter, message) => {
    const { status, body } = await ask("POST", "queries", { name: "x", booleanQuery: "x", locationFilter });
    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(message);
  });
});

describe("saved date ranges", () => {
  it("are the first dimension of a chart, which is about their time alone", async () => {
    const save = (name: string, startDate: string, endDate: string) =>
      ask("POST", `queries/${alpha}/date-range`, { name, startDate, endDate });
    const two = (await save("two days", "2026-03-02", "2026-03-04")).body;
    const one = (await save("one day", "2026-03-01", "2026-03-02")).body;
    const chart = (more: string) =>
      ask(
        "GET",
        `data/volume/dateRanges/days?queryId=${alpha}&startDate=2026-01-01&endDate=2026-01-02${more}`,
      );
    const { results } = (await chart("")).body;
    const values = (series: { values: { value: number }[] }) => series.values.map(({ value }) => value);
    expect(results.map(({ id, name }: { id: number; name: string }) => ({ id, name }))).toEqual([
      { id: two.id, name: "two days" },
      { id: one.id, name: "one day" },
    ]);
    expect(results.map(values)).toEqual([
      [0, 1, 1],
      [1, 0, 0],
    ]);
    const alone = (await chart(`&dateRanges=${one.id}`)).body.results;
    expect(alone.map(values)).toEqual([[1]]);
    expect((await chart("&dateRanges=7")).status).toBe(400);
    const beta = fixture.account.queries.get("Beta") ?? 0;
    const none = `data/volume/dateRanges/days?queryId=${beta}&startDate=2026-01-01&endDate=2026-01-02`;
    expect((await ask("GET", none)).body.results).toEqual([]);
  });

  it("are searched as a whole, also by what the index on words cannot decide", async () => {
    await ask("POST", `queries/${alpha}/date-range`, {
      name: "searched",
      startDate: "2026-03-01",
      endDate: "2026-03-04",
    });
    const volume = async (search: string) => {
      const asked = `queryId=${alpha}&startDate=2026-01-01&endDate=2026-01-02&search=${search}`;
      const { body } = await ask("GET", `data/volume/queries/dateRanges?${asked}`);
      const values: { name: string; value: number }[] = body.results[0].values;
      return values.find(({ name }) => name === "searched")?.value;
    };
    expect(await volume("tea")).toBe(3);
    expect(await volume("%7Btea%7D")).toBe(3);
  });

  it.each([
    [{ name: "x" }, /^startDate: required/],
    [{ name: "x", startDate: "soon", endDate: "2026-01-01" }, /^startDate: /],
    [{ name: "x", startDate: "2026-01-02", endDate: "2026-01-02" }, /^endDate: expected a moment after/],
  ])("are refused: %j", async (wrong, message) => {
    const { status, body } = await ask("POST", `queries/${alpha}/date-range`, wrong);
    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(message);
  });

  it("belong to one query", async () => {
    const { body } = await ask("POST", `queries/${alpha}/date-range`, {
      ...{ name: "own", startDate: "2026-01-01", endDate: "2026-01-02" },
    });
    const beta = fixture.account.queries.get("Beta") ?? 0;
    expect((await ask("GET", `queries/${beta}/date-range`)).body).toEqual([]);
    expect((await ask("GET", `queries/${beta}/date-range/${body.id}`)).status).toBe(404);
    expect((await ask("POST", "queries/7/date-range", body)).status).toBe(404);
  });
});
