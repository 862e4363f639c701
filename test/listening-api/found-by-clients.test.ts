import { afterAll, beforeAll, expect, it, test } from "vitest";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { editMention } from "../../src/listening-api/edit/edit-mention.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { readQueryVolumes } from "../../src/listening-api/store/queries.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";

let fixture: Fixture;
let db: Database;
let queryId: number;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  queryId = fixture.account.queries.get("Alpha") ?? 0;
  await insertMentions(db, [
    mentionVersion(
      {
        queryId,
        resourceId: resourceId(1),
        twitterVerified: false,
        snippet: "so good 😀 :-)",
        pageType: "twitter",
      },
      { added: T0 - MINUTE },
    ),
    mentionVersion(
      { queryId, resourceId: resourceId(2), twitterVerified: true, snippet: "so so 😀" },
      { added: T0 - 2 * MINUTE },
    ),
    mentionVersion({ queryId, resourceId: resourceId(3), snippet: "later" }, { added: T0 + HOUR }),
  ]);
});
afterAll(() => fixture.stop());

const range = () =>
  [
    ["queryId", queryId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
  ] as const;

async function found(...parameters: readonly (readonly [string, string | number])[]): Promise<string[]> {
  const path = `/projects/${fixture.account.projectId}/data/mentions`;
  const { body } = await fixture.get(path, [...range(), ...parameters]);
  return body.results.map((mention: { resourceId: string }) => mention.resourceId).sort();
}

it("a search finds a flag that is false, and one that is true", async () => {
  expect(await found(["search", "authorVerified:false"])).toEqual([resourceId(1)]);
  expect(await found(["search", "authorVerified:true"])).toEqual([resourceId(2)]);
  expect(await found(["search", "good NOT authorVerified:false"])).toEqual([]);
});

it("what the breakdown of emoticons lists is found by insightsEmoticon", async () => {
  const path = `/projects/${fixture.account.projectId}/data/emoticons`;
  const { results } = (await fixture.get(path, range())).body;
  expect(results.map((item: { name: string }) => item.name).sort()).toEqual([":-)", "😀"]);
  for (const { name, volume } of results)
    expect(await found(["insightsEmoticon", name])).toHaveLength(volume);
  expect(await found(["xinsightsEmoticon", "😀"])).toEqual([]);
});

test("queries are counted with the mentions that the service shows", async () => {
  expect((await readQueryVolumes(db, [queryId], T0)).get(queryId)).toBe(2);
});

it("an edit leaves a flag that is false as it is", async () => {
  const none = { addCategories: [], removeCategories: [], addTags: [], removeTags: [], fields: {} };
  await editMention(
    db,
    { projectId: fixture.account.projectId, queryIds: [queryId], resourceId: resourceId(1) },
    { ...none, starred: true },
    T0,
  );
  fixture.clock.set(T0 + MINUTE);
  const path = `/projects/${fixture.account.projectId}/data/mentions`;
  const { results } = (await fixture.get(path, [...range(), ["starred", "true"]])).body;
  expect(results).toMatchObject([{ starred: true, twitterVerified: false }]);
});

test("charts take the id of a parent category for its children", async () => {
  const { projectId, categories } = fixture.account;
  const parent = categories[0];
  const chart = await fixture.get(`/projects/${projectId}/data/volume/categories/queries`, [
    ...range(),
    ["dim1Args", parent?.id ?? 0],
  ]);
  expect(chart.body.results.map(({ id }: { id: number }) => id)).toEqual(
    parent?.children.map(({ id }) => id),
  );
});

test.each([
  ["query-validation/searchwithin", "booleanQuery", "languages"],
  ["query-validation/searchwithin", "query", "language"],
  ["query-validation", "booleanQuery", "language"],
])("GET /%s takes %s and %s", async (path, name, language) => {
  const answer = await fixture.get(`/${path}`, [
    [name, "a OR b"],
    [language, "en"],
  ]);
  expect(answer).toMatchObject({ status: 200, body: { errors: [] } });
});
