import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clock, createManualClock, systemClock } from "../../../src/lib/clock.ts";
import { MINUTE } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createLocalApi, type LocalApi } from "../../../src/listening-api/create-local-api.ts";
import { putMembership, updateUser } from "../../../src/listening-api/store/accounts.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { type Fixture, get, logIn, SEED, startFixture, T0 } from "../fixture.ts";
import { send } from "../send.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

/** A login of a new client with that limit, and its token. */
async function limited(name: string, limit: number, minutes = 10) {
  const tags = { "ratelimit.limit": String(limit), "ratelimit.period": String(minutes) };
  const user = { username: name, password: name };
  const account = await seedAccount(fixture.database.pool, { ...SEED, client: { name, tags }, user });
  return { ...account, user, token: String((await logIn(fixture.api, user)).body.access_token) };
}

/** A server as another process would run it: with connections and a clock of its own. */
function startServer(clock: Clock): { api: LocalApi; stop(): Promise<void> } {
  const { host, port, database, user, password } = fixture.database.pool.options;
  const { connectionString } = fixture.database.pool.options;
  const pool = new Pool(
    connectionString === undefined ? { host, port, database, user, password } : { connectionString, max: 4 },
  );
  pool.on("error", () => {});
  const log = { info() {}, warn() {}, error() {} };
  const api = createLocalApi({ pool, clock, log, signingSecret: "for tests" });
  return { api, stop: () => api.close().then(() => pool.end()) };
}

test("a rolling window per client, in the headers of every answer, refuses what is too much", async () => {
  const { token } = await limited("rolling", 3);
  const call = () => get(fixture.api, "/me", [], token);
  const used: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    const answer = await call();
    expect(answer).toMatchObject({ status: 200, headers: { "x-rate-limit": "3/10m" } });
    used.push(answer.headers["x-rate-limit-used"]);
    fixture.clock.advance(MINUTE);
  }
  expect(used).toEqual(["1", "2", "3"]);
  const refused = await call();
  expect(refused).toMatchObject({
    status: 429,
    headers: { "x-rate-limit": "3/10m", "x-rate-limit-used": "4", "retry-after": "480" },
    body: { errors: [{ code: 0, message: expect.stringMatching(/rate limit exceeded/i) }] },
  });
  // A fixed window would have restarted by now; of this one only the first call has left.
  fixture.clock.advance(7 * MINUTE + 1);
  expect(await call()).toMatchObject({ status: 429, headers: { "x-rate-limit-used": "4" } });
  fixture.clock.advance(3 * MINUTE);
  expect((await call()).status).toBe(200);
});

test("the calls of all users of the client count together, those of others do not", async () => {
  const { token, clientId, user } = await limited("shared", 4);
  const second = { username: "second of shared", password: "second" };
  const { userId } = await seedAccount(fixture.database.pool, { ...SEED, user: second });
  await putMembership(createDatabase(fixture.database.pool), { userId, clientId, role: "Regular" });
  const login = await logIn(fixture.api, second, { platform_client_id: String(clientId) });
  const again = await logIn(fixture.api, user);
  const tokens = [token, login.body.access_token, again.body.access_token, token];
  const used = [];
  for (const one of tokens) used.push((await get(fixture.api, "/me", [], one)).headers["x-rate-limit-used"]);
  expect(used).toEqual(["1", "2", "3", "4"]);
  expect((await get(fixture.api, "/me", [], login.body.access_token)).status).toBe(429);
  // In the other of its clients the same login has no limit.
  const free = await logIn(fixture.api, second, { platform_client_id: String(fixture.account.clientId) });
  const answer = await get(fixture.api, "/me", [], free.body.access_token);
  expect(answer.status).toBe(200);
  expect(answer.headers["x-rate-limit"]).toBeUndefined();
});

test("answers that are errors carry the headers too, and count", async () => {
  const { token, projectId } = await limited("errors", 100);
  const headers = { authorization: `Bearer ${token}` };
  const json = { ...headers, "content-type": "application/json" };
  const list = `/projects/${projectId}/group/location`;
  const calls = [
    [{ url: "/nowhere", headers }, 404],
    [{ url: "/projects/1", headers }, 404],
    [{ url: "/me?x=1", headers }, 400],
    [{ method: "DELETE", url: "/me", headers }, 404],
    [{ method: "POST", url: list, headers: json, payload: "{" }, 400],
    [{ method: "POST", url: list, headers: json, payload: `"${"x".repeat(300_000)}"` }, 413],
    [{ method: "POST", url: list, headers: { ...headers, "content-type": "text/plain" }, payload: "a" }, 415],
    [{ method: "HEAD", url: "/me", headers }, 200],
  ] as const;
  for (const [n, [request, status]] of calls.entries()) {
    expect(await send(fixture.api, request)).toMatchObject({
      status,
      headers: { "x-rate-limit": "100/10m", "x-rate-limit-used": String(n + 1) },
    });
  }
});

test.each([
  ["the wall's", () => systemClock, () => systemClock],
  // In a demo every process has a clock of its own; they may differ.
  ["clocks that differ", () => createManualClock(T0), () => createManualClock(T0 - 9 * MINUTE)],
] as const)("parallel calls over two servers are never one too many: %s", async (name, first, second) => {
  const LIMIT = 25;
  const { token } = await limited(`parallel ${name}`, LIMIT);
  const servers = [startServer(first()), startServer(second())];
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, n) => get(servers[n % 2]?.api ?? fixture.api, "/me", [], token)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(80 - LIMIT);
  const used = answers.map(({ headers }) => Number(headers["x-rate-limit-used"])).sort((a, b) => a - b);
  expect(used).toEqual(Array.from({ length: 80 }, (_, n) => n + 1));
  for (const server of servers) await server.stop();
});

test("a window that rolls under fire holds no call too many", async () => {
  const LIMIT = 5;
  const { token, clientId } = await limited("under fire", LIMIT, 1);
  const clock = createManualClock(T0);
  const servers = [startServer(clock), startServer(clock)];
  const answered: number[] = [];
  for (let round = 0; round < 12; round++) {
    const at = clock.now();
    const calls = Array.from({ length: 3 }, (_, n) =>
      get(servers[n % 2]?.api ?? fixture.api, "/me", [], token),
    );
    for (const { status } of await Promise.all(calls)) if (status === 200) answered.push(at);
    clock.advance(20_000);
    // Refused calls count: forget them now and then, like a caller that waits.
    if (round % 4 === 3) clock.advance(MINUTE);
  }
  for (const end of answered) {
    const inWindow = answered.filter((at) => at > end - MINUTE && at <= end);
    expect(inWindow.length).toBeLessThanOrEqual(LIMIT);
  }
  expect(answered.length).toBeGreaterThan(LIMIT);
  const { rows } = await fixture.database.pool.query(
    "select count(*)::int as kept from local_api.api_call where client_id = $1",
    [clientId],
  );
  expect(rows[0].kept).toBeLessThan(36);
  for (const server of servers) await server.stop();
});

test("a caller who does not stop is counted to an end, and waits no longer for it", async () => {
  const { token, clientId } = await limited("stubborn", 0);
  const pool = fixture.database.pool;
  await pool.query(
    "insert into local_api.api_call select $1, $2::timestamptz - n * interval '1 second' from generate_series(1, 300) n",
    [clientId, new Date(fixture.clock.now())],
  );
  const answer = await get(fixture.api, "/me", [], token);
  expect(answer).toMatchObject({
    status: 429,
    headers: { "x-rate-limit": "0/10m", "x-rate-limit-used": "100" },
  });
  const { rows } = await pool.query(
    "select count(*)::int as kept, max(called_at) as last from local_api.api_call where client_id = $1",
    [clientId],
  );
  expect(rows).toEqual([{ kept: 100, last: new Date(fixture.clock.now()) }]);
});

test("a clock that was set back by a replay does not shut the client out", async () => {
  const { token } = await limited("replayed", 1);
  const [future, past] = [
    startServer(createManualClock(T0 + 60 * MINUTE)),
    startServer(createManualClock(T0)),
  ];
  expect((await get(future.api, "/me", [], token)).status).toBe(200);
  expect((await get(past.api, "/me", [], token)).status).toBe(200);
  expect((await get(past.api, "/me", [], token)).status).toBe(429);
  await future.stop();
  await past.stop();
});

test.each([
  [{}, undefined],
  [{ "ratelimit.limit": "many" }, undefined],
  [{ "ratelimit.limit": "7" }, "7/10m"],
  [{ "ratelimit.limit": "7", "ratelimit.period": "0" }, "7/10m"],
  [{ "ratelimit.limit": "7", "ratelimit.period": "1" }, "7/1m"],
] as const)("the tags %j mean a limit of %s", async (tags, expected) => {
  const user = { username: JSON.stringify(tags), password: "tags" };
  await seedAccount(fixture.database.pool, { ...SEED, client: { name: user.username, tags }, user });
  const { access_token } = (await logIn(fixture.api, user)).body;
  const answer = await get(fixture.api, "/me", [], access_token);
  expect(answer.headers["x-rate-limit"]).toBe(expected);
});

test("a login has a limit of its own, over all server processes; what it takes too much its client keeps", async () => {
  const { clientId, user, userId } = await limited("of a login", 100);
  await updateUser(createDatabase(fixture.database.pool), userId, {
    ...{ username: user.username, firstName: "", lastName: "", rateLimit: "3/1" },
  });
  const second = { username: "second of a login", password: "second" };
  const other = await seedAccount(fixture.database.pool, { ...SEED, user: second });
  const db = createDatabase(fixture.database.pool);
  await putMembership(db, { userId: other.userId, clientId, role: "Regular" });
  const servers = [startServer(systemClock), startServer(systemClock)];
  try {
    const [one, two] = await Promise.all(servers.map(({ api }) => logIn(api, user)));
    const tokens = [one?.body.access_token, two?.body.access_token];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => get(servers[n % 2]?.api ?? fixture.api, "/me", [], tokens[n % 2])),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers).toMatchObject({
      "x-rate-limit-login": "3/1m",
      "retry-after": expect.any(String),
    });
    expect(refused?.body.errors[0].message).toContain("of 3 calls of this login in 1 minutes");
    const login = await logIn(fixture.api, second, { platform_client_id: String(clientId) });
    const free = await get(servers[0]?.api ?? fixture.api, "/me", [], login.body.access_token);
    expect(free).toMatchObject({ status: 200, headers: { "x-rate-limit-used": "4" } });
    expect(free.headers["x-rate-limit-login"]).toBeUndefined();
  } finally {
    for (const { stop } of servers) await stop();
  }
});
