import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { type SeededAccount, seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { importMentions } from "../../src/listening-api/import/import-mentions.ts";
import { putMembership } from "../../src/listening-api/store/accounts.ts";
import { changeRows, listChanges } from "../../src/listening-api/store/changes.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import {
  type Answer,
  type Fixture,
  get,
  logIn,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "./fixture.ts";
import { send } from "./send.ts";

let fixture: Fixture;
let db: Database;
let project: string;
let alpha: number;
let other: SeededAccount;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  project = `/projects/${fixture.account.projectId}`;
  alpha = fixture.account.queries.get("Alpha") ?? 0;
  const user = { username: "eve@other.example", password: "battery staple" };
  other = await seedAccount(fixture.database.pool, { ...SEED, client: { name: "Rival" }, user });
  await insertMentions(
    db,
    ["hot water", "cold Water", "no tea"].map((snippet, n) =>
      mentionVersion(
        {
          queryId: alpha,
          resourceId: resourceId(n),
          snippet,
          language: n === 1 ? "de" : "en",
          pageType: "news",
        },
        { added: T0 - n * HOUR },
      ),
    ),
  );
});
afterAll(() => fixture.stop());

function ask(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  token = fixture.token,
) {
  const headers = { authorization: `Bearer ${token}` };
  // As clients send it: text, with the type in a header.
  const sent =
    body === undefined
      ? { headers }
      : { headers: { ...headers, "content-type": "application/json" }, payload: JSON.stringify(body) };
  return send(fixture.api, { method, url: path.startsWith("/") ? path : `${project}/${path}`, ...sent });
}

const read = async (path: string): Promise<Answer> => fixture.get(`${project}/${path}`);

/** One of each kind, as the clients send it, and what changes about it. */
// biome-ignore format: a table, one row on a line
const KINDS = [
  ["queries", { name: "Pets", booleanQuery: "dogs OR cats", type: "monitor", contentSources: ["news", "forum"], samplePercentage: 100, description: "", languages: [] }, { name: "Beasts", booleanQuery: "dogs" }, 201],
  ["querygroups", { name: "Both", queries: [{ id: 2003001, name: "Alpha" }], shared: "public", users: [{ id: 1 }] }, { name: "One", queries: [{ id: 2003002 }] }, 201],
  ["tags", { name: "yellow" }, { name: "red" }, 201],
  [
    "ruletags",
    { name: "cats", rules: [{ filter: { search: "cat OR cats" } }] },
    { name: "Felis catus" },
    201,
  ],
  ["categories", { name: "Droids", multiple: true, children: [{ name: "r2d2", id: null }] }, { name: "Robots", children: [{ name: "r2d2" }, { name: "bb8" }] }, 201],
  ["rulecategories", { name: "ice cream views", children: [{ name: "Vanilla", rules: [{ filter: { search: "vanilla" } }] }] }, { name: "views", multiple: false }, 201],
  ["rules", { name: "High", enabled: true, filter: { search: "fire", projectId: 1998001 }, ruleAction: { priority: "high" }, scope: "project" }, { name: "Fire", ruleAction: { starred: true } }, 201],
  ["signals/groups", { name: "Me", queryIds: [2003001], subscribers: [{ emailAddress: "ann@acme.example", notificationThreshold: 1 }] }, { name: "Us", includeTagIds: [] }, 201],
  ["queries/2003001/date-range", { name: "Launch", startDate: "2026-03-01", endDate: "2026-03-08" }, { name: "Week", endDate: "2026-03-09" }, 201],
  ["group/author", { name: "Writers", authors: ["Edward Albee"], shared: "public", userName: "x", userId: 1 }, { name: "Playwrights", authors: ["Edward Albee", "Susan Glaspell"] }, 200],
  ["group/site", { name: "Press", domains: ["news.example"] }, { domains: ["b.example/food"] }, 200],
  ["group/location", { name: "Cities", locations: [{ id: "bos1" }] }, { name: "Countries", locations: [{ id: "fr" }] }, 200],
] as const;

describe.each(KINDS)("%s", (path, made, changed, status) => {
  it("is made, read by its id, changed, listed and deleted, and each of these is noted", async () => {
    const created = await ask("POST", path, made);
    expect({ status: created.status, body: created.body }).toMatchObject({
      status,
      body: { name: made.name },
    });
    const { id } = created.body;
    expect((await read(`${path}/${id}`)).body).toEqual(created.body);
    const again = await ask("POST", path, made);
    // Lists may repeat, as they do at the live service; of everything else a repeated request makes no second one.
    expect(again.body.id === id).toBe(!path.startsWith("group/"));
    const put = await ask("PUT", `${path}/${id}`, { ...made, ...changed, id });
    expect({ status: put.status, body: put.body }).toMatchObject({ status: 200, body: { id } });
    expect((await ask("PUT", `${path}/${id}`, { ...made, ...changed, id })).body).toMatchObject({ id });
    const name = "name" in changed ? changed.name : made.name;
    const list = (await read(path)).body;
    const listed = (list.results ?? list).find((one: { id: number }) => one.id === id);
    expect(listed).toMatchObject({ id, name });
    expect((await ask("PATCH", `${path}/${id}`, { name: `${name}!` })).body).toMatchObject({
      name: `${name}!`,
    });
    expect((await ask("DELETE", `${path}/${id}`)).body).toEqual({ id, name: `${name}!` });
    expect((await read(`${path}/${id}`)).status).toBe(404);
    expect((await ask("DELETE", `${path}/${id}`)).status).toBe(404);
    const noted = (await listChanges(db, fixture.account.projectId, 100)).filter(
      ({ thingId }) => thingId === String(id),
    );
    expect(noted.map(({ action, username }) => `${action} ${username}`)).toEqual(
      ["delete", "update", "update", "update", "create"].map((action) => `${action} ann@acme.example`),
    );
    expect(noted[0]).toMatchObject({ before: { name: `${name}!` }, after: null });
    expect(noted.at(-1)).toMatchObject({ before: null, after: { id } });
  });

  it("is refused with what is wrong about it, by the name of the field", async () => {
    for (const body of [[], null, "x", 7]) expect((await ask("POST", path, body)).status).toBe(400);
    const { status, body } = await ask("POST", path, { name: " ", colour: "red" });
    expect(status).toBe(400);
    const messages = body.errors.map((error: { message: string }) => error.message).join("\n");
    expect(messages).toMatch(/^name: expected text of 1 to 255 characters, got " "/m);
    expect(messages).toMatch(/"colour" is not a field of/);
  });
});

test("a query that a text makes looks back over what is stored, and its mentions enter now", async () => {
  const at = T0 + MINUTE;
  fixture.clock.set(at);
  const { body } = await ask("POST", "queries", { name: "Water", booleanQuery: "water NOT cold" });
  const mentions = async (id: number) =>
    (
      await fixture.get(`${project}/data/mentions`, [
        ["queryId", id],
        ["startDate", "2026-03-01"],
        ["endDate", "2026-04-01"],
      ])
    ).body.results;
  const found = await mentions(body.id);
  expect(found).toMatchObject([
    {
      resourceId: resourceId(0),
      queryName: "Water",
      added: "2026-03-03T12:01:00.000+0000",
      date: "2026-03-03T12:00:00.000+0000",
      matchPositions: [{ start: 4, text: "water", length: 5 }],
    },
  ]);
  await ask("PUT", `queries/${body.id}`, { name: "Water", booleanQuery: "water" });
  expect(await mentions(body.id)).toHaveLength(2);
  const german = await ask("POST", "queries", { name: "Wasser", booleanQuery: "water", languages: ["de"] });
  expect(await mentions(german.body.id)).toHaveLength(1);
  const forums = await ask("POST", "queries", {
    name: "Forums",
    booleanQuery: "water",
    contentSources: ["forum"],
  });
  expect(await mentions(forums.body.id)).toHaveLength(0);
  const late = await ask("POST", "queries", {
    name: "Late",
    booleanQuery: "water",
    startDate: "2026-03-03T11:30:00",
  });
  expect(await mentions(late.body.id)).toHaveLength(1);
  expect(late.body).toMatchObject({
    startDate: "2026-03-03T11:30:00.000+0000",
    type: "monitor",
    languages: [],
  });
});

describe("a query", () => {
  it.each([
    [{ name: "Bad", booleanQuery: "a OR b AND c" }, /^booleanQuery: at character \d+: /],
    [{ name: "Bad" }, /^booleanQuery: required/],
    [{ name: "Bad", booleanQuery: "a", type: "radio" }, /^type: expected one of/],
    [
      { name: "Bad", booleanQuery: "a", type: "twitter" },
      /^booleanQuery: a query of type twitter takes none/,
    ],
    [{ name: "Bad", booleanQuery: "a", samplePercentage: 0 }, /^samplePercentage: expected a number/],
    [
      { name: "Bad", booleanQuery: "a", contentSources: ["pigeons"] },
      /^contentSources: "pigeons" is none of/,
    ],
    [{ name: "Bad", booleanQuery: "a", startDate: "soon" }, /^startDate: expected YYYY/],
    [{ name: "received items", booleanQuery: "a" }, /^name: "received items" is taken/],
    [{ name: "Alpha", booleanQuery: "a" }, /^name: the project has a query "Alpha" already, with the id \d+/],
  ])("is refused: %j", async (body, message) => {
    const answer = await ask("POST", "queries", body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toMatch(message);
  });

  it("has today's type and the older program's own, and the documented one in the summary", async () => {
    const old = await ask("POST", "queries", {
      name: "Old",
      includedTerms: "old",
      type: "search string",
      languages: ["en"],
      industry: "general-(recommended)",
      samplePercent: 100,
      languageAgnostic: false,
    });
    expect(old.body).toMatchObject({ type: "search string", includedTerms: "old", languages: ["en"] });
    const summary = (await read("queries/summary")).body.results;
    expect(summary.find((one: { id: number }) => one.id === old.body.id).type).toBe("search string");
    expect((await read(`queries/${alpha}`)).body).toMatchObject({
      type: "monitor",
      contentSources: expect.arrayContaining(["news"]),
    });
    for (const type of ["monitor", "search string"])
      expect((await fixture.get(`${project}/queries`, [["type", type]])).body.results.length).toBeGreaterThan(
        1,
      );
    expect(
      (await fixture.get(`${project}/queries/summary`, [["type", "publicfacebook"]])).body.results,
    ).toEqual([]);
  });

  it("that becomes a channel has no text any more, and its record is taken back as it is", async () => {
    const { body } = await ask("POST", "queries", { name: "Channel", booleanQuery: "kittens" });
    const channel = await ask("PATCH", `queries/${body.id}`, { type: "twitter" });
    expect(channel).toMatchObject({ status: 200, body: { type: "twitter", booleanQuery: null } });
    expect((await ask("PUT", `queries/${body.id}`, channel.body)).status).toBe(200);
    const back = await ask("PATCH", `queries/${body.id}`, { type: "search string" });
    expect(back.body.errors).toEqual([
      { code: 0, message: "booleanQuery: required, what the query searches." },
    ]);
    const search = { type: "search string", booleanQuery: "puppies" };
    expect((await ask("PATCH", `queries/${body.id}`, search)).body).toMatchObject({
      booleanQuery: "puppies",
    });
    await ask("DELETE", `queries/${body.id}`);
  });

  it("sent back as it was read, with another text, finds what a change of its text alone finds", async () => {
    const version = mentionVersion(
      { queryId: alpha, resourceId: "f".repeat(32), snippet: "hedgehogs", pageType: "news" },
      { added: T0 - HOUR },
    );
    await insertMentions(db, [version]);
    const { body } = await ask("POST", "queries", { name: "Back", booleanQuery: "badgers" });
    const back = { ...(await read(`queries/${body.id}`)).body, booleanQuery: "hedgehogs" };
    expect((await ask("PUT", `queries/${body.id}`, back)).status).toBe(200);
    const found = await fixture.get(`${project}/data/mentions`, [
      ["queryId", body.id],
      ["startDate", "2026-01-01"],
      ["endDate", "2027-01-01"],
    ]);
    expect(found.body.resultsTotal).toBe(1);
    await ask("DELETE", `queries/${body.id}`);
  });

  it("takes the terms of older programs as a list, too", async () => {
    const { status, body } = await ask("POST", "queries", { name: "Terms", includedTerms: ["kittens"] });
    expect({ status, text: body.booleanQuery }).toEqual({ status: 201, text: "kittens" });
    const put = await ask("PUT", `queries/${body.id}`, { includedTerms: ["kittens AND milk", "puppies"] });
    expect(put.body.booleanQuery).toBe("(kittens AND milk) OR (puppies)");
    const refused = await ask("PUT", `queries/${body.id}`, { includedTerms: ["kittens", 7] });
    expect(refused.status).toBe(400);
  });

  it("takes its group along when it was the last one in it", async () => {
    const one = (await ask("POST", "queries", { name: "Test6", booleanQuery: "adc" })).body;
    const group = (await ask("POST", "querygroups", { name: "group 2", queries: [one] })).body;
    expect((await read(`querygroups/${group.id}`)).body.queries).toEqual([{ id: one.id, name: "Test6" }]);
    await ask("DELETE", `queries/${one.id}`);
    expect((await read(`querygroups/${group.id}`)).status).toBe(404);
  });

  it("is made once by two requests at the same moment", async () => {
    const twice = await Promise.all(
      [1, 2, 3].map(() => ask("POST", "queries", { name: "Twin", booleanQuery: "twin" })),
    );
    expect(new Set(twice.map(({ body }) => body.id)).size).toBe(1);
  });
});

describe("a mention", () => {
  const edit = (items: unknown, token?: string) => ask("PATCH", "data/mentions", items, token);
  const one = async (n: number) =>
    (await fixture.get(`${project}/query/${alpha}/mentionfind`, [["resourceId", resourceId(n)]])).body
      .mention;

  it("is changed as clients request it; `updated` moves, and paging by update finds it", async () => {
    const tag = (await ask("POST", "ruletags", { name: "cold" })).body;
    const category = (await ask("POST", "categories", { name: "color", children: ["green", "blue"] })).body;
    const at = T0 + 10 * MINUTE;
    fixture.clock.set(at);
    const which = { queryId: alpha, resourceId: resourceId(0) };
    const ids = category.children.map(({ id }: { id: number }) => id);
    const answer = await edit([
      { ...which, addTag: ["cold"], sentiment: "negative" },
      { ...which, addCategories: ids, priority: "high", assignment: "ann@acme.example" },
      {
        queryId: alpha,
        resourceId: resourceId(1),
        starred: true,
        checked: true,
        status: "open",
        location: "bos1",
      },
    ]);
    expect(answer).toMatchObject({
      status: 200,
      body: [{ ...which, updated: "2026-03-03T12:10:00.000+0000" }, { queryId: alpha }],
    });
    expect(await one(0)).toMatchObject({
      sentiment: "negative",
      tags: ["cold"],
      categories: ids,
      priority: "high",
      assignment: "ann@acme.example",
      updated: "2026-03-03T12:10:00.000+0000",
      added: "2026-03-03T12:00:00.000+0000",
    });
    expect(await one(1)).toMatchObject({
      starred: true,
      checked: true,
      status: "open",
      city: "Boston",
      countryCode: "USA",
    });
    const walked = await fixture.get(`${project}/data/mentions`, [
      ["queryId", alpha],
      ["startDate", "2026-03-01"],
      ["endDate", "2026-04-01"],
      ["sinceUpdated", "2026-03-03T12:09:59.000"],
      ["tag", tag.id],
    ]);
    expect(walked.body.results).toMatchObject([{ resourceId: resourceId(0) }]);
    await edit([{ ...which, removeTag: ["cold"], removeCategories: [ids[0]], removePriority: "low" }]);
    expect(await one(0)).toMatchObject({ tags: [], categories: [ids[1]], priority: "high" });
    await edit({ ...which, removePriority: "high" });
    expect(await one(0)).toMatchObject({ priority: null });
  });

  it("is changed all of them or none, and faults name their index in the list", async () => {
    const before = await one(2);
    const { status, body } = await edit([
      { queryId: alpha, resourceId: resourceId(2), starred: true },
      {
        queryId: 7,
        resourceId: resourceId(2),
        sentiment: "angry",
        addTag: ["none"],
        addCategories: [1],
        colour: 1,
      },
      { queryId: alpha },
    ]);
    expect(status).toBe(400);
    const messages = body.errors.map((error: { message: string }) => error.message);
    for (const named of ["[1].queryId", "[1].sentiment", "[1].addTag", "[1].addCategories", "[2].resourceId"])
      expect(messages.join("\n")).toContain(named);
    const missing = await edit([
      { queryId: alpha, resourceId: resourceId(2), starred: true },
      { queryId: alpha, resourceId: resourceId(99), starred: true },
    ]);
    expect(missing.body.errors[0].message).toMatch(/^\[1\]\.resourceId: query \d+ has no mention/);
    const alone = await edit({ queryId: alpha, resourceId: resourceId(99), starred: true });
    expect(alone.body.errors[0].message).toMatch(/^resourceId: query \d+ has no mention/);
    expect(await one(2)).toEqual(before);
    expect((await edit(Array(1_001).fill({ queryId: alpha, resourceId: resourceId(2) }))).status).toBe(400);
  });

  it("keeps its version where nothing that is known would change", async () => {
    const before = await one(2);
    fixture.clock.set(T0 + 11 * MINUTE);
    for (const changes of [{}, { removeTag: [] }, { removePriority: "low" }]) {
      const { status, body } = await edit([{ queryId: alpha, resourceId: resourceId(2), ...changes }]);
      expect([status, body[0].updated]).toEqual([200, before.updated]);
    }
    expect(await one(2)).toEqual(before);
  });

  it("is found by its address, too, and is nowhere in another query", async () => {
    const beta = fixture.account.queries.get("Beta") ?? 0;
    await insertMentions(db, [
      mentionVersion(
        { queryId: beta, resourceId: resourceId(50), url: "https://x.example/1" },
        { added: T0 },
      ),
    ]);
    const find = (id: number) =>
      fixture.get(`${project}/query/${id}/mentionfind`, [["url", "https://x.example/1"]]);
    expect((await find(beta)).body.mention).toMatchObject({ resourceId: resourceId(50) });
    expect((await find(alpha)).status).toBe(404);
    expect((await find(7)).status).toBe(404);
    expect((await fixture.get(`${project}/query/${beta}/mentionfind`)).status).toBe(400);
  });
});

describe("every call that writes", () => {
  const writing = async () =>
    (await fixture.api.calls()).filter(
      ({ method, path }) =>
        ["POST", "PUT", "PATCH", "DELETE"].includes(method) &&
        path.startsWith("/projects/") &&
        // It takes its text in a body, and writes nothing.
        !path.endsWith("/queries/explain"),
    );
  const at = (path: string, projectId: number) =>
    path
      .replace(":projectId", String(projectId))
      .replace(/:(?:id|queryId)\(.*?\)(?=\/|$)/g, "1")
      .replace(":resourceId", "x");
  const count = async () =>
    Number((await fixture.database.pool.query("select count(*) from local_api.change")).rows[0].count);

  it("is known to this test", async () => {
    const kinds = new Set(
      (await writing()).map(({ path }) =>
        path
          .split("/")
          .slice(3)
          .join("/")
          .replace(/:queryId\(.*?\)/, "2003001")
          .replace(/\/:id\(.*?\)$/, ""),
      ),
    );
    const others = [...kinds].filter((kind) => !KINDS.some(([path]) => path === kind));
    expect(others.sort()).toEqual([
      ...["rule", "rulecategories", "ruletags"].map((kind) => `bulkactions/${kind}`),
      "data/mentions",
      "queries/:id(^\\d{1,15}$)/backfill",
      "queries/:id(^\\d{1,15}$)/mentions/:resourceId",
      "rulebackfill/rulecategories",
      "rules/:id(^\\d{1,15}$)/backfill",
    ]);
    // Mentions are changed by two methods.
    expect((await writing()).length).toBe(KINDS.length * 4 + others.length + 1);
  });

  it("is refused without a token, with one of another client, and to a role that may not use the API", async () => {
    const user = { username: "degraded", password: "degraded", role: "Admin" };
    const { userId } = await seedAccount(fixture.database.pool, { ...SEED, user });
    const degraded = (await logIn(fixture.api, user)).body.access_token;
    await putMembership(db, { userId, clientId: fixture.account.clientId, role: "Viewer" });
    const before = await count();
    for (const { method, path } of await writing()) {
      const url = at(path, fixture.account.projectId);
      const call = `${method} ${url}`;
      const send_ = (headers: Record<string, string>, target = url) =>
        send(fixture.api, { method: method as "PUT", url: target, headers, payload: { name: "x" } });
      expect({ call, status: (await send_({})).status }).toEqual({ call, status: 401 });
      const viewer = await send_({ authorization: `Bearer ${degraded}` });
      expect({ call, status: viewer.status }).toEqual({ call, status: 403 });
      const foreign = await send_({ authorization: `Bearer ${fixture.token}` }, at(path, other.projectId));
      const nobodys = await send_({ authorization: `Bearer ${fixture.token}` }, at(path, 987_654));
      expect({ call, status: foreign.status }).toEqual({ call, status: 404 });
      expect(JSON.stringify(foreign.body).replaceAll(String(other.projectId), "?")).toBe(
        JSON.stringify(nobodys.body).replaceAll("987654", "?"),
      );
    }
    expect(await count()).toBe(before);
  });
});

test("changes by calls are listed for the operator of the server", async () => {
  const { id } = (await ask("POST", "tags", { name: "noted" })).body;
  await ask("PUT", `tags/${id}`, { name: "noticed" });
  expect((await changeRows(db, fixture.account.projectId)).slice(0, 2)).toMatchObject([
    { user: SEED.user.username, action: "update", kind: "tag", name: "noticed", changed: ["name"] },
    { action: "create", kind: "tag", name: "noted", changed: [] },
  ]);
});

test("a private list is visible to its owner only", async () => {
  const user = { username: "bob@acme.example", password: "bob", role: "Regular" };
  await seedAccount(fixture.database.pool, { ...SEED, user });
  const bob = (await logIn(fixture.api, user)).body.access_token;
  const secret = (
    await ask("POST", "group/site", { name: "Secret", domains: ["a.example"], shared: "private" })
  ).body;
  const open = (await ask("POST", "group/site", { name: "Open", domains: ["a.example"] })).body;
  expect((await get(fixture.api, `${project}/group/site/${secret.id}`, [], bob)).status).toBe(404);
  expect((await ask("PUT", `group/site/${secret.id}`, { name: "Mine" }, bob)).status).toBe(404);
  expect((await ask("DELETE", `group/site/${secret.id}`, undefined, bob)).status).toBe(404);
  expect((await ask("PUT", `group/site/${open.id}`, { name: "Ours" }, bob)).body).toMatchObject({
    name: "Ours",
  });
});

test("a tag and a category with rules label what is stored and what arrives", async () => {
  const rules = [{ filter: { search: "water NOT cold", language: ["en"], projectId: 1 } }];
  const tag = (await ask("POST", "ruletags", { name: "wet", rules })).body;
  expect(tag).toMatchObject({ rules, matchingType: "automatic" });
  const children = [{ name: "Water", rules: [{ filter: { search: '"cold water"' } }] }];
  const category = (await ask("POST", "rulecategories", { name: "Drinks", children })).body;
  const total = async (name: string, id: number) =>
    (
      await fixture.get(`${project}/data/mentions`, [
        ["queryId", alpha],
        ["startDate", "2026-03-01"],
        ["endDate", "2026-04-01"],
        [name, id],
      ])
    ).body.results.map((mention: { resourceId: string }) => mention.resourceId);
  expect(await total("tag", tag.id)).toEqual([resourceId(0)]);
  expect(await total("category", category.children[0].id)).toEqual([resourceId(1)]);
  const folder = await mkdtemp(join(tmpdir(), "earshot-labels-"));
  const path = join(folder, "more.jsonl");
  const line = (id: string, language: string) =>
    JSON.stringify({ id, brand: "Alpha", text: "more water", language, date: "2026-03-03T09:00:00Z" });
  await writeFile(path, `${line("a", "en")}\n${line("b", "de")}`);
  await importMentions({ pool: fixture.database.pool, path, projectId: fixture.account.projectId });
  await rm(folder, { recursive: true });
  expect(await total("tag", tag.id)).toHaveLength(2);
  const wrong = await ask("POST", "ruletags", {
    name: "x",
    rules: [{ filter: { sentiment: "angry", colour: 1 } }],
  });
  expect(wrong.status).toBe(400);
  expect(wrong.body.errors[0].message).toMatch(/^rules\[0\]\.filter\.sentiment: expected one of/);
  expect((await ask("DELETE", `ruletags/${tag.id}`)).status).toBeLessThan(300);
  expect((await ask("DELETE", `rulecategories/${category.id}`)).status).toBeLessThan(300);
});

test("stored records show a new name of a query, a tag or a category at once, and `updated` stays", async () => {
  const query = (await ask("POST", "queries", { name: "Cup", booleanQuery: "tea" })).body;
  const tag = (await ask("POST", "tags", { name: 'hot "new"' })).body;
  const other = (await ask("POST", "tags", { name: "other" })).body;
  const category = (await ask("POST", "categories", { name: "Taste", children: ["Sweet", "Sour"] })).body;
  const [sweet] = category.children;
  fixture.clock.set(fixture.clock.now() + MINUTE);
  const edit = {
    queryId: query.id,
    resourceId: resourceId(2),
    addTag: [tag.name, other.name],
    addCategories: [sweet.id],
  };
  expect((await ask("PATCH", "data/mentions", [edit])).status).toBe(200);
  const shown = async () => {
    const parameters = [
      ["queryId", query.id],
      ["startDate", "2026-03-01"],
      ["endDate", "2026-04-01"],
      ["tag", tag.id],
    ] as const;
    return (await fixture.get(`${project}/data/mentions`, parameters)).body.results[0];
  };
  const before = await shown();
  fixture.clock.set(fixture.clock.now() + MINUTE);
  const names = { query: 'Cup \\ "of" tea', tag: "cold\n\ud83d", parent: "Flavour", child: "Süß" };
  await ask("PUT", `queries/${query.id}`, { name: names.query });
  await ask("PUT", `ruletags/${tag.id}`, { id: tag.id, name: names.tag });
  const children = [{ id: sweet.id, name: names.child }, { name: "Sour" }];
  await ask("PUT", `rulecategories/${category.id}`, { name: names.parent, children });
  expect(await shown()).toEqual({
    ...before,
    queryName: names.query,
    tags: [(await read(`tags/${tag.id}`)).body.name, "other"],
    categoryDetails: [
      { id: String(sweet.id), name: names.child, parentId: String(category.id), parentName: names.parent },
    ],
  });
  for (const path of [
    `queries/${query.id}`,
    `tags/${tag.id}`,
    `tags/${other.id}`,
    `categories/${category.id}`,
  ])
    expect((await ask("DELETE", path)).status).toBe(200);
});
