import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import { SourceError } from "../../../src/monitor/source/source-error.ts";
import {
  bytes,
  dropped,
  hangUpAfter,
  html,
  json,
  type Reply,
  type ReplyOptions,
  silent,
} from "../../fakes/listening-api.ts";
import { runs } from "../../runs.ts";
import { CALLS, createList } from "./calls.ts";
import { failure, PASSWORD, useFakeApi } from "./connect.ts";

const { api, connect } = useFakeApi();
const NAMES = Object.keys(CALLS);

// Charsets and content types

const BRAND = '{"results":[{"id":1,"name":"Brände 東京"}]}';
const LATIN = '{"results":[{"id":1,"name":"Brände"}]}';
const utf16be = Buffer.from(BRAND, "utf16le").swap16();

test.each<[string, Buffer, string, string]>([
  ["UTF-8 with a mark", Buffer.from(`\ufeff${BRAND}`), "application/json", "Brände 東京"],
  ["UTF-8 that says it is Latin-1", Buffer.from(BRAND), "application/json;charset=ISO-8859-1", "Brände 東京"],
  ["Latin-1", Buffer.from(LATIN, "latin1"), 'text/json; charset="iso-8859-1"', "Brände"],
  ["Latin-1 that says nothing", Buffer.from(LATIN, "latin1"), "application/json", "Br\ufffdnde"],
  ["Latin-1 of a charset nobody knows", Buffer.from(LATIN, "latin1"), "a/b; charset=klingon", "Br\ufffdnde"],
  ["UTF-16", Buffer.from(BRAND, "utf16le"), "application/json; charset=utf-8", "Brände 東京"],
  ["UTF-16 with a mark", Buffer.from(`\ufeff${BRAND}`, "utf16le"), "application/json", "Brände 東京"],
  ["big-endian UTF-16", utf16be, "application/json; charset=utf-16", "Brände 東京"],
  ["JSON that says it is HTML", Buffer.from(BRAND), "text/html", "Brände 東京"],
  ["JSON that does not say what it is", Buffer.from(BRAND), "", "Brände 東京"],
])("%s is read", async (_, body, type, name) => {
  api().reply(bytes(body, { headers: { "content-type": type } }));
  expect(await connect().extensions.queryGroups("19")).toEqual([{ queryGroupId: "1", name, queryIds: [] }]);
});

// One typed error, whatever comes

test.each<[string, Reply, Partial<SourceError>]>([
  [
    "several validation errors",
    json({ errors: [{ code: 4, message: "a" }, { message: "b" }, "c"] }, { status: 400 }),
    { kind: "rejected", code: "4", message: "query-groups: 400 a; b; c" },
  ],
  [
    "errors that are texts",
    json({ errors: ["a", "b"] }, { status: 400 }),
    { message: "query-groups: 400 a; b" },
  ],
  [
    "errors of all kinds beside each other",
    json({ errors: ["a", { toString: {} }, null, { message: 7 }] }, { status: 400 }),
    { message: "query-groups: 400 a; 7" },
  ],
  [
    "an error that is an object",
    json({ error: { code: "X1", message: "no" } }, { status: 422 }),
    { kind: "rejected", code: "X1", message: "query-groups: 422 no" },
  ],
  [
    "a message alone",
    json({ message: "no", code: 7 }, { status: 406 }),
    { code: "7", message: "query-groups: 406 no" },
  ],
  [
    "an empty list of errors",
    json({ errors: [] }, { status: 500 }),
    { kind: "unavailable", retryable: true },
  ],
  ["an error that says null", json({ error: null }, { status: 500 }), { code: null }],
  ["a body that is a number", json(7, { status: 503 }), { kind: "unavailable", code: null }],
  [
    "an error inside a 200",
    json({ errors: [{ code: 1, message: "search failed" }] }),
    { kind: "malformed", status: 200, message: "query-groups: 200 with an error inside: search failed" },
  ],
  [
    "a redirect to elsewhere",
    html(301),
    { kind: "malformed", status: 301, retryable: false, retryAfterMs: null },
  ],
  ["a permanent redirect", bytes("", { status: 308, headers: { location: "/" } }), { kind: "malformed" }],
  [
    "a 204",
    bytes("", { status: 204 }),
    { kind: "malformed", message: "query-groups: 204 with an empty body" },
  ],
  ["a 410", bytes("", { status: 410 }), { kind: "not-found", retryable: false }],
  ["a 408", bytes("", { status: 408 }), { kind: "unavailable", retryable: true }],
  ["a 504 of HTML", html(504), { kind: "unavailable", retryable: true, status: 504 }],
  ["JSON nested without end", bytes("[".repeat(200_000)), { kind: "malformed" }],
  [
    "JSON nested too deeply to be read",
    bytes(`{"results":[${"[".repeat(60_000)}${"]".repeat(60_000)}]}`),
    { kind: "malformed" },
  ],
  ["a list where a record should be", json({ results: { id: 1 } }), { kind: "malformed" }],
  ["null", json(null), { kind: "malformed" }],
])("%s is reported as what it is", async (_, reply, expected) => {
  api().reply(reply);
  expect(await failure(connect().extensions.queryGroups("19"))).toMatchObject({
    call: "query-groups",
    ...expected,
  });
});

test.each(NAMES)("%s fails with the one typed error", async (name) => {
  const client = connect();
  await client.token();
  for (const reply of [html(502), bytes("{"), json("text"), json([7, { id: {} }])]) {
    api().reply(reply);
    const outcome = await CALLS[name]?.(client).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(SourceError);
  }
});

/** Anything a server could put into JSON, mostly in the shapes that are looked for. */
const anyJson = fc.letrec((tie) => {
  const names = ["id", "name", "results", "values", "data", "tags", "client", "children", "mentionsCount"];
  const key = fc.oneof(
    fc.constantFrom(...names, "locations", "domains", "resourceId", "queryId", "added", "date"),
    fc.constantFrom("__proto__", "constructor", "toString", "nextCursor", "error", "errors", "message"),
    fc.string({ maxLength: 6, unit: "binary" }),
  );
  return {
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom("2026-02-17T07:36:05.000+0000", 2 ** 53, -1, "", "\0", "\ud800"),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    ),
  };
}).value;

test("any JSON at all is read or refused, by every call, and never breaks one", async () => {
  const ends = new Set<boolean>();
  const client = connect();
  await client.token();
  const envelope = fc.oneof(
    anyJson,
    fc.array(anyJson, { maxLength: 4 }).map((results) => ({ results })),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), envelope, async (name, answer) => {
      api().reply(json(answer));
      const outcome = await CALLS[name]?.(client).catch((error: unknown) => error);
      ends.add(outcome instanceof Error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(SourceError);
        expect(outcome).toMatchObject({ kind: "malformed", status: 200 });
      }
    }),
    { numRuns: runs(400) },
  );
  expect([...ends].sort()).toEqual([false, true]);
});

test("any bytes with any headers and any status end in a result or the typed error", async () => {
  const client = connect();
  await client.token();
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
    fc.string({ maxLength: 60 }).map((text) => Buffer.from(text)),
    fc.nat({ max: BRAND.length }).map((length) => Buffer.from(BRAND).subarray(0, length)),
  );
  const type = fc.constantFrom("application/json", "text/html", "x; charset=utf-16", "a/b;charset=", "☃");
  const options = fc.record<ReplyOptions>({
    status: fc.constantFrom(200, 201, 301, 304, 400, 402, 404, 418, 429, 500, 503, 599),
    headers: fc.record({
      "content-type": type.map((text) => text.replace("☃", "snow")),
      "content-encoding": fc.constantFrom("identity", "gzip", "br", "deflate", "klingon", ""),
      "retry-after": fc.constantFrom("", "5", "-1", "Wed", "9".repeat(400)),
      "x-rate-limit": fc.constantFrom("", "30/10m", "0/0", "999999999999/9"),
      "x-rate-limit-used": fc.constantFrom("", "3", "NaN"),
    }),
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), body, options, async (name, sent, how) => {
      api().reply(bytes(sent, how));
      const outcome = await CALLS[name]?.(client).catch((error: unknown) => error);
      fc.pre(outcome instanceof Error);
      expect(outcome).toBeInstanceOf(SourceError);
      const { retryAfterMs, status } = outcome as SourceError;
      expect(status === null || status === how.status).toBe(true);
      expect(retryAfterMs === null || (retryAfterMs >= 0 && retryAfterMs <= 86_400_000)).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});

// Secrets

test("neither token nor password is in any error, wherever a server repeats them", async () => {
  const token = "token-1-secret";
  const forms = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    encodeURI(secret),
    new URLSearchParams({ a: secret }).toString().slice(2),
    secret
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64"),
    secret.replaceAll(" ", " \r\n\t "),
  ];
  const planted = [...forms(PASSWORD), ...forms(token)];
  const replies = planted.flatMap((secret): Reply[] => [
    json({ errors: [{ code: secret, message: `no ${secret}!` }] }, { status: 400 }),
    json({ error: secret, error_description: `x${secret}x` }, { status: 403 }),
    json({ error: { code: secret, message: `${"y".repeat(190)}${secret}` } }, { status: 500 }),
    json({ message: secret }, { status: 429, headers: { "retry-after": "1" } }),
    json({ errors: [{ message: secret }] }),
    bytes(`<html>${secret}`, { status: 502, headers: { "x-echo": encodeURIComponent(secret) } }),
    bytes(`{"results":[${secret}`),
    bytes("", { status: 302, headers: { location: `/?access_token=${encodeURIComponent(secret)}` } }),
    hangUpAfter(`{"results":"${encodeURIComponent(secret)}"}`.padEnd(200), 60),
  ]);
  for (const tokenIn of ["header", "parameter"] as const) {
    const client = connect({ spelling: { tokenIn }, connections: 1 });
    await client.token();
    expect(api().token()).toBe(tokenIn === "header" ? token : "token-2-secret");
    for (const reply of tokenIn === "header" ? replies : replies.slice(0, 9)) {
      api().reply(reply);
      const error = await failure(client.projects());
      const said = everything(error);
      const found = planted.filter((secret) => said.toLowerCase().includes(secret.toLowerCase()));
      expect(found, said).toEqual([]);
      expect(said).not.toContain("token-2-secret");
    }
  }
});

test("a secret at the edge where a message is cut leaves no part of itself", async () => {
  for (let before = 170; before <= 205; before += 5) {
    api().reply(json({ message: `${"y".repeat(before)} token-1-secret` }, { status: 400 }));
  }
  const client = connect();
  await client.token();
  for (let before = 170; before <= 205; before += 5) {
    expect((await failure(client.projects())).message).not.toContain("token");
  }
});

function everything(error: SourceError): string {
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [error.stack, JSON.stringify(error), String(error.cause), ...own].join("\n");
}

// The call that writes

test.each<[string, Reply, boolean]>([
  ["a dropped connection", dropped, false],
  ["a gateway's 502", html(502), false],
  ["a 500", json({ error: "x" }, { status: 500 }), false],
  ["an answer that is cut off", bytes('{"id":'), false],
  ["a 429", json({}, { status: 429 }), true],
  ["a 400", json({ errors: [{ message: "no" }] }, { status: 400 }), false],
])(
  "creating a list is not tried again after %s unless it surely was not done",
  async (_, reply, retryable) => {
    api().reply(reply);
    const error = await failure(createList(connect()));
    expect(error.retryable).toBe(retryable);
    expect(api().calls).toHaveLength(1);
  },
);

test("creating a list without an answer may have succeeded; without a connection it has not", async () => {
  api().reply(silent);
  const slow = connect({ timeoutMs: 100 });
  await slow.token().catch(() => slow.token());
  const late = await failure(createList(slow));
  expect(late).toMatchObject({ kind: "timeout", retryable: false });
  expect(late.message).toContain("may have been done all the same");
  const tokens = createMemoryTokenStore({ token: "t", expiresAt: Number.MAX_SAFE_INTEGER });
  const nobody = connect({ baseUrl: "http://127.0.0.1:1", tokens });
  expect(await failure(createList(nobody))).toMatchObject({
    kind: "network",
    code: "ECONNREFUSED",
    retryable: true,
  });
});

test("a token that is refused is renewed once for a call that writes, because nothing was done", async () => {
  const client = connect();
  await client.token();
  api().expireToken();
  api().reply(json({ id: 1, name: "Cities" }));
  await createList(client);
  expect(api().calls).toHaveLength(1);
  expect(api().refused).toHaveLength(1);
});
