import { afterAll, beforeEach, expect, test } from "vitest";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";
import { send } from "./send.ts";

const fixture: Fixture = await startFixture();
afterAll(() => fixture.stop());
const project = `/projects/${fixture.account.projectId}`;
const queryId = fixture.account.queries.get("Alpha") ?? 0;
let count = 0;
let id = "";

/** A new mention for each test. */
beforeEach(async () => {
  id = resourceId(++count);
  const version = mentionVersion({ queryId, resourceId: id, snippet: `milk ${count}` }, { added: T0 - 1 });
  await insertMentions(createDatabase(fixture.database.pool), [version]);
});

function ask(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown) {
  const headers = { authorization: `bearer ${fixture.token}` };
  const sent = { headers: { ...headers, "content-type": "application/json" }, payload: JSON.stringify(body) };
  return send(fixture.api, {
    method,
    url: `${project}/${path}`,
    ...(body === undefined ? { headers } : sent),
  });
}

const edit = (changes: object) => ask("PATCH", "data/mentions", [{ queryId, resourceId: id, ...changes }]);

async function shown(filters: readonly (readonly [string, string | number])[] = []) {
  const { body } = await fixture.get(`${project}/data/mentions`, [
    ["queryId", queryId],
    ["startDate", "2026-01-01"],
    ["endDate", "2027-01-01"],
    ...filters,
  ]);
  return body.results.filter((one: { resourceId: string }) => one.resourceId === id);
}

test("flags are taken as text, too", async () => {
  expect((await edit({ checked: "true", starred: "False" })).status).toBe(200);
  expect((await shown())[0]).toMatchObject({ checked: true, starred: false });
  expect((await edit({ checked: "maybe" })).status).toBe(400);
});

test("a tag that is deleted leaves the records and what its filter finds", async () => {
  const [gone, stays] = [
    (await ask("POST", "tags", { name: "gone" })).body,
    await ask("POST", "tags", { name: "stays" }),
  ];
  await edit({ addTag: ["gone", "stays"] });
  expect(await shown([["tag", gone.id]])).toHaveLength(1);
  await ask("DELETE", `tags/${gone.id}`);
  expect((await shown())[0].tags).toEqual(["stays"]);
  expect(await shown([["tag", gone.id]])).toEqual([]);
  expect(await shown([["tag", (stays.body as { id: number }).id]])).toHaveLength(1);
  const again = (await ask("POST", "tags", { name: "gone" })).body;
  expect(await shown([["tag", again.id]])).toEqual([]);
});

test("a tag that a person took off stays off when the tag gets another name, or another rule", async () => {
  const rule = (search: string) => ({ filter: { search } });
  const rules = [rule(`milk AND ${count}`)];
  const { body: tag } = await ask("POST", "ruletags", { name: `Milk ${count}`, rules });
  expect((await shown())[0].tags).toEqual([tag.name]);
  await edit({ removeTag: [tag.name] });
  await ask("PATCH", `ruletags/${tag.id}`, { name: `Dairy ${count}` });
  await ask("PATCH", `ruletags/${tag.id}`, { rules: [...rules, rule("cheese")] });
  expect((await shown())[0].tags).toEqual([]);
  await ask("PATCH", `ruletags/${tag.id}`, { rules: [...rules, rule(`milk OR ${count}`)] });
  expect((await shown())[0].tags).toEqual([`Dairy ${count}`]);
});

test("of a category without `multiple` a mention has one subcategory", async () => {
  const children = ["Low", "High"].map((name) => ({
    name,
    rules: [{ filter: { search: `milk AND ${count}` } }],
  }));
  const { body } = await ask("POST", "rulecategories", { name: `Price ${count}`, multiple: false, children });
  const [low, high] = body.children as { id: number }[];
  const named = (await shown())[0].categoryDetails.map(({ name }: { name: string }) => name);
  expect(named).toEqual(["Low"]);
  expect((await edit({ addCategories: [high?.id] })).status).toBe(200);
  expect((await shown())[0]).toMatchObject({ categories: [high?.id], categoryDetails: [{ name: "High" }] });
  expect((await edit({ addCategories: [low?.id, high?.id] })).status).toBe(400);
  // A rule takes the place of nothing that is there.
  await ask("PUT", `rulecategories/${body.id}`, { children });
  expect((await shown())[0].categories).toEqual([high?.id]);
});

test("of another category a rule gives all, but none that a person took out", async () => {
  const children = ["Taste", "Smell"].map((name) => ({
    name,
    rules: [{ filter: { search: `milk AND ${count}` } }],
  }));
  const { body } = await ask("POST", "rulecategories", { name: `Senses ${count}`, children });
  const [taste, smell] = body.children as { id: number }[];
  expect((await shown())[0].categories).toEqual([taste?.id, smell?.id]);
  await edit({ removeCategories: [taste?.id] });
  await ask("PUT", `rulecategories/${body.id}`, { children });
  expect((await shown())[0].categories).toEqual([smell?.id]);
});

test("several edits of one mention in a call are made one after the other", async () => {
  const children = ["Red", "Blue"].map((name) => ({
    name,
    rules: [{ filter: { search: `milk AND ${count}` } }],
  }));
  const { body } = await ask("POST", "rulecategories", { name: `Colours ${count}`, children });
  const [red, blue] = body.children as { id: number }[];
  const mention = { queryId, resourceId: id };
  const { status } = await ask("PATCH", "data/mentions", [
    { ...mention, status: "open", removeCategories: [red?.id] },
    { ...mention, removeStatus: "open", removeCategories: [blue?.id] },
  ]);
  expect(status).toBe(200);
  expect((await shown())[0]).toMatchObject({ status: null, categories: [] });
  // A person took it out of both, which no rule undoes.
  await ask("PUT", `rulecategories/${body.id}`, { children });
  expect((await shown())[0].categories).toEqual([]);
});

test("subcategories may take each other's names, and a new one the name that another gives up", async () => {
  const { body: made } = await ask("POST", "categories", { name: "Sizes", children: ["Small", "Large"] });
  const [small, large] = made.children;
  const put = (children: readonly object[]) =>
    ask("PUT", `categories/${made.id}`, { name: "Sizes", children });
  await edit({ addCategories: [small.id] });
  const swapped = await put([
    { id: small.id, name: "Large" },
    { id: large.id, name: "Small" },
  ]);
  expect(swapped.status).toBe(200);
  expect((await shown())[0].categoryDetails).toMatchObject([{ id: String(small.id), name: "Large" }]);
  const { body: grown } = await put([
    { name: "Small" },
    { id: large.id, name: "Medium" },
    { id: small.id, name: "Large" },
  ]);
  expect(grown.children.map(({ name }: { name: string }) => name)).toEqual(["Small", "Medium", "Large"]);
  expect(grown.children.slice(1)).toMatchObject([{ id: large.id }, { id: small.id }]);
  const twice = await put(["Small", "Large"].map((name) => ({ id: small.id, name })));
  expect(twice.status).toBe(400);
  expect(twice.body.errors[0].message).toBe(`children[1].id: ${small.id} is there twice.`);
});
