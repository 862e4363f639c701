import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY } from "../../src/lib/instant.ts";
import { deleteNamed } from "../../src/listening-api/account/edit-named.ts";
import { readForgotten, rememberForgotten } from "../../src/listening-api/arrive/forget-requests.ts";
import { tombstoneMentions } from "../../src/listening-api/arrive/tombstone-mentions.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";
import { send } from "./send.ts";

const LIVE = 4;
const DELETED = [5, 6].map(resourceId);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  const { account, database, clock } = fixture;
  const [queryId = 0] = account.queries.values();
  const db = createDatabase(database.pool);
  const at = T0 + 2 * DAY;
  const fields = { pageType: "twitter", gender: "female", author: "ann", sentiment: "negative" };
  const versions = [1, 2, 3, 4, 5, 6].map((n) =>
    mentionVersion(
      { queryId, resourceId: resourceId(n), ...fields, snippet: "hot water" },
      { added: T0 + n * 1_000 },
    ),
  );
  await insertMentions(db, versions);
  await db
    .transaction()
    .execute((own) => tombstoneMentions(own, account.projectId, DELETED, { at, reason: "asked to" }));
  clock.set(at + DAY);
});
afterAll(() => fixture.stop());

function call(path: string, parameters: readonly (readonly [string, string | number])[] = []) {
  const [queryId = 0] = fixture.account.queries.values();
  return fixture.get(`/projects/${fixture.account.projectId}/data/${path}`, [
    ["queryId", queryId],
    ["startDate", wireTime(T0 - DAY)],
    ["endDate", wireTime(T0 + 7 * DAY)],
    ...parameters,
  ]);
}

const volumes = (body: { results: { values?: { value: number }[]; volume?: number }[] }) =>
  body.results.flatMap((one) => one.values?.map(({ value }) => value) ?? [one.volume ?? 0]);
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

test.each([
  "volume/queries/days",
  "volume/pageTypes/days",
  "volume/sentiment/days",
  "demographics/gender",
  "volume/hourOfDay/dayOfWeek",
])("%s does not count deleted mentions", async (path) => {
  expect(sum(volumes((await call(path)).body))).toBe(LIVE);
});

test("no count has deleted mentions, and no plain walk shows them", async () => {
  expect((await call("mentions/count")).body).toEqual({ mentionsCount: LIVE });
  for (const orderBy of ["date", "impact", "author"]) {
    const { body } = await call("mentions", [["orderBy", orderBy]]);
    expect([orderBy, body.resultsTotal, body.results.length]).toEqual([orderBy, LIVE, LIVE]);
  }
  const found = await call("mentions", [["search", "water NOT cats"]]);
  expect(found.body.resultsTotal).toBe(LIVE);
});

test("a walk that follows what comes or changes shows deletions, and its total counts what it shows", async () => {
  const asked: readonly (readonly [string, string | number])[][] = [
    [["orderBy", "updated"]],
    [["orderBy", "added"]],
    [["sinceUpdated", wireTime(T0 - DAY)]],
  ];
  for (const parameters of asked) {
    const { body } = await call("mentions", parameters);
    const types = body.results.map((one: { resourceType: string }) => one.resourceType);
    expect(types.filter((type: string) => type === "deleted")).toHaveLength(DELETED.length);
    expect(body.resultsTotal).toBe(LIVE + DELETED.length);
  }
});

test("a mention that is deleted again keeps the moment of its deletion, so that no program reads it again", async () => {
  const deleted = async () => {
    const { body } = await call("mentions", [["orderBy", "updated"]]);
    return body.results.filter((one: { resourceType: string }) => one.resourceType === "deleted");
  };
  const before = await deleted();
  const { account, database } = fixture;
  const at = T0 + 2 * DAY + 60_000;
  await createDatabase(database.pool)
    .transaction()
    .execute((own) => tombstoneMentions(own, account.projectId, DELETED, { at, reason: "asked to again" }));
  expect(before).toHaveLength(DELETED.length);
  expect(await deleted()).toEqual(before);
});

test("`updated` of a deleted mention moves forward, also where the clock is behind the mention", async () => {
  const { account, database } = fixture;
  const [, queryId = 0] = account.queries.values();
  const db = createDatabase(database.pool);
  const [id, ahead] = [resourceId(7), T0 + 2 * DAY];
  const mention = mentionVersion({ queryId, resourceId: id }, { added: T0, updated: ahead, visibleAt: T0 });
  await insertMentions(db, [mention]);
  const how = { at: T0 + DAY, reason: "asked to" };
  await db.transaction().execute((own) => tombstoneMentions(own, account.projectId, [id], how));
  const { body } = await fixture.get(`/projects/${account.projectId}/data/mentions`, [
    ["queryId", queryId],
    ["startDate", wireTime(T0 - DAY)],
    ["endDate", wireTime(T0 + 7 * DAY)],
    ["orderBy", "updated"],
  ]);
  const deleted = body.results.find((one: { resourceId: string }) => one.resourceId === id);
  expect(deleted).toMatchObject({ resourceType: "deleted", updated: wireTime(ahead + 1) });
});

test("a mention that an operator deletes leaves such a record, too, in one query or in all", async () => {
  const { account, database } = fixture;
  const db = createDatabase(database.pool);
  const queryIds = [...account.queries.values()];
  const ids = [8, 9].map(resourceId);
  const versions = ids.flatMap((id) =>
    queryIds.map((queryId) => mentionVersion({ queryId, resourceId: id, author: "ann" }, { added: T0 })),
  );
  await insertMentions(db, versions);
  const now = () => T0 + 3 * DAY;
  expect(await deleteNamed(db, { resourceIds: ids.slice(0, 1) }, now)).toBe(2);
  expect(await deleteNamed(db, { query: "Alpha", resourceIds: ids }, now)).toBe(1);
  await expect(deleteNamed(db, { query: "Alpha", resourceIds: ids }, now)).rejects.toThrow(/no such mention/);
  const path = `/projects/${account.projectId}/data/mentions`;
  const seen = await Promise.all(
    queryIds.map(async (queryId) => {
      const { body } = await fixture.get(path, [
        ["queryId", queryId],
        ["startDate", wireTime(T0 - DAY)],
        ["endDate", wireTime(T0 + 7 * DAY)],
        ["sinceUpdated", wireTime(T0 - DAY)],
      ]);
      const own = body.results.filter((one: { resourceId: string }) => ids.includes(one.resourceId));
      return own.map((one: { resourceType: string; author: string }) => [one.resourceType, one.author]);
    }),
  );
  const gone = ["deleted", null];
  expect(seen).toEqual([
    [gone, gone],
    expect.arrayContaining([gone, [expect.not.stringMatching("deleted"), "ann"]]),
  ]);
});

test("nobody finds, edits or explains what is left of a deleted mention", async () => {
  const { account, api, token } = fixture;
  const [queryId = 0] = account.queries.values();
  const [id = ""] = DELETED;
  const project = `/projects/${account.projectId}`;
  const found = await fixture.get(`${project}/query/${queryId}/mentionfind`, [["resourceId", id]]);
  expect(found.status).toBe(404);
  expect((await fixture.get(`${project}/queries/${queryId}/mentions/${id}`)).status).toBe(404);
  const edited = await send(api, {
    method: "PATCH",
    url: `${project}/data/mentions`,
    headers: { authorization: `bearer ${token}`, "content-type": "application/json" },
    payload: JSON.stringify({ queryId, resourceId: id, sentiment: "positive" }),
  });
  expect(edited.status).toBe(400);
  expect(edited.body.errors[0].message).toMatch(/^resourceId: query \d+ has no mention/);
  const explained = await fixture.get(`${project}/queries/explain`, [["resourceId", id]]);
  expect(explained.body).toMatchObject({ known: false, resourceId: null });
});

test("a query that looks back does not find what is left of deleted mentions", async () => {
  const { api, account, token } = fixture;
  const answer = await api.app.inject({
    method: "POST",
    url: `/projects/${account.projectId}/queries`,
    headers: { authorization: `bearer ${token}`, "content-type": "application/json" },
    payload: JSON.stringify({ name: "Not cats", booleanQuery: "water NOT cats" }),
  });
  expect(answer.statusCode).toBe(201);
  const { id } = answer.json() as { id: number };
  const path = `/projects/${account.projectId}/data/mentions`;
  const { body } = await fixture.get(path, [
    ["queryId", id],
    ["startDate", wireTime(T0 - DAY)],
    ["endDate", wireTime(T0 + 7 * DAY)],
    ["orderBy", "updated"],
  ]);
  expect(body.resultsTotal).toBe(LIVE);
});

test("who asked to be forgotten is known with and without the sign of a handle, up to that moment", async () => {
  const db = createDatabase(fixture.database.pool);
  await rememberForgotten(db, { what: "author", value: "ann", source: null }, T0);
  await rememberForgotten(db, { what: "author", value: "bo", source: "forum.example" }, T0);
  await rememberForgotten(db, { what: "url", value: "https://a.example/1", source: null }, T0);
  const isForgotten = await readForgotten(db);
  const plain = {
    author: null,
    fullname: null,
    url: null,
    originalUrl: null,
    domain: "blog.example",
    pageType: "blog",
  };
  const is = (more: object, date = T0) => isForgotten?.({ ...plain, ...more }, date);
  expect([is({ author: "ann" }), is({ author: "@ann" }), is({ fullname: "ann" })]).toEqual([
    true,
    true,
    true,
  ]);
  expect([is({ author: "anna" }), is({ author: "ann" }, T0 + 1)]).toEqual([false, false]);
  expect([is({ url: "https://a.example/1" }), is({ originalUrl: "https://a.example/1" })]).toEqual([
    true,
    true,
  ]);
  expect([is({ author: "@bo", domain: "forum.example" }), is({ author: "bo" })]).toEqual([true, false]);
});
