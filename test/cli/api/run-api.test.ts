import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../../listening-api/fixture.ts";
import { createShell } from "./shell.ts";

const MINUTE = 60_000;
let fixture: Fixture;
let run: ReturnType<typeof createShell>;
let baseUrl: string;
let alpha: number;

beforeAll(async () => {
  fixture = await startFixture({
    ...SEED,
    client: { name: "Acme", tags: { "ratelimit.limit": "100000", "ratelimit.period": "10" } },
  });
  baseUrl = await fixture.api.listen({ host: "127.0.0.1", port: 0 });
  alpha = fixture.account.queries.get("Alpha") ?? 0;
  const versions = Array.from({ length: 45 }, (_, number) =>
    mentionVersion(
      {
        queryId: alpha,
        resourceId: resourceId(number),
        title: number === 0 ? "\u001b[31mred\u202e\r\n<b>" : `Title ${number}`,
        author: `author-${number}`,
        sentiment: number % 3 === 0 ? "negative" : "neutral",
      },
      { added: T0 - (number + 1) * MINUTE },
    ),
  );
  await insertMentions(createDatabase(fixture.database.pool), versions);
  const credentials = {
    username: SEED.user.username,
    password: SEED.user.password,
    clientId: "earshot-api-client",
  };
  run = createShell({ baseUrl, credentials, clock: fixture.clock });
});

afterAll(() => fixture.stop());

test("an account is explored by name: projects, queries, mentions", async () => {
  const projects = await run("projects");
  expect(projects.failure).toBeNull();
  expect(projects.out).toMatch(
    /^ *id +name +timezone +billableClientName\n *\d+ +Brands +Europe\/Berlin +Acme\n$/,
  );
  expect(projects.err).toContain(`Asking ${baseUrl} as ann@acme.example (the test)`);
  expect(projects.err).toMatch(/Rate budget: \d+ used of 100000 calls in any 10m/);

  const queries = await run("queries", { project: "brands" });
  expect(queries.out).toMatch(/Alpha +search string/);
  expect(queries.out).toMatch(/Beta +twitter/);

  const mentions = await run("mentions", { project: "Brands", query: ["alp"] });
  expect(mentions.out.split("\n")).toHaveLength(22);
  expect(mentions.err).toContain("Range: from 2026-02-24T12:00:00.000+0000 to 2026-03-03T12:00:00.000+0000");
  expect(mentions.err).toContain("20 shown of 45; --all writes every one as a line of JSON");
});

test("without a project and a query, the only project and all its queries are used, and the output says so", async () => {
  const { out, err, failure } = await run("mentions", { param: ["pageSize=2"] });
  expect(failure).toBeNull();
  expect(err).toContain("Project: Brands");
  expect(err).toContain("Queries: all 2 of the project");
  expect(out.trim().split("\n")).toHaveLength(3);
});

test("filters and ranges reach the API as they are written", async () => {
  const { out } = await run("mentions", {
    query: [String(alpha)],
    param: ["sentiment=negative", "startDate=2026-03-01", "endDate=2026-03-04", "pageSize=100"],
    json: true,
  });
  const answer = JSON.parse(out);
  expect(answer.resultsTotal).toBe(15);
  expect(answer.results).toHaveLength(15);
  const short = await run("mentions", { query: [String(alpha)], last: "10m", json: true });
  expect(JSON.parse(short.out).resultsTotal).toBeLessThan(11);
});

test("--all writes every mention once, with any page size, as lines of JSON", async () => {
  const { out, err } = await run("mentions", { query: ["Alpha"], all: true, param: ["pageSize=7"] });
  const ids = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).resourceId);
  expect(ids).toHaveLength(45);
  expect(new Set(ids).size).toBe(45);
  expect(err).toContain("45 of 45 mentions written, 7 pages");
  const lists = await run("queries", { all: true });
  expect(
    lists.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).name),
  ).toEqual(["Alpha", "Beta"]);
});

test("--csv writes the records of a table, with --all those of every page under one header", async () => {
  const { out } = await run("mentions", { query: ["Alpha"], csv: true, param: ["pageSize=2"] });
  expect(out.split("\n")[0]).toBe("date,sentiment,pageType,queryName,author,title,url");
  expect(out.trim().split("\n")).toHaveLength(3);
  const all = await run("mentions", { query: ["Alpha"], csv: true, all: true, param: ["pageSize=7"] });
  expect(all.out.trim().split("\n")).toHaveLength(46);
  expect(all.out.match(/^date,/gm)).toHaveLength(1);
});

test("a hostile mention moves nothing on the terminal, in no form", async () => {
  for (const options of [{}, { json: true }, { csv: true }, { all: true }, { all: true, csv: true }]) {
    const { out } = await run("mentions", { query: ["Alpha"], ...options });
    expect(out).toContain("red");
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  }
});

test("both spellings of the wire are understood by the API", async () => {
  for (const spelling of [{ tokenIn: "parameter" }, { jsonSuffix: true }] as const) {
    expect((await run("categories", spelling)).out).toMatch(/Topics +true +Price \(\d+\), Safety \(\d+\)/);
  }
});

test("one record is a line for each field, and a token is shown only as JSON", async () => {
  expect((await run("me")).out).toMatch(/^username +ann@acme.example$/m);
  expect((await run("client")).out).toMatch(/^tags.ratelimit.limit +100000$/m);
  const hidden = await run("token");
  expect(hidden.out).toMatch(/access_token +received, \d+ characters \(--json shows it\)/);
  const { access_token: token } = JSON.parse((await run("token", { json: true })).out);
  expect(token).toMatch(/^\S{20,}$/);
  expect(hidden.out).not.toContain(token);
});

test("a list is created and shown, and breakdowns and charts are tables", async () => {
  const made = await run("create-location-list", { param: ["name=Cities", "location=new8"] });
  expect(made.out).toMatch(/locations +New York City \(new8\)/);
  expect((await run("location-lists")).out).toMatch(/Cities +New York City \(new8\) +public/);
  const { out } = await run("chart", { param: ["dim1=queries", "dim2=sentiment"] });
  expect(out).toMatch(/Alpha +negative +15\nAlpha +neutral +30/);
  const several = await run("chart", {
    param: ["aggregate=volume,authors", "dim1=queries", "dim2=pageTypes"],
  });
  expect(several.failure).toBeNull();
  expect((await run("mention-count")).out).toMatch(/mentionsCount +45/);
  expect((await run("top-authors", { param: ["limit=3"] })).out.trim().split("\n")).toHaveLength(4);
});

test("--quiet says nothing but the answer", async () => {
  expect((await run("projects", { quiet: true })).err).toBe("");
});

test.each<[string, Parameters<typeof run>[1], number, RegExp]>([
  ["mentions", { query: ["Gamma"] }, 2, /there is no query "Gamma".*\n.*Alpha\n.*Beta/],
  ["mentions", { query: ["a"] }, 2, /several of the queries are called "a"/],
  ["queries", { project: "Brnads" }, 2, /there is no project "Brnads" — did you mean "Brands"\?/],
  ["queries", { project: "99" }, 2, /^project|queries: 404/],
  ["categories", { last: "1d" }, 2, /has no range/],
  ["mentions", { csv: true, json: true }, 2, /choose one of/],
  ["mentions", { last: "soon" }, 2, /expected a length such as/],
  ["mentions", { last: "1d", param: ["startDate=2026-01-01"] }, 2, /not both/],
  ["mentions", { param: ["sentiment"] }, 2, /expected NAME=VALUE/],
  ["mentions", { param: ["access_token=x"] }, 2, /a secret does not belong there/],
  ["mentions", { query: ["Alpha"], param: ["sentimnt=x"] }, 2, /mentions: 400 .*sentimnt/],
  ["mentions", { query: ["Alpha"], param: ["endDate=tomorrow"] }, 2, /expected 2026-01-31/],
  ["create-location-list", { param: ["name=x"] }, 2, /--param location=…/],
  ["create-location-list", { param: ["nam=x"] }, 2, /knows name, location/],
])("%s %j fails with %i and says why", async (name, options, exitCode, says) => {
  const printed = await run(name, options);
  expect(printed.exitCode).toBe(exitCode);
  expect(printed.failure).toMatch(says);
  expect(printed.out).toBe("");
});

test("a refused login, an absent server and Ctrl-C have their own exit codes, and show no password", async () => {
  const wrong = { username: SEED.user.username, password: "wrong secret", clientId: "earshot-api-client" };
  const refused = await createShell({ baseUrl, credentials: wrong })("me");
  expect(refused).toMatchObject({ exitCode: 3, out: "" });
  expect(refused.failure).toContain("the credentials were refused");
  const nobody = await createShell({ baseUrl: "http://127.0.0.1:1", credentials: wrong })("me");
  expect(nobody).toMatchObject({ exitCode: 1, out: "" });
  expect(nobody.failure).toContain("can it be reached from here?");
  for (const { failure, err } of [refused, nobody]) expect(`${failure}${err}`).not.toContain("wrong secret");
  const stopped = new AbortController();
  stopped.abort();
  expect((await run("me", {}, stopped.signal)).exitCode).toBe(130);
});
