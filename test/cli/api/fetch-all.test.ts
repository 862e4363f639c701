import { afterEach, beforeEach, expect, test } from "vitest";
import {
  bytes,
  type FakeListeningApi,
  html,
  json,
  startFakeListeningApi,
} from "../../fakes/listening-api.ts";
import { createShell } from "./shell.ts";

let api: FakeListeningApi;
let run: ReturnType<typeof createShell>;

beforeEach(async () => {
  api = await startFakeListeningApi();
  const credentials = { username: "ada", password: "a password", clientId: "x-api-client" };
  run = createShell({ baseUrl: api.baseUrl, credentials });
});

afterEach(() => api.close());

const ALL = { project: "19", query: ["7"], all: true, last: "1d", param: ["pageSize=2"] };

function page(ids: readonly unknown[], nextCursor: string | null, more: object = {}) {
  const results = ids.map((resourceId) => ({ resourceId }));
  return json({ results, resultsTotal: 5, resultsPageSize: 2, nextCursor, ...more });
}

const written = (out: string) =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).resourceId);

test("what a second try may heal is tried again, and no mention is lost or written twice", async () => {
  api.reply(
    page(["a", "b"], "1"),
    json({}, { status: 429, headers: { "retry-after": "1" } }),
    page(["c", "d"], "2"),
    bytes("", { status: 503, headers: { "retry-after": "1" } }),
    page(["e"], null),
  );
  const { out, err, failure } = await run("mentions", ALL);
  expect(failure).toBeNull();
  expect(written(out)).toEqual(["a", "b", "c", "d", "e"]);
  expect(err).toContain("5 of 5 mentions written, 3 pages");
  expect(api.calls.map((call) => call.query.get("cursor"))).toEqual([null, "1", "1", "2", "2"]);
});

test("paging that fails reports what was written and its cursor", async () => {
  api.reply(
    page(["a", "b"], "cur+sor=="),
    json({ errors: [{ message: "no such cursor" }] }, { status: 400 }),
  );
  const { out, err, exitCode } = await run("mentions", ALL);
  expect(written(out)).toEqual(["a", "b"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("2 of 5 mentions written, 1 page");
  expect(err).toContain("To go on from here, add --param cursor=cur+sor==");
  api.reply(page(["c"], null));
  const again = await run("mentions", { ...ALL, param: [...ALL.param, "cursor=cur+sor=="] });
  expect(written(again.out)).toEqual(["c"]);
  expect(api.calls.at(-1)?.query.get("cursor")).toBe("cur+sor==");
});

test("Ctrl-C while waiting for the budget ends paging at once, with its cursor", async () => {
  api.reply(page(["a", "b"], "1"), json({}, { status: 429, headers: { "retry-after": "600" } }));
  const stopping = new AbortController();
  const fetching = run("mentions", ALL, stopping.signal);
  while (api.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
  stopping.abort();
  const { exitCode, err, out } = await fetching;
  expect(exitCode).toBe(130);
  expect(written(out)).toEqual(["a", "b"]);
  expect(err).toContain("cursor=1");
});

test("a cursor that repeats, a page without results and records of any kind end as they should", async () => {
  api.reply(page([1, null], "1"), page(["b", "c"], "1"), page(["b", "c"], "1"));
  expect(written((await run("mentions", ALL)).out)).toEqual([1, null, "b", "c"]);
  api.reply(json({ results: [7, null, "x"], nextCursor: 5 }));
  expect((await run("mentions", ALL)).out).toBe('7\nnull\n"x"\n');
  api.reply(json([]));
  expect(await run("mentions", ALL)).toMatchObject({ out: "", exitCode: 0 });
});

test("an answer in HTML is reported in our words", async () => {
  api.reply(html(404));
  const { failure, exitCode, out } = await run("queries", { project: "19" });
  expect({ failure, exitCode, out }).toEqual({
    failure:
      "queries: 404 there is nothing at that address; there may be no such thing in this account, or this API does not have the call",
    exitCode: 2,
    out: "",
  });
});

test("a password that a server repeats is shown nowhere", async () => {
  api.reply(json({ message: "a password and a%20password" }, { status: 400 }));
  const { failure, err } = await run("me");
  expect(failure).toContain("[secret] and [secret]");
  expect(`${failure}${err}`).not.toMatch(/a(?: |%20)password/);
});
