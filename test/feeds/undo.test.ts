import { sql } from "kysely";
import { afterAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { rememberForgotten } from "../../src/listening-api/arrive/forget-requests.ts";
import { findForgettable, findSealedAt, undoDeletes } from "../../src/listening-api/arrive/sealed-items.ts";
import { tombstoneMentions } from "../../src/listening-api/arrive/tombstone-mentions.ts";
import { editMention } from "../../src/listening-api/edit/edit-mention.ts";
import type { MentionChanges } from "../../src/listening-api/edit/mention-changes.ts";
import { deleteCategory, deleteTag } from "../../src/listening-api/store/delete-things.ts";
import { putCategory, putTag, saveCategory, updateTag } from "../../src/listening-api/store/labels.ts";
import { listUndoable } from "../../src/listening-api/store/sealed-items.ts";
import { startFeedServer } from "../fakes/feed-server.ts";
import { type FakePost, serveMastodon } from "../fakes/mastodon.ts";
import { tracesInTables } from "../flows/find-traces.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const home = await startFeedServer();
afterAll(home.close);
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "mastodon", server: home.url, tags: ["acme"] }),
  queries: { Acme: "acme", Kettle: "kettle*" },
});
const { db, projectId, url } = feeding;
const posts: FakePost[] = [];
const GONE = "Acme zorblax kettles";

beforeEach(async () => {
  posts.length = 0;
  serveMastodon(home, posts, { hasBatches: true });
  await sql`delete from local_api.mention`.execute(db);
  await sql`delete from local_api.received_item`.execute(db);
  await sql`delete from local_api.forget_request`.execute(db);
  await sql`update feeds.feed set state = '{}', failures = 0, problem = null`.execute(db);
});

const shown = async () => (await feeding.mentions()).map(({ query, text }) => `${query}: ${text}`);
const undoable = async () => (await listUndoable(db, projectId)).map(({ id }) => id);
const undo = (ids: readonly string[]) =>
  undoDeletes(db, projectId, ids, { now: systemClock.now, queue: async () => {} });
const refetch = async () => {
  await sql`update feeds.feed set state = '{}'`.execute(db);
  await feeding.fetchAll();
};

/** A post that is stored, edited by people, and then seen to be gone by both witnesses. */
async function seenGone(changes: Partial<MentionChanges> = {}): Promise<{ id: string; post: FakePost }> {
  const at = systemClock.now() - MINUTE;
  posts.push({ id: "1001", content: `<p>${GONE}</p>`, at }, { id: "1002", content: "<p>Acme stays</p>", at });
  await feeding.fetchAll();
  const record = (await feeding.mentions()).find(({ text }) => text === GONE)?.record ?? {};
  const id = String(record["resourceId"]);
  await editMention(
    db,
    { projectId, queryIds: [Number(record["queryId"])], resourceId: id },
    {
      ...{
        priority: "high",
        addCategories: [],
        removeCategories: [],
        addTags: [],
        removeTags: [],
        fields: {},
      },
      ...changes,
    },
    systemClock.now,
  );
  const [post] = posts.splice(0, 1);
  for (const witness of ["first", "second"]) {
    await sql`update local_api.received_item set check_at = now(), gone_since = gone_since - interval '25 hours'`.execute(
      db,
    );
    await feeding.fetchAll();
    if (witness === "first") expect(await undoable()).toEqual([]);
  }
  expect(await undoable()).toEqual([id]);
  return { id, post: post as FakePost };
}

test("what was seen to be gone is nowhere to be read, and comes back as it was, as a new mention", async () => {
  const before = await seenGone();
  expect(await shown()).toEqual(["Acme: Acme stays", "Acme: null", "Kettle: null"]);
  expect(await tracesInTables(url, ["zorblax"])).toEqual([]);
  expect(await undo([before.id])).toBe(1);
  expect(await shown()).toEqual([
    ...["Acme: Acme stays", `Acme: ${GONE}`, "Acme: null", `Kettle: ${GONE}`, "Kettle: null"],
  ]);
  const back = (await feeding.mentions()).filter(({ text }) => text === GONE);
  expect(back.map(({ record }) => record["priority"])).toContain("high");
  expect(back.map(({ record }) => record["resourceId"])).not.toContain(before.id);
  expect(await feeding.mentions({ hidden: true })).toHaveLength(2);
  expect(await undoable()).toEqual([]);
  expect(await undo([before.id])).toBe(0);
  // Its feed shows it again: it is known.
  posts.push(before.post);
  await refetch();
  expect((await feeding.mentions()).filter(({ text }) => text === GONE)).toHaveLength(2);
});

test("its feed brings it back with what people did to it", async () => {
  const { post, id } = await seenGone();
  posts.push({ ...post, content: `<p>${GONE}, again</p>` });
  await refetch();
  const back = (await feeding.mentions()).filter(({ text }) => text === `${GONE}, again`);
  expect(back.map(({ query, record }) => [query, record["priority"]])).toEqual(
    expect.arrayContaining([
      ["Acme", "high"],
      ["Kettle", null],
    ]),
  );
  expect(back.map(({ record }) => record["resourceId"])).not.toContain(id);
  expect(await undoable()).toEqual([]);
});

test.each(["undone", "fetched"])("it has the names of today when it is %s", async (how) => {
  const [tag, gone] = [await putTag(db, projectId, "was"), await putTag(db, projectId, "gone")];
  const category = await putCategory(db, projectId, { name: "Topics", children: ["Price"] });
  const price = category.children[0]?.id ?? 0;
  const { post } = await seenGone({
    addTags: [
      { id: tag, name: "was" },
      { id: gone, name: "gone" },
    ],
    addCategories: [
      { id: String(price), name: "Price", parentId: String(category.id), parentName: "Topics" },
    ],
  });
  await updateTag(db, tag, { name: "is", rules: [] });
  await deleteTag(db, gone);
  await saveCategory(
    db,
    projectId,
    { name: "Themes", multiple: true, children: [{ id: price, name: "Cost" }] },
    category,
  );
  await sql`update local_api.query set name = 'Acme now' where name = 'Acme'`.execute(db);
  if (how === "undone") await undo(await undoable());
  else {
    posts.push({ ...post, content: `<p>${GONE}</p>` });
    await refetch();
  }
  await sql`update local_api.query set name = 'Acme' where name = 'Acme now'`.execute(db);
  await deleteTag(db, tag);
  await deleteCategory(db, category.id);
  const back = (await feeding.mentions()).find(({ record }) => record["priority"] === "high");
  expect(back?.record).toMatchObject({
    queryName: "Acme now",
    tags: ["is"],
    categoryDetails: [{ name: "Cost", parentName: "Themes" }],
  });
});

test("it is found by its address, which no table has", async () => {
  const { id } = await seenGone();
  const { rows } = await sql<{
    url: string;
  }>`select url from local_api.mention where url is not null`.execute(db);
  const address = String(rows[0]?.url).replace("1002", "1001");
  expect(await tracesInTables(url, [address])).toEqual([]);
  expect(await findSealedAt(db, projectId, address)).toEqual([id]);
  expect(await findSealedAt(db, projectId, `${address}0`)).toEqual([]);
});

test.each([
  [
    "the week is over",
    () =>
      sql`update local_api.received_item set may_return_until = now() where sealed is not null`.execute(db),
  ],
  [
    "somebody asked to forget its author",
    async () => {
      const { rows } = await sql<{
        author: string;
      }>`select author from local_api.mention where author is not null`.execute(db);
      const asked = { what: "author", value: String(rows[0]?.author), source: null } as const;
      await rememberForgotten(db, asked, systemClock.now());
      const found = await findForgettable(db, asked, 100);
      expect(found.map(({ resourceId }) => resourceId)).toContain((await undoable())[0]);
      const at = systemClock.now();
      await db.transaction().execute((one) =>
        tombstoneMentions(
          one,
          projectId,
          found.map(({ resourceId }) => resourceId),
          { at, reason: "asked" },
        ),
      );
    },
  ],
] as const)("it is gone for good when %s", async (_name, end) => {
  const { id, post } = await seenGone();
  await end();
  expect(await undoable()).toEqual([]);
  expect(await undo([id])).toBe(0);
  await feeding.worker().forgetOld();
  const { rows } = await sql`select from local_api.received_item where sealed is not null`.execute(db);
  expect(rows).toHaveLength(0);
  posts.push(post);
  await refetch();
  expect(await shown()).not.toContain(`Acme: ${GONE}`);
});

test("a delete is found by both addresses of its mention", async () => {
  const { id } = await seenGone({
    fields: { url: "https://a.example/1", originalUrl: "https://b.example/1" },
  });
  for (const value of ["https://a.example/1", "https://b.example/1"]) {
    const found = await findForgettable(db, { what: "url", value, source: null }, 100);
    expect(found.map(({ resourceId }) => resourceId)).toEqual([id]);
    expect(await findSealedAt(db, projectId, value)).toEqual([id]);
  }
});

test("who asks to forget an author called null does not mean mentions without one", async () => {
  await seenGone({ fields: { author: null, fullname: null } });
  for (const value of ["null", "undefined"])
    expect(await findForgettable(db, { what: "author", value, source: null }, 100)).toEqual([]);
});

test("two that undo the same at once bring it back once", async () => {
  const { id } = await seenGone();
  expect((await Promise.all([undo([id]), undo([id])])).sort()).toEqual([0, 1]);
  expect((await shown()).filter((text) => text === `Acme: ${GONE}`)).toHaveLength(1);
});

test("what somebody has just asked to forget is not brought back, though its seal is still there", async () => {
  const { id } = await seenGone();
  const { rows } = await sql<{ author: string }>`
    select author from local_api.mention where author is not null`.execute(db);
  const author = { what: "author", value: String(rows[0]?.author), source: null } as const;
  await rememberForgotten(db, author, systemClock.now());
  expect(await undo([id])).toBe(0);
  expect(await undoable()).toEqual([id]);
  expect(await shown()).not.toContain(`Acme: ${GONE}`);
  await sql`delete from local_api.forget_request`.execute(db);
});

test("an undo that dies in the middle has done nothing", async () => {
  const { id } = await seenGone();
  const queue = () => Promise.reject(new Error("killed"));
  await expect(undoDeletes(db, projectId, [id], { now: systemClock.now, queue })).rejects.toThrow("killed");
  expect(await undoable()).toEqual([id]);
  expect(await shown()).not.toContain(`Acme: ${GONE}`);
});
