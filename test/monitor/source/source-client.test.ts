import { expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { createLog } from "../../../src/lib/log.ts";
import type { Budget } from "../../../src/monitor/source/budget.ts";
import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import type { SourceError } from "../../../src/monitor/source/source-error.ts";
import { wireMention } from "../../bench/wire-mention.ts";
import { bytes, chunked, html, json, type Reply, silent, stalled } from "../../fakes/listening-api.ts";
import { CREDENTIALS, failure, PASSWORD, useFakeApi } from "./connect.ts";

const PARAMS = {
  projectId: "19",
  queryIds: ["7"],
  startDate: Date.UTC(2026, 0, 1),
  endDate: Date.UTC(2026, 1, 1),
  pageSize: 2,
};
const EMPTY_LIST = { resultsTotal: -1, resultsPage: -1, resultsPageSize: -1, results: [] };

const { api: fake, connect } = useFakeApi();

function wirePage(ids: readonly number[], nextCursor: string | null) {
  return {
    results: ids.map((id) => wireMention(id, { queryId: 7, startAt: Date.UTC(2026, 0, 1) })),
    resultsTotal: 9,
    resultsPage: 0,
    resultsPageSize: 2,
    nextCursor,
  };
}

// Logging in

test("a login sends the password in the form-encoded body and the other parameters in the query", async () => {
  fake().reply(json(EMPTY_LIST));
  await connect({ credentials: { ...CREDENTIALS, platformClientId: "44" } }).projects();
  const [login] = fake().logins;
  expect(login?.method).toBe("POST");
  expect(Object.fromEntries(login?.query ?? [])).toEqual({
    username: "ada@example.com",
    grant_type: "api-password",
    client_id: "listening-api-client",
    platform_client_id: "44",
  });
  expect(login?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(new URLSearchParams(login?.body).get("password")).toBe(PASSWORD);
});

test("many calls that find no token share one login, and the token travels in the header only", async () => {
  fake().reply(...Array.from({ length: 20 }, () => json(EMPTY_LIST)));
  const tokens = createMemoryTokenStore();
  const clients = [connect({ tokens }), connect({ tokens })];
  await Promise.all(Array.from({ length: 20 }, (_, at) => clients[at % 2]?.projects()));
  expect(fake().logins).toHaveLength(1);
  expect(fake().calls.map((call) => call.headers.authorization)).toEqual(
    Array(20).fill(`bearer ${fake().token()}`),
  );
  expect(fake().calls.every((call) => call.rawQuery === "")).toBe(true);
});

test("a token is renewed once when it has expired", async () => {
  const clock = createManualClock(0);
  fake().setTokenLifetime(100);
  fake().reply(...Array.from({ length: 4 }, () => json(EMPTY_LIST)));
  const client = connect({ clock });
  await client.projects();
  clock.set(80_000);
  await client.projects();
  expect(fake().logins).toHaveLength(1);
  clock.set(95_000);
  await Promise.all([client.projects(), client.projects()]);
  expect(fake().logins).toHaveLength(2);
});

test("a refused token is renewed once for all calls that used it", async () => {
  fake().reply(...Array.from({ length: 9 }, () => json(EMPTY_LIST)));
  const client = connect({ connections: 8 });
  await client.projects();
  fake().expireToken();
  await Promise.all(Array.from({ length: 8 }, () => client.projects()));
  expect(fake().logins).toHaveLength(2);
});

test("a worker whose token was renewed by another one uses the new one without a login", async () => {
  fake().reply(json(EMPTY_LIST), json(EMPTY_LIST));
  const tokens = createMemoryTokenStore();
  await connect({ tokens }).projects();
  const fresh = await tokens.get();
  let first = true;
  // This worker read the store just before the other one put the new token.
  const late = {
    ...tokens,
    get: async () => {
      const stale = first ? { token: "older", expiresAt: Number.MAX_SAFE_INTEGER } : await tokens.get();
      first = false;
      return stale;
    },
  };
  await connect({ tokens: late }).projects();
  expect(fake().logins).toHaveLength(1);
  expect(await tokens.get()).toEqual(fresh);
});

test("a fresh token that is refused as well ends with an error that no retry helps", async () => {
  fake().refuseTokens();
  const error = await failure(connect().projects());
  expect(error).toMatchObject({ kind: "unauthorized", status: 401, retryable: false, call: "projects" });
  expect(fake().refused).toHaveLength(2);
  expect(fake().logins).toHaveLength(2);
});

test("a source that gives the refused token again is asked no more than once for all", async () => {
  const same = json({ access_token: "the-same", token_type: "bearer", expires_in: 3_600 });
  fake().replyToLogin(...Array.from({ length: 9 }, () => same));
  const client = connect({ connections: 6 });
  const errors = await Promise.all(Array.from({ length: 6 }, () => failure(client.projects())));
  expect(errors.map(({ kind }) => kind)).toEqual(Array(6).fill("unauthorized"));
  expect(fake().logins.length).toBeLessThanOrEqual(4);
});

test.each([400, 401, 403])("credentials refused with %i are reported as such", async (status) => {
  fake().replyToLogin(json({ error: "invalid_grant", error_description: "Bad credentials" }, { status }));
  expect(await failure(connect().client())).toMatchObject({
    kind: "login",
    status,
    code: "invalid_grant",
    retryable: false,
  });
});

test("a login may fail like any call, and the next call tries again", async () => {
  fake().replyToLogin(html(502), json({ access_token: 7 }));
  fake().reply(json(EMPTY_LIST));
  const client = connect();
  expect(await failure(client.projects())).toMatchObject({
    kind: "unavailable",
    call: "login",
    retryable: true,
  });
  expect(await failure(client.projects())).toMatchObject({
    kind: "malformed",
    call: "login",
    retryable: true,
  });
  await expect(client.projects()).resolves.toEqual([]);
});

test("no secret is in an error or a log line", async () => {
  const lines: string[] = [];
  const destination = Object.assign(new (await import("node:stream")).PassThrough());
  destination.on("data", (line: Buffer) => lines.push(line.toString()));
  const log = createLog({ level: "trace", destination });
  fake().replyToLogin(
    json({ errors: [{ code: 3, message: `no user with password ${PASSWORD}` }] }, { status: 500 }),
  );
  const client = connect({ log });
  const errors = [await failure(client.projects())];
  fake().refuseTokens();
  errors.push(await failure(client.projects()));
  for (const error of errors) log.error({ err: error }, "a call failed");
  const said = lines.join("") + errors.map((error) => `${error.stack}${JSON.stringify(error)}`).join("");
  expect(said).toContain("logged in");
  expect(said).toContain("[secret]");
  for (const secret of [PASSWORD, "token-1-secret", "token-2-secret"]) expect(said).not.toContain(secret);
});

// Faults

const BODY = JSON.stringify(wirePage([1, 2], null));

test.each<[string, Reply, Partial<SourceError>]>([
  [
    "429 with Retry-After",
    json({}, { status: 429, headers: { "retry-after": "7" } }),
    { kind: "rate-limited", retryable: true, retryAfterMs: 7_000 },
  ],
  [
    "429 with budget headers only",
    bytes("rate limit exceeded", {
      status: 429,
      headers: { "x-rate-limit": "30/10m", "x-rate-limit-used": "35" },
    }),
    { kind: "rate-limited", retryAfterMs: 120_000 },
  ],
  ["429 without a word", bytes("", { status: 429 }), { kind: "rate-limited", retryAfterMs: 60_000 }],
  [
    "500 in the auth envelope",
    json({ error: "server_error", error_description: "it broke" }, { status: 500 }),
    { kind: "unavailable", retryable: true, code: "server_error", message: "mentions: 500 it broke" },
  ],
  [
    "400 in the validation envelope",
    json({ errors: [{ code: 0, message: "startDate\r\nis required" }] }, { status: 400 }),
    { kind: "rejected", retryable: false, code: "0", message: "mentions: 400 startDate is required" },
  ],
  ["403 with an empty body", bytes("", { status: 403 }), { kind: "forbidden", retryable: false }],
  [
    "404 with text",
    bytes("no", { status: 404, headers: { "content-type": "text/plain" } }),
    { kind: "not-found" },
  ],
  [
    "503 with Retry-After",
    json({}, { status: 503, headers: { "retry-after": "3" } }),
    { kind: "unavailable", retryAfterMs: 3_000 },
  ],
  [
    "a redirect",
    bytes("", { status: 302, headers: { location: "http://elsewhere.example" } }),
    { kind: "malformed" },
  ],
  [
    "200 of HTML",
    html(200),
    { kind: "malformed", retryable: true, message: "mentions: 200 with a page of HTML instead of JSON" },
  ],
  ["200 with an empty body", bytes(""), { kind: "malformed", message: "mentions: 200 with an empty body" }],
  ["200 of plain text", bytes("ok", { headers: { "content-type": "text/plain" } }), { kind: "malformed" }],
  ["JSON of another shape", json({ results: "none" }), { kind: "malformed" }],
  ["gzip that is none", bytes(BODY, { headers: { "content-encoding": "gzip" } }), { kind: "malformed" }],
  ["an unknown coding", bytes(BODY, { headers: { "content-encoding": "zstd" } }), { kind: "malformed" }],
])("%s is reported as what it is", async (_, reply, expected) => {
  fake().reply(reply);
  expect(await failure(connect().mentionsPage(PARAMS))).toMatchObject(expected);
  expect(fake().calls).toHaveLength(1);
});

test.each([
  ["silence", silent],
  ["a stalled body", stalled],
])("%s ends with the timeout", async (_, reply) => {
  fake().reply(reply);
  const client = connect({ timeoutMs: 150 });
  expect(await failure(client.mentionsPage(PARAMS))).toMatchObject({ kind: "timeout", retryable: true });
});

test("no server at the address is a network error that names its code", async () => {
  const client = connect({ baseUrl: "http://127.0.0.1:1" });
  expect(await failure(client.projects())).toMatchObject({ kind: "network", code: "ECONNREFUSED" });
});

test("a call ends when its signal or the client's does", async () => {
  fake().reply(json(EMPTY_LIST), silent, silent);
  const program = new AbortController();
  const client = connect({ signal: program.signal });
  await client.projects();
  const own = new AbortController();
  const first = failure(client.mentionsPage(PARAMS, { signal: own.signal }));
  own.abort(new Error("a reason with words"));
  expect(await first).toMatchObject({ kind: "aborted", retryable: true });
  const second = failure(client.mentionsPage(PARAMS));
  program.abort();
  expect(await second).toMatchObject({ kind: "aborted" });
  expect(await failure(client.projects())).toMatchObject({ kind: "aborted" });
});

test.each<[string, Reply]>([
  ["announced", json(wirePage([1, 2], null))],
  ["chunked", chunked(BODY)],
  ["compressed", json(wirePage([1, 2], null), { encoding: "gzip" })],
])("a body that is too large is refused when it is %s", async (_, reply) => {
  fake().reply(reply);
  const error = await failure(connect({ maxBodyBytes: 3_000 }).mentionsPage(PARAMS));
  expect(error).toMatchObject({ kind: "too-large", retryable: false });
});

// Reading

test.each(["gzip", "deflate", "raw deflate", "br"] as const)("a page in %s is read", async (encoding) => {
  fake().reply(json(wirePage([1, 2], null), { encoding }));
  expect((await connect().mentionsPage(PARAMS)).mentions).toHaveLength(2);
});

test("a page has mentions, rejections and the total, and reports the budget", async () => {
  const page = wirePage([1, 2], "next");
  const budgets: Budget[] = [];
  fake().reply(
    json(
      { ...page, results: [page.results[0], { resourceId: "x" }, page.results[1]] },
      {
        headers: { "x-rate-limit": "30/10m", "x-rate-limit-used": "4" },
      },
    ),
    bytes("", { status: 500, headers: { "x-rate-limit": "30/10m", "x-rate-limit-used": "5" } }),
  );
  const client = connect({ onBudget: (budget) => budgets.push(budget) });
  const read = await client.mentionsPage(PARAMS);
  expect(read.mentions).toHaveLength(2);
  expect(read).toMatchObject({
    rejected: [{ index: 1, resourceId: "x", reason: "queryId is missing or unusable" }],
    nextCursor: "next",
    total: 9,
    budget: { limit: 30, periodMs: 600_000, used: 4 },
  });
  await failure(client.mentionsPage(PARAMS));
  expect(budgets.map(({ used }) => used)).toEqual([4, 5]);
});

test("integers beyond 53 bits stay two identities", async () => {
  const added = '"added":"2026-01-01T00:00:00.000+0000"';
  fake().reply(
    bytes(
      `{"results":[{"resourceId":9007199254740993,"queryId":7,${added}},{"resourceId":9007199254740992,"queryId":7,${added}}]}`,
    ),
  );
  const { mentions } = await connect().mentionsPage(PARAMS);
  expect(mentions.map(({ resourceId }) => resourceId)).toEqual(["9007199254740993", "9007199254740992"]);
});

test("paging sends each cursor unchanged and ends where the source does", async () => {
  fake().reply(json(wirePage([1, 2], "a+b/=é")), json(wirePage([3, 4], "z")), json(wirePage([], "z")));
  const ids: string[] = [];
  for await (const page of connect().mentions(PARAMS)) {
    ids.push(...page.mentions.map(({ resourceId }) => resourceId));
  }
  expect(new Set(ids).size).toBe(4);
  expect(fake().calls.map((call) => call.query.get("cursor"))).toEqual([null, "a+b/=é", "z"]);
  expect(fake().calls[0]?.rawQuery).toContain("startDate=2026-01-01T00%3A00%3A00.000%2B0000");
});

test("a cursor that is a number is sent back as one", async () => {
  fake().reply(json({ ...wirePage([1, 2], null), nextCursor: 17 }), json(wirePage([3], null)));
  for await (const _page of connect().mentions(PARAMS)) {
    // The calls are of interest.
  }
  expect(fake().calls.map((call) => call.query.get("cursor"))).toEqual([null, "17"]);
});

test("a base address may have a path", async () => {
  const client = connect({ baseUrl: `${fake().baseUrl}/listening/` });
  // The fake knows no login there, so the call is refused; what counts is where it went.
  await failure(client.projects());
  expect(fake().refused[0]?.path).toBe("/listening/oauth/token");
});
