import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../../src/listening-api/create-local-api.ts";
import { createUser, findUser, putMembership } from "../../../src/listening-api/store/accounts.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { type Fixture, get, logIn, SEED, startFixture, T0 } from "../fixture.ts";
import { send } from "../send.ts";

const { username, password } = SEED.user;
const FORM = "application/x-www-form-urlencoded";
const asked = { username, grant_type: "api-password", client_id: "earshot-api-client" };

let fixture: Fixture;
let db: Database;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
});
beforeEach(() => fixture.database.pool.query("delete from local_api.login_attempt"));
afterAll(() => fixture.stop());

interface TokenCall {
  readonly method?: "GET" | "POST";
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: string;
}

function askToken({ method = "POST", query = {}, type, body }: TokenCall) {
  return send(fixture.api, {
    method,
    url: `/oauth/token?${new URLSearchParams(query)}`,
    headers: type === undefined ? {} : { "content-type": type },
    ...(body === undefined ? {} : { payload: body }),
  });
}

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();

describe("a token is given", () => {
  // biome-ignore format: a table, one row on a line
  const calls: readonly (readonly [string, TokenCall])[] = [
    ["query and form", { query: asked, type: FORM, body: form({ password }) }],
    ["everything in the form", { type: FORM, body: form({ ...asked, password }) }],
    ["query and a JSON body", { query: asked, type: "application/json", body: JSON.stringify({ password }) }],
    ["everything in JSON", { type: "application/json", body: JSON.stringify({ ...asked, password }) }],
    ["the same value in both places", { query: asked, type: FORM, body: form({ ...asked, password }) }],
    ["GET", { method: "GET", query: { ...asked, password } }],
    ["capitals in the login name", { query: { ...asked, username: "ANN@Acme.example" }, type: FORM, body: form({ password }) }],
    ["any service's public client", { query: { ...asked, client_id: "some-service-api-client" }, type: FORM, body: form({ password }) }],
    ["an empty client_secret", { query: { ...asked, client_secret: "" }, type: FORM, body: form({ password }) }],
  ];
  it.each(calls)("asked by %s", async (_, call) => {
    const { status, headers, body } = await askToken(call);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
        token_type: "bearer",
        expires_in: 31_535_999,
        scope: "read trust write",
      },
    });
    expect(headers["cache-control"]).toBe("no-store");
    expect((await get(fixture.api, "/me", [], body.access_token)).status).toBe(200);
  });

  it("lives as long as the login says, where it says so", async () => {
    await createUser(db, {
      username: "brief",
      passwordHash: (await findUser(db, username))?.passwordHash ?? "",
      firstName: "",
      lastName: "",
      createdAt: T0,
      tokenLifetimeSeconds: 60,
      clientId: fixture.account.clientId,
      role: "Regular",
    });
    expect((await logIn(fixture.api, { username: "brief", password })).body.expires_in).toBe(60);
  });
});

describe("no token is given, and OAuth's own shape says why", () => {
  const ok = { query: asked, type: FORM, body: form({ password }) };
  const without = (name: keyof typeof asked) =>
    Object.fromEntries(Object.entries(asked).filter(([key]) => key !== name));
  // biome-ignore format: a table, one row on a line
  const calls: readonly (readonly [string, TokenCall, number, string, RegExp])[] = [
    ["no username", { ...ok, query: without("username") }, 400, "invalid_request", /^username: required/],
    ["no grant_type", { ...ok, query: without("grant_type") }, 400, "invalid_request", /^grant_type: required, the value api-password/],
    ["no client_id", { ...ok, query: without("client_id") }, 400, "invalid_request", /^client_id: required/],
    ["no password", { query: asked }, 400, "invalid_request", /^password: required/],
    ["an empty password", { ...ok, body: form({ password: "" }) }, 400, "invalid_request", /password: expected a value/],
    ["two usernames", { ...ok, body: `${form({ password })}&username=eve` }, 400, "invalid_request", /^username: expected one value/],
    ["two passwords", { ...ok, body: "password=a&password=b" }, 400, "invalid_request", /^password: expected text, given once/],
    ["an endless password", { ...ok, body: form({ password: "x".repeat(1001) }) }, 400, "invalid_request", /^password: expected at most 1000/],
    ["a NUL in the name", { ...ok, query: { ...asked, username: "a\0b" } }, 400, "invalid_request", /^username: expected text without NUL/],
    ["an unknown parameter", { ...ok, query: { ...asked, colour: "red" } }, 400, "invalid_request", /"colour" is not a parameter/],
    ["another grant", { ...ok, query: { ...asked, grant_type: "password" } }, 400, "unsupported_grant_type", /^grant_type: expected api-password/],
    ["another client", { ...ok, query: { ...asked, client_id: "me" } }, 401, "invalid_client", /^client_id: expected .*-api-client/],
    [
      "a wrong password",
      { ...ok, body: form({ password: "wrong" }) },
      401,
      "invalid_grant",
      /^Bad credentials$/,
    ],
    ["an unknown login", { ...ok, query: { ...asked, username: "nobody" } }, 401, "invalid_grant", /^Bad credentials$/],
    ["broken JSON", { query: asked, type: "application/json", body: "{" }, 400, "invalid_request", /^body: expected JSON/],
    ["JSON that is no object", { query: asked, type: "application/json", body: "[1]" }, 400, "invalid_request", /^body: expected a form/],
    ["an object for a password", { query: asked, type: "application/json", body: '{"password":{}}' }, 400, "invalid_request", /^password: expected text/],
    [
      "XML",
      { query: asked, type: "text/xml", body: "<a/>" },
      415,
      "invalid_request",
      /^content-type: expected/,
    ],
    ["a body without end", { ...ok, body: form({ password: "x".repeat(20_000) }) }, 413, "invalid_request", /^body: .*larger/],
    ["a client of others", { ...ok, query: { ...asked, platform_client_id: "999999" } }, 400, "invalid_request", /^platform_client_id: expected a client that the login belongs to/],
  ];
  it.each(calls)("%s", async (_, call, status, error, description) => {
    const answer = await askToken(call);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, error_description: expect.stringMatching(description) });
    expect(JSON.stringify(answer.body)).not.toContain(password);
  });

  it.each(["PUT", "DELETE", "PATCH"] as const)("%s is told which methods there are", async (method) => {
    const answer = await send(fixture.api, { method, url: "/oauth/token" });
    expect(answer).toMatchObject({ status: 405, headers: { allow: "POST, GET" } });
  });
});

describe("a login of several clients", () => {
  const user = { username: "both", password: "both" };
  let mine: Record<"acme" | "other", { clientId: number; projectId: number }>;
  beforeAll(async () => {
    const acme = await seedAccount(fixture.database.pool, { ...SEED, user });
    const second = { ...SEED, user, client: { name: "Other" }, project: { name: "Secret" } };
    mine = { acme, other: await seedAccount(fixture.database.pool, second) };
  });

  it("has to say for which of them it speaks", async () => {
    expect(await logIn(fixture.api, user)).toMatchObject({
      status: 400,
      body: {
        error: "invalid_request",
        error_description: expect.stringMatching(/^platform_client_id: req/),
      },
    });
  });

  it("sees the projects of that client, and none of the others", async () => {
    const chosen = { platform_client_id: String(mine.other.clientId) };
    const { access_token } = (await logIn(fixture.api, user, chosen)).body;
    const { results } = (await get(fixture.api, "/projects/summary", [], access_token)).body;
    expect(results.map((project: { name: string }) => project.name)).toEqual(["Secret"]);
    expect((await get(fixture.api, `/projects/${mine.acme.projectId}`, [], access_token)).status).toBe(404);
    expect((await get(fixture.api, "/client", [], access_token)).body.name).toBe("Other");
  });

  it("need not say it when only one of them lets it use the API", async () => {
    const userId = (await findUser(db, "both"))?.id ?? 0;
    await putMembership(db, { userId, clientId: mine.acme.clientId, role: "Viewer" });
    const login = await logIn(fixture.api, user);
    expect((await get(fixture.api, "/client", [], login.body.access_token)).body.name).toBe("Other");
    const refused = await logIn(fixture.api, user, { platform_client_id: String(mine.acme.clientId) });
    expect(refused).toMatchObject({ status: 403, body: { error: "access_denied" } });
  });
});

describe("guessing", () => {
  const guess = (name: string, word: string, from = "10.0.0.1", api = fixture.api) =>
    send(api, {
      method: "POST",
      url: `/oauth/token?${new URLSearchParams({ ...asked, username: name })}`,
      headers: { "content-type": FORM },
      remoteAddress: from,
      payload: form({ password: word }),
    });

  test("a login name takes ten failures, at once or not, over all server processes", async () => {
    const { pool } = fixture.database;
    const log = { info() {}, warn() {}, error() {} };
    const second = createLocalApi({ pool, clock: fixture.clock, log, signingSecret: "for tests" });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        guess(
          n % 3 === 0 ? username.toUpperCase() : username,
          "wrong",
          `10.0.1.${n}`,
          n % 2 ? second : fixture.api,
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(6);
    expect(refused[0]?.body).toEqual({
      error: "too_many_attempts",
      error_description: expect.stringMatching(/^Too many failed logins\. Try again in \d+ seconds\.$/),
    });
    expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(290);
    // Not even the right password gets through now; other logins do.
    expect((await guess(username, password)).status).toBe(429);
    expect((await guess("nobody", "wrong")).status).toBe(401);
    await second.close();
  });

  test("a login name that does not exist is limited alike", async () => {
    for (let n = 0; n < 10; n++) expect((await guess("nobody", "wrong", `10.0.2.${n}`)).status).toBe(401);
    expect((await guess("nobody", "wrong", "10.0.2.99")).status).toBe(429);
  });

  test("an address that has failed a hundred times waits, whatever names it tries", async () => {
    await fixture.database.pool.query(
      `insert into local_api.login_attempt (subject)
       select sha256('address:10.0.3.1') from generate_series(1, 100)`,
    );
    expect((await guess("somebody-new", "wrong", "10.0.3.1")).status).toBe(429);
    expect((await guess("somebody-new", "wrong", "10.0.3.2")).status).toBe(401);
  });

  test("an address is what a trusted proxy says, and nothing that anybody else says", async () => {
    const { pool } = fixture.database;
    const log = { info() {}, warn() {}, error() {} };
    const behind = createLocalApi({
      pool,
      clock: fixture.clock,
      log,
      signingSecret: "for tests",
      trustedProxies: ["10.0.5.1"],
    });
    const subjects = async () =>
      (await pool.query("select distinct encode(subject, 'hex') as hash from local_api.login_attempt")).rows;
    const claim = (api: typeof behind, remoteAddress: string) =>
      send(api, {
        method: "POST",
        url: `/oauth/token?${new URLSearchParams({ ...asked, username: "nobody", password: "wrong" })}`,
        headers: { "x-forwarded-for": "203.0.113.9" },
        remoteAddress,
      });
    const hashOf = (address: string) => ({
      hash: createHash("sha256").update(`address:${address}`).digest("hex"),
    });
    await claim(behind, "10.0.5.2");
    await claim(fixture.api, "10.0.5.1");
    expect(await subjects()).toEqual(expect.arrayContaining([hashOf("10.0.5.1"), hashOf("10.0.5.2")]));
    expect(await subjects()).not.toContainEqual(hashOf("203.0.113.9"));
    await claim(behind, "10.0.5.1");
    expect(await subjects()).toContainEqual(hashOf("203.0.113.9"));
    await behind.close();
  });

  test("a login that succeeds forgets the failures of its name and costs its address nothing", async () => {
    for (let n = 0; n < 9; n++) await guess(username, "wrong", "10.0.4.1");
    expect((await guess(username, password, "10.0.4.2")).status).toBe(200);
    for (let n = 0; n < 9; n++) expect((await guess(username, "wrong", "10.0.4.3")).status).toBe(401);
    const { rows } = await fixture.database.pool.query(
      "select count(*)::int as count from local_api.login_attempt where subject = sha256('address:10.0.4.2')",
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  test("failures are forgotten after five minutes, and deleted", async () => {
    for (let n = 0; n < 10; n++) await guess(username, "wrong");
    await fixture.database.pool.query(
      "update local_api.login_attempt set attempted_at = attempted_at - interval '5 minutes 1 second'",
    );
    expect((await guess(username, "wrong")).status).toBe(401);
    const { rows } = await fixture.database.pool.query("select id from local_api.login_attempt");
    expect(rows).toHaveLength(2);
  });

  test("the tables keep neither passwords nor tokens, nor what was typed for a name", async () => {
    const token = (await logIn(fixture.api, SEED.user)).body.access_token;
    await guess("my secret passphrase", "wrong");
    const tables = ["api_user", "token", "login_attempt"];
    const kept = await Promise.all(
      tables.map((table) => fixture.database.pool.query(`select t::text from local_api.${table} t`)),
    );
    const text = JSON.stringify(kept.map(({ rows }) => rows));
    for (const secret of [password, token, Buffer.from(token).toString("hex"), "passphrase"])
      expect(text).not.toContain(secret);
    expect(text).toMatch(/scrypt\$16384\$8\$1\$/);
  });
});
