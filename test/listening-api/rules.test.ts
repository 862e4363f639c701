import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { rss } from "../../src/feeds/kinds/rss.ts";
import { toArrived } from "../../src/feeds/run/to-arrived.ts";
import { HOUR, SECOND } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { receiveItems } from "../../src/listening-api/arrive/receive-items.ts";
import { importMentions } from "../../src/listening-api/import/import-mentions.ts";
import { createStream } from "../../src/listening-api/simulate/create-stream.ts";
import { listChanges } from "../../src/listening-api/store/changes.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { deleteProject } from "../../src/listening-api/store/delete-things.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { insertRule } from "../../src/listening-api/store/rules.ts";
import { noEnrichment } from "../feeds/no-enricher.ts";
import { type Answer, type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "./fixture.ts";
import { send } from "./send.ts";

let fixture: Fixture;
let db: Database;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  folder = await mkdtemp(join(tmpdir(), "earshot-rules-"));
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A project of its own for each test. */
let projectId: number;
let alpha: number;
let beta: number;
let count = 0;
beforeEach(async () => {
  const queries = [{ name: "Alpha" }, { name: "Beta" }];
  const project = { name: `Project ${++count}`, timezone: "Europe/Berlin" };
  const made = await seedAccount(fixture.database.pool, { ...SEED, project, queries });
  projectId = made.projectId;
  alpha = made.queries.get("Alpha") ?? 0;
  beta = made.queries.get("Beta") ?? 0;
});

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

function ask(method: Method, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `bearer ${fixture.token}` };
  return send(fixture.api, {
    method,
    url: `/projects/${projectId}/${path}`,
    ...(body === undefined
      ? { headers }
      : { headers: { ...headers, "content-type": "application/json" }, payload: JSON.stringify(body) }),
  });
}

async function made(path: string, body: object): Promise<Answer["body"]> {
  const answer = await ask("POST", path, body);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  return answer.body;
}

const rule = (name: string, filter: object, ruleAction: object, more: object = {}) =>
  made("rules", { name, filter, ruleAction, ...more });

/** Mentions that were there before. */
async function stored(...snippets: readonly string[]): Promise<void> {
  const versions = snippets.map((snippet, n) =>
    mentionVersion({ queryId: alpha, resourceId: resourceId(n), snippet }, { added: T0 - HOUR + n }),
  );
  await insertMentions(db, versions);
}

async function imported(...lines: readonly object[]): Promise<void> {
  const path = join(folder, "mentions.jsonl");
  const given = lines.map((line, n) =>
    JSON.stringify({ id: `new ${n}`, date: "2026-03-01T08:00:00.000+0000", brand: "Alpha", ...line }),
  );
  await writeFile(path, given.join("\n"));
  await importMentions({ pool: fixture.database.pool, path, projectId });
}

async function mentions(queryId = alpha, ...filters: (readonly [string, string | number])[]) {
  const { body } = await fixture.get(`/projects/${projectId}/data/mentions`, [
    ["queryId", queryId],
    ["startDate", "2026-01-01"],
    ["endDate", "2027-01-01"],
    ["orderBy", "date"],
    ["orderDirection", "asc"],
    ...filters,
  ]);
  return body.results;
}

async function noted(kind: string) {
  return (await listChanges(db, projectId, 100)).filter((change) => change.kind === kind);
}

describe("what a rule does to mentions that enter", () => {
  it.each([
    [
      "addTag",
      async () => ({ addTag: [(await made("tags", { name: "urgent" })).name] }),
      { tags: ["urgent"] },
    ],
    ["sentiment", async () => ({ sentiment: "negative" }), { sentiment: "negative" }],
    ["starred", async () => ({ starred: true }), { starred: true }],
    ["checked", async () => ({ checked: true }), { checked: true }],
    ["status", async () => ({ status: "open" }), { status: "open" }],
    ["priority", async () => ({ priority: "high" }), { priority: "high" }],
    [
      "assignment",
      async () => ({ assignment: "ann@acme.example" }),
      { assignment: "ann@acme.example", lastAssignmentDate: expect.any(String) },
    ],
    ["location", async () => ({ location: "bos1" }), { city: "Boston", countryCode: "USA" }],
    [
      "addCategories",
      async () => ({ addCategories: [(await made("categories", TOPICS)).children[0].id] }),
      { categoryDetails: [{ name: "Price", parentName: "Costs" }] },
    ],
  ])("%s", async (name, action, expected) => {
    await rule(name, { search: "refund" }, await action());
    await imported({ text: "I want a refund" }, { text: "all is well" });
    const [first, second] = await mentions();
    expect(first).toMatchObject(expected);
    for (const [field, value] of Object.entries(expected)) expect(second[field]).not.toEqual(value);
  });

  const TOPICS = { name: "Costs", children: [{ name: "Price" }, { name: "Fees" }] };

  it("also removes, only what is there", async () => {
    await made("ruletags", { name: "spam", rules: [{ filter: { search: "buy" } }] });
    await rule("no spam", { search: "buy NEAR/3 local" }, { removeTag: ["spam"] });
    await rule("done", { search: "buy" }, { removePriority: "low" });
    await imported({ text: "buy my pills" }, { text: "buy local" });
    expect((await mentions()).map(({ tags }: { tags: string[] }) => tags)).toEqual([["spam"], []]);
  });

  it("only in the queries that it names, and not while it is paused", async () => {
    const { id } = await rule("one query", { queryId: [beta], search: "refund" }, { starred: true });
    await rule("paused", { search: "refund" }, { checked: true }, { enabled: false });
    await imported({ text: "refund" }, { text: "refund", brand: "Beta" });
    expect(await mentions(alpha)).toMatchObject([{ starred: false, checked: false }]);
    expect(await mentions(beta)).toMatchObject([{ starred: true, checked: false }]);
    expect((await ask("GET", "rules?getPaused=false")).body.results).toMatchObject([{ id }]);
    expect((await ask("GET", "rules")).body.results).toHaveLength(2);
  });

  it("by any filter, judged together however many there are", async () => {
    await rule("loud", { impactMin: 50 }, { priority: "high" });
    await rule("german", { language: "de", sentiment: ["negative"] }, { status: "open" });
    // As frameworks write lists.
    await rule("happy", { "sentiment[]": ["positive"] }, { starred: true });
    await made("ruletags", { name: "joy", rules: [{ filter: { "sentiment[]": ["positive"] } }] });
    await imported(
      { text: "a", language: "de", sentiment: "negative" },
      { text: "b", language: "en", sentiment: "negative" },
    );
    const found = await mentions();
    expect(found.map((one: { status: string }) => one.status)).toEqual(["open", null]);
    expect(found).toMatchObject([
      { starred: false, tags: [] },
      { starred: false, tags: [] },
    ]);
  });

  it("of the generated stream, too", async () => {
    await rule("all", {}, { status: "open" });
    const stream = createStream({
      pool: fixture.database.pool,
      projectId,
      seed: "rules",
      startAt: T0 - HOUR,
      crises: [],
    });
    const queries = await stream.queries();
    await stream.fillUntil(T0);
    const found = await mentions(queries.get("Parcelwing"));
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map((one: { status: string }) => one.status))).toEqual(new Set(["open"]));
  });

  it("that a query finds when it looks back, if the rule names the query", async () => {
    await stored("milk is sour");
    const { id } = await made("queries", { name: "Milk", booleanQuery: "honey" });
    await rule("named", { queryId: [id] }, { starred: true });
    await rule("any", {}, { checked: true });
    await ask("PUT", `queries/${id}`, { booleanQuery: "milk" });
    expect(await mentions(id)).toMatchObject([{ starred: true, checked: false }]);
  });

  it("of a feed; a text that its author corrects does not undo what people did meanwhile", async () => {
    const { id } = await made("queries", { name: "Milk", booleanQuery: "milk" });
    const label = (name: string, search: string) =>
      made("ruletags", { name, rules: [{ filter: { search } }] });
    await rule("sour", { search: "sour" }, { priority: "high", location: "gb" });
    await rule("recall", { search: "recall" }, { status: "open" });
    await label("dairy", "milk");
    await label("recalled", "recall");
    await received("sour milk", T0);
    expect(await mentions(id)).toMatchObject([{ priority: "high", status: null, tags: ["dairy"] }]);
    const [{ resourceId: post }] = await mentions(id);
    const edit = { queryId: id, resourceId: post, priority: "low", removeTag: ["dairy"] };
    expect((await ask("PATCH", "data/mentions", [edit])).status).toBe(200);
    fixture.clock.set(T0 + HOUR);
    await received("sour milk, a recall is due", T0 + HOUR);
    expect(await mentions(id)).toMatchObject([
      { priority: "low", status: "open", tags: ["recalled"], countryCode: "GBR" },
    ]);
    // Nor does it when it was only seen to be gone, and is back.
    await received("sour milk", T0 + HOUR, { isGone: true });
    expect(await mentions(id)).toMatchObject([]);
    await received("sour milk", T0 + 2 * HOUR);
    expect(await mentions(id)).toMatchObject([
      { priority: "low", status: "open", tags: ["recalled"], countryCode: "GBR" },
    ]);
    fixture.clock.set(T0);
  });
});

/** One post of a feed, with another text each time, or seen to be gone. */
function received(text: string, at: number, { isGone = false } = {}): Promise<unknown> {
  const found = { id: "post", url: "https://blog.example/post", title: null, body: { text } };
  const around = { kind: { ...rss, editedEveryMs: 0 }, fetchedAt: at, keepFrom: 0, enrich: noEnrichment };
  const { item } = toArrived({ ...found, publishedAt: null, author: null }, around);
  const from = { kind: "rss", feedKey: "k", host: "blog.example", policyVersion: 1 };
  const arrived = item === null ? [] : [item];
  const gone = { reason: "it is gone", mayReturn: true };
  const batch = isGone
    ? { arrived: [], deleted: arrived.map((one) => ({ ...one, ...gone })) }
    : { arrived, deleted: [] };
  const project = { id: projectId, timezone: "Etc/UTC" };
  const arriving = { at, cache: new Map(), queue: async () => {} };
  return db.transaction().execute((own) => receiveItems(own, project, from, batch, arriving));
}

describe("several rules", () => {
  it("act in the order in which they were made: of two that set one field the younger one decides", async () => {
    await rule("first", { search: "refund" }, { sentiment: "negative", priority: "low" });
    await rule("second", { search: "refund" }, { sentiment: "positive" });
    await imported({ text: "refund" });
    expect(await mentions()).toMatchObject([{ sentiment: "positive", priority: "low" }]);
  });

  it("never call each other: two that undo each other end, each judged by what was there before", async () => {
    const [hot, cold] = [await made("tags", { name: "hot" }), await made("tags", { name: "cold" })];
    const toCold = await rule("to cold", { tag: [hot.id] }, { addTag: ["cold"], removeTag: ["hot"] });
    await rule("to hot", { tag: [cold.id] }, { addTag: ["hot"], removeTag: ["cold"] });
    await made("ruletags", { name: "seen", rules: [{ filter: { search: "tea" } }] });
    const seen = (await ask("GET", "tags")).body.results.find((one: { name: string }) => one.name === "seen");
    await rule("seen to hot", { tag: [seen.id] }, { addTag: ["hot"] });
    await imported({ text: "tea" });
    // The rule of the tag labels first; what "seen to hot" adds is judged by no rule any more.
    expect((await mentions())[0].tags).toEqual(["seen", "hot"]);
    for (const tags of [
      ["seen", "cold"],
      ["seen", "cold"],
    ]) {
      await ask("POST", `bulkactions/rule/${toCold.id}`);
      expect((await mentions())[0].tags).toEqual(tags);
    }
  });

  it("give a mention one subcategory of a category that has `multiple: false`, the first", async () => {
    const children = [{ name: "Low" }, { name: "High" }];
    const { children: made_ } = await made("categories", { name: "Level", multiple: false, children });
    const [low, high] = made_.map(({ id }: { id: number }) => id);
    await rule("low", {}, { addCategories: [low] });
    const second = await rule("high", {}, { addCategories: [high] });
    await imported({ text: "x" });
    expect(await mentions()).toMatchObject([{ categories: [low] }]);
    expect((await ask("POST", `rules/${second.id}/backfill`)).body).toMatchObject({
      mentionsFound: 1,
      mentionsChanged: 0,
    });
    const both = await ask("POST", "rules", { name: "both", ruleAction: { addCategories: [low, high] } });
    expect(both).toMatchObject({ status: 400 });
    expect(both.body.errors[0].message).toMatch(/^ruleAction\.addCategories: .* exclude each other\.$/);
  });

  it("a thousand of them are listed, and judge a batch of mentions in a few statements", async () => {
    const settings = Array.from({ length: 1_000 }, (_, n) => ({
      ...{ name: `rule ${n}`, enabled: true, queryIds: null },
      filter: n % 2 === 0 ? { search: `word${n}` } : { search: `word${n}`, language: "de" },
      action: { priority: "high" },
    }));
    await db.transaction().execute(async (own) => {
      for (const one of settings) await insertRule(own, projectId, one, { username: "x", at: T0 });
    });
    expect((await ask("GET", "rules")).body.resultsTotal).toBe(1_000);
    const lines = Array.from({ length: 400 }, (_, n) => ({ text: `a word${n}`, language: "en" }));
    await imported(...lines);
    const high = await mentions(alpha, ["priority", "high"], ["pageSize", 1_000]);
    expect(high).toHaveLength(200);
  });
});

describe("stored mentions", () => {
  const TEXTS = ["a refund", "no refund", "nothing"];

  it("are changed only when somebody asks, and `updated` moves for those that changed", async () => {
    await stored(...TEXTS);
    const { id } = await rule("refunds", { search: "refund" }, { starred: true });
    expect((await mentions()).filter((one: { starred: boolean }) => one.starred)).toEqual([]);
    const before = await mentions();
    fixture.clock.set(T0 + SECOND);
    const done = await ask("POST", `bulkactions/rule/${id}`);
    expect(done).toMatchObject({
      status: 200,
      body: { id, name: "refunds", status: "finished", mentionsFound: 2, mentionsChanged: 2 },
    });
    const after = await mentions();
    expect(after.map((one: { starred: boolean }) => one.starred)).toEqual([true, true, false]);
    const moved = (n: number) => before[n].updated !== after[n].updated;
    expect([moved(0), moved(1), moved(2)]).toEqual([true, true, false]);
    // As programs send it that have one content type for all of their calls.
    const url = `/projects/${projectId}/bulkactions/rule/${id}`;
    const headers = { authorization: `bearer ${fixture.token}`, "content-type": "application/json" };
    expect((await send(fixture.api, { method: "POST", url, headers })).status).toBe(200);
    fixture.clock.set(T0 + 2 * SECOND);
    expect((await ask("POST", `rules/${id}/backfill`)).body).toMatchObject({
      mentionsFound: 2,
      mentionsChanged: 0,
    });
    expect(await mentions()).toEqual(after);
    fixture.clock.set(T0);
    expect((await noted("rule")).map(({ action }) => action)).toEqual([
      ...["update", "update", "update"],
      "create",
    ]);
  });

  it("from a date on, in the queries that the rule names", async () => {
    await stored(...TEXTS);
    await insertMentions(db, [
      mentionVersion({ queryId: beta, resourceId: resourceId(9), snippet: "refund" }, { added: T0 - HOUR }),
    ]);
    const { id } = await rule("refunds", { queryId: [alpha], search: "refund" }, { starred: true });
    const from = encodeURIComponent("2026-03-03T11:00:00.001Z");
    expect((await ask("POST", `bulkactions/rule/${id}?earliest=${from}`)).body).toMatchObject({
      mentionsFound: 1,
    });
    expect(await mentions(beta)).toMatchObject([{ starred: false }]);
    expect((await ask("POST", `bulkactions/rule/${id}?earliest=soon`)).status).toBe(400);
    expect((await ask("POST", "bulkactions/rule/1")).status).toBe(404);
  });

  it("are looked at in batches, each mention once, while others write", async () => {
    const versions = Array.from({ length: 2_500 }, (_, n) =>
      mentionVersion({ queryId: alpha, resourceId: resourceId(n), snippet: "refund" }, { added: T0 - HOUR }),
    );
    await insertMentions(db, versions);
    const { id } = await rule("refunds", { search: "refund" }, { starred: true });
    const [done, edit] = await Promise.all([
      ask("POST", `bulkactions/rule/${id}`),
      ask("PATCH", "data/mentions", [{ queryId: alpha, resourceId: resourceId(2_400), checked: true }]),
    ]);
    expect(edit.status).toBe(200);
    expect(done.body).toMatchObject({ mentionsFound: 2_500, mentionsChanged: 2_500 });
    expect(await mentions(alpha, ["checked", "true"])).toMatchObject([{ starred: true }]);
  });

  it("get the labels of a tag or a category once more", async () => {
    const tag = await made("ruletags", { name: "refund", rules: [{ filter: { search: "refund" } }] });
    const children = [{ name: "None", rules: [{ filter: { search: "no" } }] }];
    const category = await made("rulecategories", { name: "Kinds", children });
    // As a mention is that an older release stored.
    await stored(...TEXTS);
    expect((await ask("POST", `bulkactions/ruletags/${tag.id}`)).body).toMatchObject({ mentionsChanged: 2 });
    for (const id of [category.id, category.children[0].id])
      expect((await ask("POST", `bulkactions/rulecategories/${id}`)).body).toMatchObject({
        mentionsFound: 1,
      });
    expect(await mentions(alpha, ["tag", tag.id])).toHaveLength(2);
    expect(await mentions(alpha, ["category", category.id])).toHaveLength(1);
  });
});

describe("the documented backfill of a category", () => {
  it("acts from a date on, answers with a finished job for each subcategory with rules, and is listed", async () => {
    const rules = [{ filter: { search: "refund" } }];
    const children = [{ name: "Refunds", rules }, { name: "Plain" }, { name: "Again", rules }];
    const category = await made("rulecategories", { name: "Kinds", children });
    await made("rulecategories", { name: "Not asked", children });
    await stored("a refund please", "thank you");
    const jobs = "rulebackfill/rulecategories";
    const later = await ask("POST", `${jobs}/${category.id}?startDate=2027-01-01`);
    const [refunds, , again] = category.children.map(({ id }: { id: number }) => id);
    const status = "FINISHED";
    expect(later.body).toMatchObject([
      { ruleId: refunds, status },
      { ruleId: again, status },
    ]);
    expect(await mentions(alpha, ["category", category.id])).toHaveLength(0);
    const one = await ask("POST", `${jobs}/${again}?startDate=2026-01-01`);
    expect(one.body).toMatchObject([{ ruleId: again, status }]);
    expect(await mentions(alpha, ["category", category.id])).toHaveLength(1);
    const listed = { categoryId: category.id, status: "finished", type: "category" };
    expect((await ask("GET", jobs)).body).toMatchObject({ resultsTotal: 1, results: [listed] });
    expect((await ask("GET", `${jobs}?sinceDate=2100-01-01`)).body.results).toEqual([]);
    expect((await ask("POST", `${jobs}/1`)).status).toBe(404);
  });
});

test("rules are listed by what they search, by whether they act, and in both directions", async () => {
  await rule("one", { search: "Refund OR broken" }, { starred: true });
  await rule("two", { search: "price" }, { starred: true });
  await made("rules", { name: "three", filter: {}, ruleAction: { starred: true }, enabled: false });
  const names = async (asked: string) =>
    (await ask("GET", `rules?${asked}`)).body.results.map(({ name }: { name: string }) => name);
  expect(await names("ruleContains=refund")).toEqual(["one"]);
  expect(await names("enabled=false")).toEqual(["three"]);
  expect(await names("enabled=true&orderDirection=desc")).toEqual(["two", "one"]);
});

describe("what a rule names and is deleted", () => {
  it("a tag: it is gone from the rule, which goes when nothing is left for it to do", async () => {
    const [one, two] = [await made("tags", { name: "one" }), await made("tags", { name: "two" })];
    await rule("only", {}, { addTag: ["one"] });
    await rule("both", {}, { addTag: ["one", "two"] });
    const signals = await made("signals/groups", {
      ...{ name: "S", queryIds: [alpha], includeTagIds: [one.id, two.id], subscribers: [] },
    });
    const others = await made("signals/groups", {
      ...{ name: "T", queryIds: [alpha], excludeTagIds: [one.id, two.id], subscribers: [] },
    });
    await ask("DELETE", `tags/${one.id}`);
    const { results } = (await ask("GET", "rules")).body;
    expect(results).toMatchObject([{ name: "both", ruleAction: { addTag: ["two"] } }]);
    expect((await ask("GET", `signals/groups/${signals.id}`)).body.includeTagIds).toEqual([two.id]);
    expect((await ask("GET", `signals/groups/${others.id}`)).body.excludeTagIds).toEqual([two.id]);
    expect((await noted("rule")).slice(0, 2).map(({ action }) => action)).toEqual(["update", "delete"]);
    await imported({ text: "x" });
    expect((await mentions())[0].tags).toEqual(["two"]);
  });

  it("a query: a rule never becomes one of the whole project", async () => {
    await rule("one", { queryId: [beta] }, { starred: true });
    await rule("two", { queryId: [alpha, beta] }, { starred: true });
    await made("signals/groups", { name: "S", queryIds: [beta], subscribers: [] });
    await ask("DELETE", `queries/${beta}`);
    expect((await ask("GET", "rules")).body.results).toMatchObject([
      { name: "two", scope: "query", filter: { queryId: [alpha] } },
    ]);
    expect((await ask("GET", "signals/groups")).body.results).toEqual([]);
  });

  it("a subcategory, by itself and with its category", async () => {
    const category = await made("categories", { name: "C", children: [{ name: "a" }, { name: "b" }] });
    const [a, b] = category.children.map(({ id }: { id: number }) => id);
    await rule("both", {}, { addCategories: [a, b] });
    await ask("PUT", `categories/${category.id}`, { children: [{ id: b, name: "b" }] });
    expect((await ask("GET", "rules")).body.results[0].ruleAction).toEqual({ addCategories: [b] });
    await ask("DELETE", `categories/${category.id}`);
    expect((await ask("GET", "rules")).body.results).toEqual([]);
  });

  it("the project: its rules and signals go with it", async () => {
    await rule("one", { queryId: [beta] }, { starred: true });
    await made("signals/groups", { name: "S", queryIds: [beta], subscribers: [] });
    await made(`queries/${beta}/date-range`, { name: "D", startDate: "2026-01-01", endDate: "2026-02-01" });
    await db.transaction().execute((own) => deleteProject(own, projectId));
    expect((await ask("GET", "rules")).status).toBe(404);
  });
});

describe("what is wrong about a rule is told by name", () => {
  it.each<[object, RegExp]>([
    [{}, /^ruleAction: required/m],
    [{ ruleAction: {} }, /^ruleAction: expected something to do/m],
    [{ ruleAction: { sentiment: "sad" } }, /^ruleAction\.sentiment: expected one of/m],
    [{ ruleAction: { addTag: ["none such"] } }, /^ruleAction\.addTag: the project has no tag "none such"/m],
    [{ ruleAction: { addCategories: [7] } }, /^ruleAction\.addCategories: the project has no subcategory 7/m],
    [{ ruleAction: { assignment: "nobody" } }, /^ruleAction\.assignment: "nobody" is no user/m],
    [{ ruleAction: { impact: 7 } }, /^ruleAction\."impact" is not a field of a rule action/m],
    [{ ruleAction: "star" }, /^ruleAction: required, an object/m],
    [{ filter: { search: "(a" } }, /^filter\.search: at character 1/m],
    [{ filter: { sentiment: "sad" } }, /^filter\.sentiment: expected one of/m],
    [{ filter: { colour: "red" } }, /^filter\."colour" is not a parameter/m],
    [{ filter: { queryId: [7] } }, /^filter\.queryId: 7 is no query of this project/m],
    [{ filter: [] }, /^filter: expected an object/m],
    [{ scope: "query" }, /^scope: a rule of the scope query names its queries/m],
    [{ scope: "world" }, /^scope: expected one of project, query/m],
    [{ queryName: "None" }, /^queryName: the project has no query "None"/m],
    [{ enabled: "maybe" }, /^enabled: expected true or false/m],
  ])("%j", async (wrong, message) => {
    const { status, body } = await ask("POST", "rules", { name: "wrong", ...wrong });
    expect(status).toBe(400);
    expect(body.errors.map((one: { message: string }) => one.message).join("\n")).toMatch(message);
    expect((await ask("GET", "rules")).body.results).toEqual([]);
  });

  it("a query that is named by something else than its id", async () => {
    const names = [[alpha], `0x${alpha.toString(16)}`, `${alpha}.0`, ` ${alpha}`];
    const { body } = await ask("POST", "rules", {
      ...{ name: "wrong", filter: { queryId: names }, ruleAction: { starred: true } },
    });
    expect(body.errors).toHaveLength(names.length);
    const { id } = await rule("as text", { queryId: `${alpha}` }, { starred: true });
    expect((await ask("GET", `rules/${id}`)).body.filter.queryId).toEqual([alpha]);
  });

  it.each<[object, RegExp]>([
    [{ queryIds: [7] }, /^queryIds: 7 is no query/m],
    [{ queryIds: [] }, /^queryIds: required/m],
    [
      { subscribers: [{ emailAddress: "no one", notificationThreshold: 1 }] },
      /emailAddress: expected an address/m,
    ],
    [{ subscribers: [{ emailAddress: "a@b.example", notificationThreshold: 4 }] }, /expected 1 \(all\)/m],
    [{ subscribers: "me" }, /^subscribers: expected an array/m],
    [{ includeTagIds: [7] }, /^includeTagIds: 7 is no tag/m],
    [{ excludeCategoryIds: [7] }, /^excludeCategoryIds: 7 is no category/m],
  ])("of a signal group: %j", async (wrong, message) => {
    const good = { name: "S", queryIds: [alpha], subscribers: [] };
    const { status, body } = await ask("POST", "signals/groups", { ...good, ...wrong });
    expect(status).toBe(400);
    expect(body.errors.map((one: { message: string }) => one.message).join("\n")).toMatch(message);
  });
});

test("a rule reads as documented, and a program may send back what it read", async () => {
  await made("tags", { name: "urgent" });
  const before = await rule(
    "Urgent",
    { queryId: [alpha, beta], search: "refund", sentiment: ["negative"], projectId, xtag: null },
    { addTag: ["urgent"], priority: null },
    { scope: "query", projectId },
  );
  expect(before).toEqual({
    id: expect.any(Number),
    projectId,
    name: "Urgent",
    filter: { queryId: [alpha, beta], search: "refund", sentiment: ["negative"] },
    scope: "query",
    enabled: true,
    ruleAction: { addTag: ["urgent"] },
    queryName: "Alpha",
    projectName: `Project ${count}`,
    categoryId: null,
    queryIds: null,
    queries: [
      { id: alpha, name: "Alpha", sharedWithProjectIds: [] },
      { id: beta, name: "Beta", sharedWithProjectIds: [] },
    ],
    creationDate: "2026-03-03T12:00:00.000+0000",
    lastUpdated: "2026-03-03T12:00:00.000+0000",
    creator: "ann@acme.example",
    modifier: "ann@acme.example",
  });
  expect((await ask("PUT", `rules/${before.id}`, before)).body).toEqual(before);
  // A part of it: the rest stays.
  expect((await ask("PATCH", `rules/${before.id}`, { enabled: false })).body).toEqual({
    ...before,
    enabled: false,
  });
  const whole = await ask("PUT", `rules/${before.id}`, { filter: {} });
  expect(whole.body).toMatchObject({ scope: "project", filter: { queryId: null }, queryName: null });
  // Older programs name the query.
  const named = await rule("Named", {}, { starred: true }, { queryName: "Beta" });
  expect(named.filter.queryId).toEqual([beta]);
});

test("names of strangers are kept as they are, in rules and in what they name", async () => {
  const names = ["__proto__", "' or 1=1 --", "\u202eevil\u001b[2J", "😀 café", "a".repeat(255), "<script>"];
  for (const name of names) {
    await made("tags", { name });
    const { id } = await rule(name, { search: "refund" }, { addTag: [name] });
    expect((await ask("GET", `rules/${id}`)).body).toMatchObject({ name, ruleAction: { addTag: [name] } });
  }
  await imported({ text: "refund" });
  expect((await mentions())[0].tags).toEqual(names);
  const nul = await ask("POST", "rules", { name: "a\u0000", ruleAction: { starred: true } });
  expect(nul.status).toBe(400);
});
