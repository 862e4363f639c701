import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { createManualClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { createLocalApi, type LocalApi } from "../../src/listening-api/create-local-api.ts";
import { parseMoment } from "../../src/listening-api/parameters/parse-moment.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, get, logIn, mentionVersion, resourceId, SEED, startFixture, T0 } from "./fixture.ts";
import { send } from "./send.ts";

let fixture: Fixture;
let strict: LocalApi;
let path: string;
let range: readonly (readonly [string, string | number])[];
beforeAll(async () => {
  fixture = await startFixture(SEED, { strict: false });
  const { pool } = fixture.database;
  const log = { info() {}, warn() {}, error() {} };
  strict = createLocalApi({
    pool,
    clock: createManualClock(T0),
    log,
    signingSecret: "for tests",
    strict: true,
  });
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  path = `/projects/${fixture.account.projectId}/data/mentions`;
  range = [
    ["queryId", queryId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
  ];
  const versions = [1, 2, 3].map((n) =>
    mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0 - n * MINUTE }),
  );
  await insertMentions(createDatabase(pool), versions);
});
afterAll(async () => {
  await strict?.close();
  await fixture?.stop();
});

const UNKNOWN = "x-earshot-unknown-parameters";

describe("a parameter that the call does not have", () => {
  it.each([
    [["pagesize", 5000], "pagesize (did you mean pageSize?)"],
    [["limit", 100], "limit"],
    [["__delay", 30], "__delay"],
    [["backlinksMin", 3], "backlinksMin"],
    [["ü\nx", 1], "%C3%BC%0Ax"],
  ] as const)("is passed over and named: %j", async (parameter, named) => {
    const answer = await fixture.get(path, [...range, [encodeURIComponent(parameter[0]), parameter[1]]]);
    expect({ status: answer.status, total: answer.body.resultsTotal }).toEqual({ status: 200, total: 3 });
    expect(answer.headers[UNKNOWN]).toBe(named);
  });

  it("is logged once for a call, with the name that was perhaps meant and without its value", async () => {
    const before = fixture.logged.length;
    for (let i = 0; i < 3; i++) await fixture.get(path, [...range, ["pagesiz", "secret"]]);
    const logged = fixture.logged.slice(before);
    expect(logged).toEqual([
      expect.objectContaining({ parameters: [{ name: "pagesiz", meant: "pageSize" }] }),
    ]);
    expect(JSON.stringify(logged)).not.toContain("secret");
  });

  it("is not listed without a limit", async () => {
    const many = Array.from({ length: 300 }, (_, n) => [`${"x".repeat(500)}${n}`, 1] as const);
    const { status, headers } = await fixture.get(path, [...range, ...many]);
    expect(status).toBe(200);
    expect(String(headers[UNKNOWN]).length).toBeLessThan(5_000);
  });

  it("is an error where the server or a tag of the client says so", async () => {
    const refused = await get(strict, path, [...range, ["pagesize", 5000]], fixture.token);
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].message).toBe(
      '"pagesize" is not a parameter of this call. Did you mean pageSize?',
    );
    const { pool } = fixture.database;
    await pool.query(`update local_api.client set tags = '{"parameters.strict": "true"}'`);
    expect((await fixture.get(path, [...range, ["pagesize", 5000]])).status).toBe(400);
    await pool.query("update local_api.client set tags = '{}'");
    expect((await fixture.get(path, [...range, ["pagesize", 5000]])).status).toBe(200);
  });

  it("is passed over by a login, too", async () => {
    expect((await logIn(fixture.api, SEED.user, { response_type: "token" })).status).toBe(200);
    expect((await logIn(strict, SEED.user, { response_type: "token" })).status).toBe(400);
  });

  it("changes nothing about a cursor", async () => {
    const { nextCursor } = (await fixture.get(path, [...range, ["pageSize", 1], ["__delay", 30]])).body;
    const next = await fixture.get(path, [
      ...range,
      ["pageSize", 1],
      ["__delay", 31],
      ["cursor", nextCursor],
    ]);
    expect(next.body.results).toHaveLength(1);
  });
});

test("a name with [] behind it is the name without", async () => {
  const [, ...dates] = range;
  const queryId = range[0]?.[1] ?? 0;
  for (const api of [fixture.api, strict]) {
    const answer = await get(api, path, [["queryId%5B%5D", queryId], ...dates], fixture.token);
    expect({ status: answer.status, total: answer.body.resultsTotal }).toEqual({ status: 200, total: 3 });
    expect(answer.headers[UNKNOWN]).toBeUndefined();
  }
});

test("a page with a cursor is ignored and reported; if names are refused it is an error", async () => {
  const { nextCursor } = (await fixture.get(path, [...range, ["pageSize", 1]])).body;
  const asked = [...range, ["pageSize", 1], ["page", 7], ["cursor", nextCursor]] as const;
  const answer = await fixture.get(path, asked);
  expect(answer.body).toMatchObject({ resultsPage: 1, results: [{ resourceId: resourceId(2) }] });
  expect(answer.headers[UNKNOWN]).toBe("page");
  expect((await get(strict, path, asked, fixture.token)).body.errors[0].message).toMatch(
    /^page: expected none/,
  );
});

test("a cursor is bound to the meaning of its request, with defaults written out or not", async () => {
  const { nextCursor } = (await fixture.get(path, [...range, ["pageSize", 1]])).body;
  const spelled = [
    ["pageSize", 1],
    ["orderBy", "DATE"],
    ["orderDirection", "desc"],
    ["cursor", nextCursor],
  ] as const;
  expect((await fixture.get(path, [...range, ...spelled])).body.results).toHaveLength(1);
  const other = [
    ["pageSize", 1],
    ["orderDirection", "asc"],
    ["cursor", nextCursor],
  ] as const;
  expect((await fixture.get(path, [...range, ...other])).status).toBe(400);
});

test("the words of a 429 are those that clients look for, case and all", async () => {
  const { pool } = fixture.database;
  await pool.query(`update local_api.client set tags = '{"ratelimit.limit": "0", "ratelimit.period": "10"}'`);
  const { status, body } = await fixture.get("/me");
  await pool.query("update local_api.client set tags = '{}'");
  expect(status).toBe(429);
  expect(body.errors[0].message).toContain("rate limit exceeded");
});

test("the published contract's /project/ is /projects/", async () => {
  const answer = await send(fixture.api, {
    method: "POST",
    url: path.replace("/projects/", "/project/").replace("data/mentions", "group/location"),
    headers: { authorization: `bearer ${fixture.token}` },
    payload: { name: "Cities", locations: [{ id: "bos1" }] },
  });
  expect(answer).toMatchObject({ status: 200, body: { name: "Cities" } });
});

describe("the zone of a call", () => {
  const NOON_IN_SUMMER = "2026-07-01T12:00:00.000Z";

  it.each([
    ["UTC", 12],
    ["Europe/Berlin", 14],
    ["CET", 14],
    ["met", 14],
    ["EET", 15],
    ["WET", 13],
    ["EST", 7],
    ["Asia/Kolkata", 17],
  ])("%s has one clock for hours, and the same for days", async (zone, hour) => {
    const queryId = fixture.account.queries.get("Beta") ?? 0;
    const date = Date.parse(NOON_IN_SUMMER);
    const versions = [mentionVersion({ queryId, resourceId: resourceId(99) }, { date, added: T0 - MINUTE })];
    await insertMentions(createDatabase(fixture.database.pool), versions);
    const asked = [
      ["queryId", queryId],
      ["startDate", "2026-07-01"],
      ["endDate", "2026-07-02"],
      ["timezone", zone],
    ] as const;
    const atHour = async (of: number) =>
      (await fixture.get(path, [...asked, ["hourOfDay", of]])).body.resultsTotal;
    expect([await atHour(hour), await atHour(hour - 1), await atHour(hour + 1)]).toEqual([1, 0, 0]);
    for (const dimension of ["hourOfDay", "hours"]) {
      const chart = path.replace("data/mentions", `data/volume/queries/${dimension}`);
      const { values } = (await fixture.get(chart, asked)).body.results[0];
      const counted = values.filter(({ value }: { value: number }) => value > 0);
      expect([dimension, counted.length]).toEqual([dimension, 1]);
      expect(dimension === "hours" ? Number(counted[0].id.slice(11, 13)) : counted[0].id).toBe(hour);
    }
  });

  it.each(["BST", "IST", "ECT", "PST", "UTC+2", "+01:00", "local"])("is not %s", async (zone) => {
    const { status, body } = await fixture.get(path, [...range, ["timezone", zone], ["hourOfDay", 3]]);
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ code: 0, message: expect.stringMatching(/^timezone: expected an IANA name/) }],
    });
  });
});

describe("moments", () => {
  it.each([
    ["2026-11-20", "2026-11-19T23:00:00.000Z"],
    ["2026-11-20T05:00:00", "2026-11-20T05:00:00.000Z"],
    ["2026-11-20T05:00", "2026-11-20T05:00:00.000Z"],
    ["2026-11-20T05:00:00Z", "2026-11-20T05:00:00.000Z"],
    ["2026-11-20T05:00:00.250", "2026-11-20T05:00:00.250Z"],
    ["2026-11-20T05:00:00.123456", "2026-11-20T05:00:00.123Z"],
    ["2026-11-20T05:00:00.000+0100", "2026-11-20T04:00:00.000Z"],
    ["2026-11-20T05:00:00-05:00", "2026-11-20T10:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(new Date(parseMoment(text, "Europe/Berlin")).toISOString()).toBe(expected);
  });

  it.each(["2026-01-15", "2026-07-15"])(
    "of two midnights of a day the first counts, asked on %s",
    (today) => {
      vi.useFakeTimers({ now: Date.parse(today), toFake: ["Date"] });
      try {
        const at = (text: string, zone: string) => new Date(parseMoment(text, zone)).toISOString();
        expect(at("2026-10-25", "Atlantic/Azores")).toBe("2026-10-25T00:00:00.000Z");
        expect(at("2026-11-01", "America/Havana")).toBe("2026-11-01T04:00:00.000Z");
        // The clocks skip this one.
        expect(at("2026-04-24", "Africa/Cairo")).toBe("2026-04-23T22:00:00.000Z");
        expect(at("0099-12-31", "utc")).toBe("0099-12-31T00:00:00.000Z");
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it.each([
    "0000-01-01",
    "2026-11-20T05:00:00+99:00",
    "2026-11-20T05:00:00+0160",
    "2026-11-20T25:00:00",
    "2026-13-01T00:00:00",
    // Not the first of March.
    "2026-02-29T00:00:00",
    "2026-02-29",
  ])("%s is none", (text) => expect(parseMoment(text, "utc")).toMatch(/^expected YYYY-MM-DD/));
});
