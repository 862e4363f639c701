import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { migrateLocalApi } from "../../src/listening-api/store/migrate-local-api.ts";
import { type Fixture, get, mentionVersion, resourceId, SEED, startFixture, T0 } from "./fixture.ts";

let fixture: Fixture;
let project: string;

beforeAll(async () => {
  fixture = await startFixture();
  project = `/projects/${fixture.account.projectId}`;
});
afterAll(() => fixture.stop());

describe("records", () => {
  it("gives exactly the fields of the spec", async () => {
    const keys = async (path: string) => Object.keys((await fixture.get(path)).body.results[0]);
    expect(await keys("/projects/summary")).toEqual([
      "id",
      "name",
      "description",
      "billableClientId",
      "billableClientName",
      "timezone",
      "billableClientIsPitch",
    ]);
    expect(await keys(`${project}/queries/summary`)).toEqual([
      "id",
      "name",
      "type",
      "creationDate",
      "lastModificationDate",
      "lastModifiedUsername",
      "lockedQuery",
      "lockedByUsername",
      "createdByWizard",
    ]);
    expect(await keys(`${project}/categories`)).toEqual(["id", "name", "multiple", "children"]);
    expect(Object.keys((await fixture.get("/client")).body)).toHaveLength(30);
    const me = (await fixture.get("/me")).body;
    expect(me).toMatchObject({ username: "ann@acme.example", uiRole: "Admin", firstName: "Ann" });
    expect(me.client).toMatchObject({ name: "Acme", parentId: -1, mentionLimit: -1 });
  });

  it("lists projects, one project, queries of a type, and categories with their children", async () => {
    expect((await fixture.get("/projects")).body.results[0]).toMatchObject({
      name: "Brands",
      defaultLanguage: "en",
      timezone: "Europe/Berlin",
    });
    expect((await fixture.get(project)).body).toMatchObject({ id: fixture.account.projectId });
    const twitter = await fixture.get(`${project}/queries`, [["type", "twitter"]]);
    expect(twitter.body).toMatchObject({ resultsTotal: 1, resultsPage: -1, resultsPageSize: -1 });
    expect(twitter.body.results[0]).toMatchObject({
      name: "Beta",
      creationDate: "2026-03-03T12:00:00.000+0000",
    });
    const categories = (await fixture.get(`${project}/categories`)).body;
    expect(categories).toMatchObject({ resultsTotal: -1, resultsPage: -1, resultsPageSize: -1 });
    expect(categories.results[0].children.map((child: { name: string }) => child.name)).toEqual([
      "Price",
      "Safety",
    ]);
  });

  it("serves the older paths that end in .json", async () => {
    expect((await fixture.get("/projects/summary.json")).status).toBe(200);
    expect((await fixture.get(`${project}/queries/summary.json`)).status).toBe(200);
  });

  it("can be seeded and migrated again without a second of anything", async () => {
    await Promise.all([migrateLocalApi(fixture.database.pool), migrateLocalApi(fixture.database.pool)]);
    const again = await seedAccount(fixture.database.pool, SEED);
    expect(again).toEqual(fixture.account);
  });
});

describe("wrong input", () => {
  const dates = [
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
  ] as const;
  const alpha = () => ["queryId", fixture.account.queries.get("Alpha") ?? 0] as const;
  const cases: readonly [string, readonly (readonly [string, string | number])[], RegExp][] = [
    ["an unknown parameter", [["colour", "red"]], /"colour" is not a parameter/],
    [
      "a parameter that is nearly one",
      [["xpagetypes", "red"]],
      /"xpagetypes" is not .* Did you mean xpageType/,
    ],
    ["a page size of 0", [["pageSize", 0]], /pageSize: expected an integer from 1 to 5000/],
    ["a page size of 5001", [["pageSize", 5001]], /pageSize/],
    ["a page that is no number", [["page", "two"]], /page: expected an integer, got "two"/],
    [
      "a page beyond 10,000 mentions",
      [
        ["page", 2],
        ["pageSize", 5000],
      ],
      /page: .* at most 10000/,
    ],
    [
      "an unknown order",
      [["orderBy", "reach"]],
      /orderBy: expected one of date, added, updated, impact.*reachestimate/,
    ],
    ["an unknown direction", [["orderDirection", "up"]], /orderDirection/],
    ["an invented cursor", [["cursor", "abc.def"]], /cursor: expected the nextCursor/],
    ["an unknown sentiment", [["sentiment", "angry"]], /sentiment: expected one of positive/],
    ["an unknown page type", [["pageType", "pigeon"]], /pageType/],
    ["a category that is no id", [["category", "Price"]], /category: expected an integer/],
    ["a tag that is no id", [["xtag", "x"]], /xtag/],
    ["a moment without a time", [["sinceAdded", "2026-03-01T"]], /sinceAdded: expected YYYY/],
    ["a year that never was", [["sinceAdded", "0000-01-01"]], /sinceAdded: expected YYYY/],
    [
      "an offset that no clock has",
      [["sinceAdded", "2026-03-01T00:00:00+99:00"]],
      /sinceAdded: expected YYYY/,
    ],
    ["a page beyond all pages", [["page", 99_999]], /page: expected an integer from 0 to 9999, got 99999/],
    ["a plus that became a space", [["sinceAdded", "2026-03-01T00:00:00.000 0000"]], /%2B/],
    ["a day that does not exist", [["sinceUpdated", "2026-02-30"]], /sinceUpdated/],
    ["a query of nobody", [["queryId", 7]], /queryId: 7 is no query of this project/],
    ["a group of nobody", [["queryGroupId", 7]], /queryGroupId: 7 is no query group/],
    ["an empty value", [["author", ""]], /author: expected a value/],
  ];

  it.each(cases)("names the parameter: %s", async (_, parameters, expected) => {
    const answer = await fixture.get(`${project}/data/mentions`, [alpha(), ...dates, ...parameters]);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({ code: 0, message: expect.stringMatching(expected) });
  });

  it("reports all faults at once, and what is missing", async () => {
    const { status, body } = await fixture.get(`${project}/data/mentions`, [["foo", 1]]);
    expect(status).toBe(400);
    const messages = body.errors.map((error: { message: string }) => error.message).join("\n");
    for (const name of ["queryId", "startDate", "endDate", '"foo"']) expect(messages).toContain(name);
  });

  it("refuses a range that ends before it begins", async () => {
    const backwards = [
      ["startDate", "2026-03-02"],
      ["endDate", "2026-03-02"],
    ] as const;
    const answer = await fixture.get(`${project}/data/mentions`, [alpha(), ...backwards]);
    expect(answer.body.errors[0].message).toContain("endDate");
  });

  it("answers 404 in the errors shape for what is not there, and refuses unknown parameters everywhere", async () => {
    for (const path of ["/nowhere", "/projects/99", `${project}/nothing`]) {
      const { status, body } = await fixture.get(path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(body.errors[0].message).not.toBe("");
    }
    for (const path of ["/me", "/client", "/projects", "/projects/summary", `${project}/categories`])
      expect((await fixture.get(path, [["x", 1]])).status).toBe(400);
    expect((await fixture.get("/projects/abc")).status).toBe(400);
  });

  it("says nothing of its own failures, and logs no token", async () => {
    const broken = createLocalApi({
      pool: fixture.database.pool,
      clock: {
        speed: 0,
        now: () => {
          throw new Error("the clock broke");
        },
      },
      log: { info() {}, warn() {}, error: (fields) => fixture.logged.push(fields) },
      signingSecret: "x",
    });
    const parameters = [alpha(), ...dates, ["access_token", fixture.token]] as const;
    const answer = await get(broken, `${project}/data/mentions`, parameters);
    expect(answer.status).toBe(500);
    expect(answer.body.error).toBe("internal_error");
    expect(JSON.stringify(answer.body)).not.toContain("clock");
    expect(JSON.stringify(fixture.logged)).toContain("the clock broke");
    expect(JSON.stringify(fixture.logged)).not.toContain(fixture.token);
    await broken.close();
  });
});

describe("over the wire", () => {
  it("compresses large answers for callers who accept it, and no others", async () => {
    const queryId = fixture.account.queries.get("Beta") ?? 0;
    const rows = Array.from({ length: 5 }, (_, n) =>
      mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0 }),
    );
    await insertMentions(createDatabase(fixture.database.pool), rows);
    const url = `${project}/data/mentions?queryId=${queryId}&startDate=2026-03-01&endDate=2026-04-01`;
    const authorization = `bearer ${fixture.token}`;
    const ask = (encoding: string) =>
      fixture.api.app.inject({ method: "GET", url, headers: { authorization, "accept-encoding": encoding } });
    const [packed, plain] = [await ask("br, gzip"), await ask("gzip;q=0")];
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
  });

  it("listens on a free port and gives its address", async () => {
    const url = await fixture.api.listen({ host: "127.0.0.1", port: 0 });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(`${url}/me`, { headers: { authorization: `Bearer ${fixture.token}` } });
    expect(response.status).toBe(200);
  });
});
