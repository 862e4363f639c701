import { expect, test } from "vitest";
import { exchangeEnd } from "../../../src/monitor/source/budget.ts";
import { readErrorBody, redact, toRefusal } from "../../../src/monitor/source/refusal.ts";

const refusal = (status: number, body: unknown = "", headers: Record<string, string> = {}) =>
  toRefusal(
    "mentions",
    {
      status,
      body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
      header: (name: string) => headers[name] ?? null,
    } as never,
    { now: 0, secrets: [] },
  );

test.each([
  [401, "unauthorized", false, "401 the token was refused"],
  [403, "forbidden", false, "403 this user may not see that"],
  [404, "not-found", false, "404 there is nothing at that address"],
  [410, "not-found", false, "410 there is nothing at that address"],
  [429, "rate-limited", true, "429 the rate limit of the client is exceeded"],
  [408, "unavailable", true, "408 the source cannot answer now"],
  [425, "unavailable", true, "425 the source cannot answer now"],
  [500, "unavailable", true, "500 the source cannot answer now"],
  [599, "unavailable", true, "599 the source cannot answer now"],
  [300, "malformed", false, "300 a redirect, which is not followed; the base address may be wrong"],
  [399, "malformed", false, "399 a redirect, which is not followed; the base address may be wrong"],
  [400, "rejected", false, "400 the request was rejected"],
  [499, "rejected", false, "499 the request was rejected"],
  [199, "rejected", false, "199 the request was rejected"],
])("the status %i is %s", (status, kind, retryable, message) => {
  expect(refusal(status)).toMatchObject({ kind, retryable, status, call: "mentions" });
  expect(refusal(status).message).toContain(message);
});

test("how long to wait: as the answer says, after a 429 as the budget says, else at once", () => {
  expect(refusal(503, "", { "retry-after": "7" }).retryAfterMs).toBe(7_000);
  expect(refusal(503).retryAfterMs).toBeNull();
  expect(refusal(429, "", { "retry-after": "7", "x-rate-limit": "30/10m" }).retryAfterMs).toBe(7_000);
  expect(refusal(429, "", { "x-rate-limit": "30/10m", "x-rate-limit-used": "35" }).retryAfterMs).toBe(
    120_000,
  );
  expect(refusal(429).retryAfterMs).toBe(60_000);
});

test("a time to come again that is over already is none: calls would be made, and refused, without end", () => {
  const past = "Thu, 01 Jan 1970 00:00:00 GMT";
  for (const named of ["0", "0.0", past]) {
    expect(refusal(429, "", { "retry-after": named }).retryAfterMs).toBe(60_000);
    expect(refusal(503, "", { "retry-after": named }).retryAfterMs).toBeNull();
    const header = (name: string) => (name === "retry-after" ? named : null);
    expect(exchangeEnd({ status: 429, header }, 5_000).retryAfterMs).toBeNull();
  }
});

test("a date to come again is held against the server's own clock", () => {
  const headers = {
    date: "Thu, 01 Jan 1970 05:00:00 GMT",
    "retry-after": "Thu, 01 Jan 1970 05:00:30 GMT",
  };
  const header = (name: string) => (headers as Record<string, string>)[name] ?? null;
  expect(refusal(503, "", headers).retryAfterMs).toBe(30_000);
  expect(exchangeEnd({ status: 429, header }, 9e8).retryAfterMs).toBe(30_000);
});

test.each([
  [{ errors: [{ code: 7, message: "bad query" }, "and more"] }, "bad query; and more", "7"],
  [{ errors: [{ code: "E1" }] }, null, "E1"],
  [{ errors: [{ message: "" }] }, null, null],
  [{ errors: [], message: "no list" }, "no list", null],
  [{ errors: "none", message: "a text" }, "a text", null],
  [{ error: "invalid_grant", error_description: "wrong password" }, "wrong password", "invalid_grant"],
  [{ error: "invalid_grant" }, "invalid_grant", "invalid_grant"],
  [{ error: { code: 9, message: "inner" } }, "inner", "9"],
  [{ code: 404, message: "not here" }, "not here", "404"],
  [{ message: { deep: 1 } }, null, null],
  [["a", "list"], null, null],
  ['\ufeff{"message": "with a mark"}', "with a mark", null],
  ["<html>502</html>", null, null],
  ["null", null, null],
  ["", null, null],
])("what the body %j says", (body, message, code) => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  expect(readErrorBody(bytes, [])).toEqual({ message, code });
});

test("a message is one line of 200 characters, and a body of more than 64 KB has none", () => {
  const read = (message: string) => readErrorBody(Buffer.from(JSON.stringify({ message })), []).message;
  expect(read(" two\n\tlines\u202e\u0007 ")).toBe("two lines");
  expect(read("x".repeat(200))).toBe("x".repeat(200));
  expect(read("x".repeat(201))).toBe(`${"x".repeat(200)}…`);
  const around = '{"message":""}'.length;
  expect(read("x".repeat(64 * 1024 - around))).toBe(`${"x".repeat(200)}…`);
  expect(read("x".repeat(64 * 1024 - around + 1))).toBeNull();
});

test.each(['p&ss <w>ord\'s "1"', "a+b c/d?", "pässwörd%20", "two\n lines", "$&.*(x)[y]{z}|^\\"])(
  "a secret is removed in every form that a server may repeat it in: %j",
  (secret) => {
    const forms = [
      secret,
      secret.toUpperCase(),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      encodeURI(secret),
      new URLSearchParams({ p: secret }).toString().slice(2),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("base64url"),
      secret
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&#39;"),
      secret
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&#34;")
        .replaceAll("'", "&#x27;"),
      secret.replaceAll(/\s+/g, " "),
    ];
    for (const form of forms) {
      expect(redact(`before ${form} after ${form}`, ["", secret])).toBe("before [secret] after [secret]");
      const body = Buffer.from(JSON.stringify({ errors: [{ message: `no: ${form}`, code: form }] }));
      expect(readErrorBody(body, [secret])).toEqual({ message: "no: [secret]", code: "[secret]" });
    }
  },
);
