import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { type EditedMention, editMention } from "../../../src/listening-api/edit/edit-mention.ts";
import type { MentionChanges } from "../../../src/listening-api/edit/mention-changes.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

const NONE = { addCategories: [], removeCategories: [], addTags: [], removeTags: [], fields: {} };
const AHEAD = T0 + 30 * MINUTE;
let fixture: Fixture;
let db: Database;
let queryId: number;

beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  queryId = fixture.account.queries.get("Alpha") ?? 0;
  await insertMentions(
    db,
    // What another clock wrote: it was half an hour ahead.
    [1, 2].map((n) =>
      mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0, updated: AHEAD, visibleAt: T0 }),
    ),
  );
});
afterAll(() => fixture.stop());

const edit = async (n: number, changes: Partial<MentionChanges>, at: number): Promise<EditedMention[]> =>
  editMention(
    db,
    { projectId: fixture.account.projectId, queryIds: [queryId], resourceId: resourceId(n) },
    { ...NONE, ...changes },
    at,
  );

test("`updated` moves forward with each edit, also where the clock is behind the mention", async () => {
  expect(await edit(1, { starred: true }, T0 + MINUTE)).toMatchObject([{ version: 2, updated: AHEAD + 1 }]);
  expect(await edit(1, { checked: true }, AHEAD + 1)).toMatchObject([{ version: 3, updated: AHEAD + 2 }]);
  expect(await edit(1, { checked: false }, AHEAD + MINUTE)).toMatchObject([{ updated: AHEAD + MINUTE }]);
});

test("a client that asks for what changed since then finds an edit by a clock that is behind", async () => {
  await edit(2, { starred: true }, T0 + MINUTE);
  fixture.clock.set(AHEAD + MINUTE);
  const { body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ["queryId", queryId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
    ["sinceUpdated", "2026-03-03T12:30:00.000+0000"],
    ["starred", "true"],
  ]);
  const ids = body.results.map((mention: { resourceId: string }) => mention.resourceId);
  expect(ids).toContain(resourceId(2));
});

test("an edit that changes nothing leaves `updated` as it is", async () => {
  const [before] = await edit(2, { starred: true }, AHEAD + 2 * MINUTE);
  expect(before).toMatchObject({ isChanged: false, updated: AHEAD + 1 });
});

test("what its author will change later is still to come after an edit that changes nothing, and not after one that does", async () => {
  const later = AHEAD + 10 * MINUTE;
  const one = { queryId, resourceId: resourceId(3) };
  await insertMentions(db, [
    mentionVersion({ ...one, title: "before" }, { added: T0, supersededAt: later }),
    mentionVersion({ ...one, title: "after" }, { version: 2, added: T0, updated: later, visibleAt: later }),
  ]);
  const titleAt = async (at: number) => {
    fixture.clock.set(at);
    const { body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
      ["queryId", queryId],
      ["startDate", "2026-03-01"],
      ["endDate", "2026-04-01"],
    ]);
    return body.results.find((mention: { resourceId: string }) => mention.resourceId === resourceId(3))
      ?.title;
  };
  expect(await edit(3, { starred: false }, later - MINUTE)).toMatchObject([{ isChanged: false }]);
  expect(await titleAt(later + MINUTE)).toBe("after");
  expect(await edit(3, { starred: true }, later - MINUTE)).toMatchObject([{ isChanged: true }]);
  expect(await titleAt(later + MINUTE)).toBe("before");
});

test("an edit leaves the text as it was found, also one that PostgreSQL cannot store", async () => {
  const fullText = "nul \0 and half a \ud83d pair";
  const found = mentionVersion({ queryId, resourceId: resourceId(4) }, { added: T0 });
  await insertMentions(db, [{ ...found, fullText }]);
  await edit(4, { starred: true }, T0 + MINUTE);
  const { body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions/fulltext`, [
    ["queryId", queryId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
    ["starred", "true"],
  ]);
  const shown = body.results.find((one: { resourceId: string }) => one.resourceId === resourceId(4));
  expect(shown).toMatchObject({ starred: true, fullText });
});
