import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import {
  deleteReceived,
  findByAuthorOrAddress,
  findHolders,
  findOfAuthors,
  findReceived,
  forgetReceivedBefore,
  liftTombstones,
  markSeen,
  type NewReceivedItem,
  putReceived,
} from "../../../src/listening-api/store/received-items.ts";
import {
  dropOldSeals,
  listUndoable,
  namesOf,
  readSealed,
  returnItems,
} from "../../../src/listening-api/store/sealed-items.ts";
import {
  dropUnseenDeletes,
  findUnseenDeletes,
  forgetUnseenDeletes,
  putUnseenDeletes,
} from "../../../src/listening-api/store/unseen-deletes.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
let db: Database;
let [own, other] = [0, 0];
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  own = fixture.account.projectId;
  const elsewhere = await seedAccount(fixture.database.pool, { ...SEED, project: { name: "Elsewhere" } });
  other = elsewhere.projectId;
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  for (const table of ["received_item", "unseen_delete", "mention"])
    await fixture.database.pool.query(`delete from local_api.${table}`);
});

const item = (idKey: string, more: Partial<NewReceivedItem> = {}): NewReceivedItem => ({
  ...{
    idKey,
    contentKey: null,
    resourceId: `r-${idKey}`,
    kind: "rss",
    feedKey: "feed",
    host: "feeds.example",
  },
  ...{ nativeId: `native ${idKey}`, policyVersion: 1, deleteReason: null },
  ...more,
});
const put = (projectId: number, ...items: readonly NewReceivedItem[]) => putReceived(db, projectId, items);
const seen = { deleteReason: "not found", mayReturn: true, sealed: Buffer.from("secret").toString("base64") };

interface Row {
  readonly name: string;
  readonly native: string;
  readonly reason: string | null;
  readonly returns: boolean;
  readonly sealed: boolean;
}

async function rows(projectId = own): Promise<Row[]> {
  const found = await fixture.database.pool.query(
    `select resource_id as name, native_id as native, delete_reason as reason,
       may_return_until is not null as returns, sealed is not null as sealed
     from local_api.received_item where project_id = $1 order by id_key`,
    [projectId],
  );
  return found.rows;
}

const names = (found: readonly { readonly idKey: string }[]) => found.map(({ idKey }) => idKey);
const expireSeals = () =>
  fixture.database.pool.query("update local_api.received_item set may_return_until = now()");

it("an item is found by its id, its content or its link, in its project", async () => {
  await put(own, item("aa"), item("bb", { contentKey: "c0" }), item("cc", { linkKey: "11" }), item("dd"));
  await put(other, item("aa"), item("ee", { contentKey: "c0" }));
  const keys = { ids: ["aa"], contents: ["c0"], links: ["11"] };
  expect(names(await findReceived(db, own, keys)).toSorted()).toEqual(["aa", "bb", "cc"]);
});

it("a tombstone stays one, and what comes later of an item is added to it", async () => {
  await put(own, item("aa", { contentKey: "c0", revision: 5 }), item("bb", { deleteReason: "gone" }));
  await put(own, item("aa", { linkKey: "11", revision: 4 }), item("bb", { contentKey: "c1" }));
  expect(await findReceived(db, own, { ids: ["aa", "bb"], contents: [] })).toMatchObject([
    { idKey: "aa", contentKey: "c0", linkKey: "11", revision: 5, isDeleted: false, editedAgoMs: null },
    { idKey: "bb", contentKey: "c1", isDeleted: true },
  ]);
  expect((await rows())[1]).toMatchObject({ native: "", reason: "gone" });
  await put(own, item("aa", { contentKey: "c2" }));
  const [edited] = await findReceived(db, own, { ids: ["aa"], contents: [] });
  expect(edited?.editedAgoMs).toBeGreaterThanOrEqual(0);
});

it("a mention is deleted under all its ids; what was only seen to be gone may return for a week", async () => {
  const twice = [item("aa", { resourceId: "one" }), item("bb", { resourceId: "one" }), item("cc")];
  await put(own, ...twice);
  await put(other, item("aa", { resourceId: "one" }));
  await put(own, item("aa", { ...seen, resourceId: "one" }));
  await deleteReceived(db, own, ["one"], { reason: "another id", seals: true });
  expect(await rows()).toMatchObject([
    { name: "one", reason: "not found", returns: true, sealed: true },
    { name: "one", reason: "another id", returns: true, sealed: false },
    { name: "r-cc", reason: null },
  ]);
  expect(await rows(other)).toMatchObject([{ reason: null }]);
  await put(other, item("dd", { ...seen, resourceId: "one" }));
  await put(own, item("ee", seen));
  await deleteReceived(db, own, ["one"], { reason: "for good", seals: false });
  expect((await rows()).map(({ reason, returns, sealed }) => [reason, returns, sealed])).toEqual([
    ["not found", false, false],
    ["another id", false, false],
    [null, false, false],
    ["not found", true, true],
  ]);
  expect((await rows(other)).at(-1)).toMatchObject({ sealed: true });
});

it("what may return is known no more once its feed shows it, in its project alone", async () => {
  for (const projectId of [own, other])
    await put(projectId, item("aa", seen), item("bb", seen), item("cc", { deleteReason: "for good" }));
  await liftTombstones(db, own, ["r-aa", "r-cc"]);
  expect((await rows()).map(({ name }) => name)).toEqual(["r-bb", "r-cc"]);
  expect(await rows(other)).toHaveLength(3);
  await expireSeals();
  await liftTombstones(db, own, ["r-bb"]);
  expect(await rows()).toHaveLength(2);
});

it("items of a removed account are found, those that are there", async () => {
  await put(own, item("aa", { authorKey: "a1" }), item("bb", { authorKey: "a2" }));
  await put(own, item("cc", { authorKey: "a1", deleteReason: "gone" }));
  await put(other, item("dd", { authorKey: "a1" }));
  expect(await findOfAuthors(db, own, ["a1"])).toEqual([
    { idKey: "aa", nativeId: "native aa", authorKey: "a1" },
  ]);
});

it("what no feed has shown since a day is forgotten, in its project", async () => {
  for (const projectId of [own, other]) await put(projectId, item("aa"), item("bb"), item("cc"));
  const { rows: days } = await fixture.database.pool.query(
    "update local_api.received_item set seen_on = current_date - 1 returning current_date::timestamptz as today",
  );
  const today = days[0].today.getTime();
  await markSeen(db, own, ["aa"]);
  await markSeen(db, other, ["bb"]);
  expect(await forgetReceivedBefore(db, own, today - DAY)).toBe(0);
  expect(await forgetReceivedBefore(db, own, today)).toBe(2);
  expect((await rows()).map(({ name }) => name)).toEqual(["r-aa"]);
  expect(await rows(other)).toHaveLength(3);
});

it("mentions are found by who wrote them or where, and which queries hold them", async () => {
  const { account } = fixture;
  const [alpha = 0, beta = 0] = account.queries.values();
  const version = (queryId: number, n: number, fields: object) =>
    mentionVersion({ queryId, resourceId: resourceId(n), ...fields }, { added: T0 });
  await insertMentions(db, [
    version(alpha, 1, { author: "ann", domain: "a.example", url: "https://a.example/1" }),
    version(beta, 2, { author: "@ann", pageType: "forum" }),
    version(beta, 5, { originalUrl: "https://b.example/1", url: 'https://a.example/"2"' }),
    version(beta, 6, { url: "https://c.example/", imageInfo: [{ url: "https://d.example/" }] }),
    version(alpha, 3, { fullname: "ann" }),
    version(alpha, 4, { author: "bob" }),
    version(beta, 4, { author: "bob" }),
  ]);
  const find = async (value: string, source: string | null, what: "author" | "url" = "author", limit = 9) =>
    (await findByAuthorOrAddress(db, { what, value, source }, limit)).map(({ resourceId: id }) =>
      Number(`0x${id}`),
    );
  expect(await find("ann", null)).toEqual([1, 2, 3]);
  expect(await find("ann", null, "author", 2)).toEqual([1, 2]);
  expect(await find("ann", "a.example")).toEqual([1]);
  expect(await find("ann", "forum")).toEqual([2]);
  expect(await find("https://a.example/1", null, "url")).toEqual([1]);
  for (const address of ["https://b.example/1", 'https://a.example/"2"'])
    expect(await find(address, null, "url")).toEqual([5]);
  expect(await find("https://d.example/", null, "url")).toEqual([]);
  expect(await findHolders(db, [beta], [1, 4].map(resourceId))).toEqual([
    { queryId: beta, resourceId: resourceId(4) },
  ]);
});

it("for a week the sealed content of a delete can be read, some at a time, and undone", async () => {
  await put(own, item("aa", seen), item("cc", { deleteReason: "for good" }), item("dd"));
  await put(own, item("bb", seen));
  await put(other, item("aa", seen), item("ee", seen));
  expect((await listUndoable(db, own)).map(({ id }) => id)).toEqual(["r-bb", "r-aa"]);
  const read = async (...more: readonly [] | [{ projectId: number; resourceId: string }]) =>
    (await readSealed(db, null, ...more)).map((row) => [row.projectId, row.resourceId]);
  const all = [
    [own, "r-aa"],
    [own, "r-bb"],
    [other, "r-aa"],
    [other, "r-ee"],
  ];
  expect(await read()).toEqual(all);
  expect(await read({ projectId: own, resourceId: "r-bb" })).toEqual(all.slice(2));
  const some = await readSealed(db, { projectId: own, resourceIds: ["r-aa", "r-ee"] });
  expect(some.map((row) => row.sealed.toString())).toEqual(["secret"]);
  expect(await namesOf(db, own, ["r-aa", "r-dd"])).toMatchObject([{ idKey: "dd" }]);
  const back = { nativeId: "back", reference: null, resourceId: "r-aa" };
  await returnItems(db, own, [
    { ...back, idKey: "aa", newResourceId: "new" },
    { ...back, idKey: "bb", newResourceId: "no" },
  ]);
  expect((await rows()).map(({ name, native, reason }) => [name, native, reason])).toEqual([
    ["new", "back", null],
    ["r-bb", "", "not found"],
    ["r-cc", "", "for good"],
    ["r-dd", "native dd", null],
  ]);
  expect((await rows(other)).map(({ name }) => name)).toEqual(["r-aa", "r-ee"]);
});

it("after that week nothing of it is left, and nothing else goes with it", async () => {
  await put(own, item("aa", seen), item("bb"));
  await put(other, item("aa", seen));
  expect(await dropOldSeals(db, own)).toBe(0);
  await expireSeals();
  expect(await listUndoable(db, own)).toEqual([]);
  expect(await readSealed(db, null)).toEqual([]);
  await returnItems(db, own, [
    { idKey: "aa", resourceId: "r-aa", nativeId: "", reference: null, newResourceId: "late" },
  ]);
  expect(await dropOldSeals(db, own)).toBe(1);
  expect((await rows()).map(({ name, sealed }) => [name, sealed])).toEqual([
    ["r-aa", false],
    ["r-bb", false],
  ]);
  expect(await rows(other)).toMatchObject([{ sealed: true }]);
});

it("deletes of what never came are remembered for two days, by project", async () => {
  await putUnseenDeletes(db, own, ["aa", "bb", "aa"]);
  await putUnseenDeletes(db, other, ["aa", "cc"]);
  const found = async (projectId: number) =>
    [...(await findUnseenDeletes(db, projectId, ["aa", "bb", "cc"]))].toSorted();
  expect([await found(own), await found(other)]).toEqual([
    ["aa", "bb"],
    ["aa", "cc"],
  ]);
  expect([...(await findUnseenDeletes(db, own, ["bb"]))]).toEqual(["bb"]);
  await dropUnseenDeletes(db, own, ["aa", "cc"]);
  expect([await found(own), await found(other)]).toEqual([["bb"], ["aa", "cc"]]);
  await fixture.database.pool.query(
    "update local_api.unseen_delete set deleted_at = now() - interval '49 hours' where key <> decode('cc', 'hex')",
  );
  // Said once more.
  await putUnseenDeletes(db, own, ["dd"]);
  await forgetUnseenDeletes(db, own);
  expect([...(await findUnseenDeletes(db, own, ["bb", "dd"]))]).toEqual(["dd"]);
  expect(await found(other)).toEqual(["aa", "cc"]);
  await putUnseenDeletes(db, other, ["aa"]);
  await forgetUnseenDeletes(db, other);
  expect(await found(other)).toEqual(["aa", "cc"]);
});
