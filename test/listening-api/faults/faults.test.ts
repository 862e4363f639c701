import { afterAll, afterEach, beforeAll, expect, it, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { createLocalApi, type LocalApi } from "../../../src/listening-api/create-local-api.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import {
  deleteFaults,
  insertFault,
  listFaults,
  type NewFault,
} from "../../../src/listening-api/store/faults.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
/** Another process on the same tables, in test mode. */
let other: LocalApi;
let url: string;
let mentions: string;
let queryId: number;
const db = () => createDatabase(fixture.database.pool);

beforeAll(async () => {
  fixture = await startFixture();
  queryId = fixture.account.queries.get("Alpha") ?? 0;
  const { projectId } = fixture.account;
  mentions = `/projects/${projectId}/data/mentions?queryId=${queryId}&startDate=2026-03-01&endDate=2026-03-05&orderBy=added&orderDirection=asc&pageSize=4`;
  const versions = Array.from({ length: 10 }, (_, n) =>
    mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0 - (60 - n) * MINUTE }),
  );
  await insertMentions(db(), versions);
  const { clock } = fixture;
  const log = { info() {}, warn() {}, error() {} };
  const pool = fixture.database.pool;
  other = createLocalApi({ pool, clock, log, signingSecret: "for tests", testMode: true });
  url = await other.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await other.close();
  await fixture.stop();
});
afterEach(async () => {
  await deleteFaults(db());
});

function set(fault: Partial<NewFault> & Pick<NewFault, "kind">) {
  return insertFault(db(), { path: null, probability: 1, amount: null, remaining: 1, ...fault });
}

interface Page {
  readonly results: readonly { readonly resourceId: string }[];
  readonly resultsTotal: number;
  readonly nextCursor?: string;
}

async function call(path = mentions, fault?: string, token = fixture.token): Promise<Response> {
  const asked = fault === undefined ? {} : { "x-earshot-fault": fault };
  return fetch(url + path, { headers: { authorization: `bearer ${token}`, ...asked } });
}

async function page(cursor?: string, fault?: string): Promise<Page> {
  const path = cursor === undefined ? mentions : `${mentions}&cursor=${encodeURIComponent(cursor)}`;
  const answer = await call(path, fault);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Page;
}

const ids = ({ results }: Page) => results.map((mention) => Number.parseInt(mention.resourceId, 16));

test.each([
  ["429", 429, /rate limit exceeded/, { "x-rate-limit": null, "retry-after": null }],
  ["429=7s", 429, /rate limit exceeded/, { "retry-after": "7" }],
  ["500", 500, /"error":"internal_error"/, {}],
  ["502", 502, /<h1>502 Bad Gateway/, { "content-type": "text/html" }],
  ["503", 503, /^$/, {}],
  ["token-revoked", 401, /Invalid access token/, {}],
  ["nonsense", 400, /there is no fault \\"nonsense/, {}],
  ["trunctated", 400, /perhaps truncated/, {}],
  ["slow=soon", 400, /a duration such as 2s/, {}],
] as const)("the header %s is answered with %i", async (fault, status, body, headers) => {
  const login = await fetch(
    `${url}/oauth/token?username=ann@acme.example&grant_type=api-password&client_id=earshot-api-client`,
    { method: "POST", body: new URLSearchParams({ password: "correct horse" }) },
  );
  const { access_token: token } = (await login.json()) as { access_token: string };
  const answer = await call(mentions, fault, token);
  expect(answer.status).toBe(status);
  expect(await answer.text()).toMatch(body);
  for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value);
});

test("a 429 states the client's own limit, and no other", async () => {
  const { pool } = fixture.database;
  const tags = { "ratelimit.limit": "7", "ratelimit.period": "3" };
  await pool.query("update local_api.client set tags = $1", [tags]);
  try {
    const answer = await call(mentions, "429");
    expect(answer.headers.get("x-rate-limit")).toBe("7/3m");
    expect(answer.headers.get("x-rate-limit-used")).toBe("8");
    expect(await answer.text()).toContain("8 of 7 calls in 3 minutes");
  } finally {
    await pool.query("update local_api.client set tags = '{}'");
  }
});

test("without test mode the header means nothing", async () => {
  const answer = await fixture.api.app.inject({
    method: "GET",
    url: mentions,
    headers: { authorization: `bearer ${fixture.token}`, "x-earshot-fault": "500" },
  });
  expect(answer.statusCode).toBe(200);
});

test("a connection breaks without an answer, or in the middle of one", async () => {
  await expect(call(mentions, "dropped")).rejects.toThrow();
  const answer = await call(mentions, "hang-up");
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test("a truncated body is half of the text, whole as far as HTTP knows", async () => {
  const whole = await (await call()).text();
  const half = await (await call(mentions, "truncated")).text();
  expect(whole.startsWith(half)).toBe(true);
  expect(half.length).toBe(whole.length >> 1);
});

test("a slow answer is late", async () => {
  const startedAt = performance.now();
  expect((await call(mentions, "slow=120ms")).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(110);
});

it("happens as often as was asked, only where the path fits, in all processes together", async () => {
  await set({ kind: "500", path: "/data/mentions?*pageSize=4", remaining: 3 });
  expect((await call("/me")).status).toBe(200);
  const parameters = new URL(url + mentions).searchParams;
  const path = new URL(url + mentions).pathname;
  const statuses = await Promise.all([
    call(),
    fixture.get(path, [...parameters]),
    call(),
    fixture.get(path, [...parameters]),
    call(),
  ]);
  expect(statuses.map(({ status }) => status).sort()).toEqual([200, 200, 500, 500, 500]);
  expect(await listFaults(db())).toMatchObject([{ kind: "500", remaining: 0, applied: 3 }]);
});

test("a probability of none never happens, and a fault without a count goes on until it is cleared", async () => {
  await set({ kind: "500", probability: 0, remaining: null });
  expect((await call()).status).toBe(200);
  const { id } = await set({ kind: "503", remaining: null });
  for (let n = 0; n < 3; n++) expect((await call()).status).toBe(503);
  expect(await deleteFaults(db(), [id])).toBe(1);
  expect((await call()).status).toBe(200);
});

test("a refused cursor is a fault of calls with a cursor only", async () => {
  await set({ kind: "cursor-refused" });
  const first = await page();
  const refused = await call(`${mentions}&cursor=${encodeURIComponent(first.nextCursor ?? "")}`);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toEqual({
    errors: [{ code: 0, message: expect.stringMatching(/^cursor: /) }],
  });
  expect(ids(await page(first.nextCursor))).toEqual([4, 5, 6, 7]);
});

test("the last page has no next cursor, and only the last", async () => {
  await set({ kind: "cursor-ends", remaining: null });
  const pages = [await page()];
  for (let last = pages[0]; last?.nextCursor !== undefined; last = pages.at(-1))
    pages.push(await page(last.nextCursor));
  expect(pages.flatMap(ids)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(pages).toHaveLength(3);
});

test("rows stand on two pages, and none is left out", async () => {
  const pages = [await page(undefined, "duplicates")];
  for (let last = pages[0]; last !== undefined && last.results.length === 4; last = pages.at(-1))
    pages.push(await page(last.nextCursor, "duplicates"));
  expect(pages.map(ids)).toEqual([
    [0, 1, 2, 3],
    [2, 3, 4, 5],
    [4, 5, 6, 7],
    [6, 7, 8, 9],
    [8, 9],
  ]);
});

test("an empty page keeps the place, and a wrong total is wrong", async () => {
  const first = await page(undefined, "wrong-total=3");
  expect(first.resultsTotal).toBe(13);
  const empty = await page(first.nextCursor, "empty-page");
  expect(empty).toMatchObject({ results: [], resultsTotal: 10 });
  expect(ids(await page(empty.nextCursor))).toEqual([4, 5, 6, 7]);
});

test("late mentions appear one by one, out of order, and all of them in the end", async () => {
  await set({ kind: "late", amount: 60 * MINUTE, probability: 1, remaining: null });
  const seen: number[] = [];
  for (let at = T0 - 60 * MINUTE; at <= T0 + 10 * MINUTE; at += MINUTE) {
    fixture.clock.set(at);
    const answer = await call(mentions.replace("pageSize=4", "pageSize=20"));
    const now = (await answer.json()) as Page;
    expect(now.resultsTotal).toBe(now.results.length);
    seen.push(...ids(now).filter((id) => !seen.includes(id)));
  }
  fixture.clock.set(T0);
  expect(seen.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(seen).not.toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
