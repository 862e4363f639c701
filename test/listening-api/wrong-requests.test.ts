import fc from "fast-check";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { runs } from "../runs.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { send } from "./send.ts";

let fixture: Fixture;
let project: string;
beforeAll(async () => {
  fixture = await startFixture();
  project = `/projects/${fixture.account.projectId}`;
});
afterAll(() => fixture.stop());

/** `{project}` is replaced by the project of the caller. */
function ask(request: InjectOptions & { url: string }) {
  const headers = { authorization: `Bearer ${fixture.token}`, ...request.headers };
  return send(fixture.api, { ...request, url: request.url.replace("{project}", project), headers });
}

describe("faults are reported in the errors envelope", () => {
  const json = { "content-type": "application/json" };
  const list = { method: "POST", url: "{project}/group/location", headers: json } as const;
  const cases: readonly (readonly [string, InjectOptions & { url: string }, number, RegExp])[] = [
    ["a path that is nowhere", { url: "/nowhere" }, 404, /^There is nothing at GET \/nowhere\.$/],
    ["the root", { url: "/" }, 404, /^There is nothing at GET \/\.$/],
    ["a call of a project that is none", { url: "{project}/nothing" }, 404, /nothing at GET .*\/nothing\.$/],
    ["a path below a call", { url: "/me/more" }, 404, /nothing at GET \/me\/more/],
    ["a path in capitals", { url: "/ME" }, 404, /nothing at GET \/ME/],
    [
      "the id of a mention with a NUL",
      { url: "{project}/queries/2003001/mentions/a%00b" },
      404,
      /^Query 2003001 has no mention "a\\u0000b"/,
    ],
    ["a query that is none", { url: "{project}/queries/1" }, 404, /^There is no query 1 in project/],
    ["a query that is no number", { url: "{project}/queries/one" }, 404, /nothing at GET/],
    ["a project that is nobody's", { url: "/projects/99" }, 404, /^There is no project 99 for this user/],
    ["a project that is no number", { url: "/projects/abc" }, 400, /^project_id: expected an integer/],
    ["another form of an answer", { url: "/projects/summary.xml" }, 404, /every answer is JSON/],
    [
      "the name of a country",
      {
        url: "{project}/data/mentions?queryId=2003001&startDate=2026-03-01&endDate=2026-03-02&location=Germany",
      },
      400,
      /^location: expected a code such as DEU, which is that of "Germany"/,
    ],
    [
      "a packed body",
      { ...list, headers: { ...json, "content-encoding": "gzip" }, payload: Buffer.from([0x1f, 0x8b, 8, 0]) },
      415,
      /^content-encoding: expected a body as it is, got "gzip"/,
    ],
    ["a negative project", { url: "/projects/-1/tags" }, 400, /^project_id/],
    ["a project beyond all numbers", { url: `/projects/${"9".repeat(30)}` }, 400, /^project_id/],
    ["a path that cannot be decoded", { url: "/projects/%zz" }, 400, /^The path cannot be decoded/],
    [
      "a query type that is none",
      { url: "{project}/queries?type=radio" },
      400,
      /^type: expected one of search string, twitter/,
    ],
    [
      "two query types, one of them unknown",
      { url: "{project}/queries?type=twitter&type=pigeon" },
      400,
      /^type: expected one of search string, twitter/,
    ],
    ["an unknown parameter", { url: "/client?colour=red" }, 400, /^"colour" is not a parameter of this call/],
    [
      "a parameter with a NUL",
      { url: "{project}/queries?type=a%00" },
      400,
      /^type: expected text without NUL/,
    ],
    [
      "a parameter of a POST",
      { ...list, url: "{project}/group/location?x=1", payload: "{}" },
      400,
      /^"x" is not/,
    ],
    ["broken JSON", { ...list, payload: '{"name": ' }, 400, /^body: expected JSON, got something/],
    ["JSON of a forger", { ...list, payload: '{"__proto__": {"a": 1}}' }, 400, /^body: expected JSON/],
    ["no JSON at all", { ...list, payload: "" }, 400, /^body: expected JSON, got nothing/],
    ["no body", { method: "POST", url: "{project}/group/location" }, 400, /^body: expected a JSON object/],
    ["a body without end", { ...list, payload: `"${"x".repeat(300_000)}"` }, 413, /^body: it is larger/],
    [
      "a form",
      { ...list, headers: { "content-type": "application/x-www-form-urlencoded" }, payload: "name=a" },
      415,
      /^content-type: expected/,
    ],
    [
      "plain text",
      { ...list, headers: { "content-type": "text/plain" }, payload: "a" },
      415,
      /^content-type/,
    ],
    [
      "a content type that is none",
      { ...list, headers: { "content-type": "json" }, payload: "{}" },
      415,
      /^content-type/,
    ],
  ];
  it.each(cases)("%s", async (_, request, status, message) => {
    const answer = await ask(request);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { errors: expect.arrayContaining([{ code: 0, message: expect.stringMatching(message) }]) },
    });
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
  });
});

test.each([
  ["POST", "/me", "GET, HEAD"],
  ["DELETE", "{project}", "GET, HEAD"],
  ["PUT", "{project}/queries/summary/", "GET, HEAD"],
  ["DELETE", "{project}/group/location", "GET, HEAD, POST"],
  ["PUT", "{project}/data/mentions", "GET, HEAD, PATCH, POST"],
  ["POST", "{project}/queries/7", "DELETE, GET, HEAD, PATCH, PUT"],
  ["OPTIONS", "/client.json", "GET, HEAD"],
] as const)("%s %s is told which methods the path has", async (method, url, allow) => {
  const answer = await ask({ method, url });
  expect(answer).toMatchObject({ status: 404, headers: { allow } });
  expect(answer.body.errors[0].message).toMatch(
    new RegExp(`^There is nothing at ${method} .* The path takes ${allow}\\.$`),
  );
});

describe("what is right although it looks odd", () => {
  test.each([
    ["a slash at the end", "/projects/summary/"],
    ["two slashes", "//projects//summary"],
    ["the older form", "/projects/summary.json"],
    ["the older form of a call in a project", "{project}/queries.json?type=search%20string"],
    ["a plus for a blank", "{project}/queries?type=search+string"],
  ])("%s", async (_, url) => {
    const answer = await ask({ url });
    expect(answer).toMatchObject({ status: 200, body: { resultsTotal: 1 } });
  });

  it("a value that ends in .json is left as it is", async () => {
    const { body } = await ask({ url: "{project}/queries?type=a.json" });
    expect(body.errors[0].message).toContain('got "a.json"');
  });

  it("HEAD says what GET would, without a body", async () => {
    const answer = await ask({ method: "HEAD", url: "/projects/summary" });
    expect(answer).toMatchObject({ status: 200, body: "" });
  });
});

/** Pieces of requests, good and bad, put together at random. */
const odd = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "-1",
    "1e9",
    "%00",
    "null",
    "a\0b",
    "\ud800",
    "'; drop table x; --",
    "9".repeat(40),
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
);
const anyBody = fc.oneof(
  fc.json(),
  odd,
  fc
    .record(
      {
        name: fc.oneof(odd, fc.jsonValue()),
        locations: fc.oneof(fc.array(fc.record({ id: fc.oneof(odd, fc.constant("gb")) })), fc.jsonValue()),
        shared: fc.oneof(fc.constantFrom("public", "private"), fc.jsonValue()),
        sharedProjectIds: fc.oneof(fc.array(fc.oneof(fc.integer(), fc.double())), fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    .map((body) => JSON.stringify(body)),
);
const anyRequest = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH" as const),
  path: fc.oneof(
    fc.constantFrom("/me", "/client", "/user", "/projects", "/projects/summary", "/oauth/token"),
    fc
      .constantFrom("", "/queries", "/tags", "/querygroups", "/group/site/summary", "/group/location/")
      .map((path) => `{project}${path}`),
    odd.map((part) => `/projects/${encodeURIComponent(Buffer.from(part).toString())}/tags`),
    odd.map((part) => `/${encodeURIComponent(Buffer.from(part).toString())}`),
  ),
  parameters: fc.dictionary(
    fc.oneof(fc.constantFrom("page", "pageSize", "type", "username", "password"), odd),
    odd,
  ),
  contentType: fc.option(
    fc.constantFrom("application/json", "application/x-www-form-urlencoded", "text/plain", "x"),
  ),
  body: fc.option(anyBody),
});

it("answers whatever is sent, in one of its envelopes, and never fails", async () => {
  const property = fc.asyncProperty(anyRequest, async ({ method, path, parameters, contentType, body }) => {
    const query = new URLSearchParams(parameters);
    const answer = await ask({
      method,
      url: `${path}?${query}`,
      headers: contentType === null ? {} : { "content-type": contentType },
      ...(body === null ? {} : { payload: body }),
    });
    expect(answer.status).toBeLessThan(500);
    if (method === "HEAD") return;
    const isGood = answer.status < 300;
    const shape = "errors" in answer.body ? "errors" : "error" in answer.body ? "error" : "result";
    expect({ isGood, shape }).toEqual({ isGood, shape: isGood ? "result" : shape });
    if (!isGood) expect(shape).not.toBe("result");
  });
  await fc.assert(property, { numRuns: runs(300) });
  expect(fixture.logged).toEqual([]);
});
