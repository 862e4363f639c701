import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { type SeededAccount, seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { putMembership, removeMembership } from "../../../src/listening-api/store/accounts.ts";
import { findCaller } from "../../../src/listening-api/store/callers.ts";
import { listRuleBackfills, recordChanges } from "../../../src/listening-api/store/changes.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { listDateRanges, putDateRanges } from "../../../src/listening-api/store/date-ranges.ts";
import { insertToken, pruneAttempts, revokeTokens } from "../../../src/listening-api/store/logins.ts";
import {
  claimStreamHour,
  deleteImportProgress,
  listStreamHours,
  putImportProgress,
  readImportProgress,
} from "../../../src/listening-api/store/progress.ts";
import {
  listGroupMembers,
  listPercentages,
  listQueries,
  putQueries,
} from "../../../src/listening-api/store/queries.ts";
import { listQueryGroups, putQueryGroup } from "../../../src/listening-api/store/query-groups.ts";
import { lockReceivedQuery } from "../../../src/listening-api/store/received-items.ts";
import { insertRule, listRules } from "../../../src/listening-api/store/rules.ts";
import {
  createSavedList,
  listClientLists,
  listSavedLists,
  listSharedLists,
} from "../../../src/listening-api/store/saved-lists.ts";
import { type Fixture, SEED, startFixture, T0 } from "../fixture.ts";

/** What a client, a project, a query or a login is shown and changed is its own. */

let fixture: Fixture;
let db: Database;
/** Of the fixture; a second project of its client; and one of another client. All with the same names. */
let own: SeededAccount;
let beside: SeededAccount;
let rival: SeededAccount;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  own = fixture.account;
  const { pool } = fixture.database;
  beside = await seedAccount(pool, { ...SEED, project: { name: "Beside" } });
  const user = { username: "eve@rival.example", password: "battery staple" };
  rival = await seedAccount(pool, { ...SEED, client: { name: "Rival" }, user });
});
afterAll(() => fixture.stop());
beforeEach(() =>
  fixture.database.pool.query(`truncate local_api.query_group, local_api.query_group_member, local_api.rule,
    local_api.change, local_api.saved_list, local_api.date_range, local_api.token, local_api.login_attempt,
    local_api.stream_hour, local_api.import_progress`),
);

const by = { username: "ann", at: T0 };
const idsOf = ({ queries }: SeededAccount) => [...queries.values()];

it("queries, without the hidden one of feeds", async () => {
  await db.transaction().execute((transaction) => lockReceivedQuery(transaction, own.projectId));
  expect((await listQueries(db, own.projectId)).map(({ id }) => id)).toEqual(idsOf(own));
  expect([...(await listPercentages(db, own.projectId)).keys()]).toEqual(idsOf(own));
});

it("a query keeps its text and who changed it, unless it is given another text", async () => {
  const put = (username: string, text?: string) =>
    putQueries(db, own.projectId, [{ name: "Text", type: "search string", ...(text && { text }) }], {
      ...by,
      username,
    });
  const seen = [];
  const puts: readonly (readonly [string, string?])[] = [
    ["ann", "milk"],
    ["bob"],
    ["cy", "milk"],
    ["di", "cream"],
  ];
  for (const [username, text] of puts) {
    await put(username, text);
    const query = (await listQueries(db, own.projectId)).find(({ name }) => name === "Text");
    seen.push([query?.text, query?.lastModifiedUsername]);
  }
  expect(seen).toEqual([
    ["milk", "ann"],
    ["milk", "ann"],
    ["milk", "ann"],
    ["cream", "di"],
  ]);
});

it("groups, with the queries that were put into them, once each", async () => {
  const [first = 0, second = 0] = idsOf(own);
  const put = (queryIds: readonly number[]) =>
    putQueryGroup(db, { projectId: own.projectId, name: "Group", queryIds });
  const id = await put([first]);
  expect(await put([first, second])).toBe(id);
  const other = await putQueryGroup(db, { projectId: own.projectId, name: "Other", queryIds: [] });
  const theirs = await putQueryGroup(db, { projectId: beside.projectId, name: "Group", queryIds: [] });
  expect(await listGroupMembers(db, own.projectId, [id, theirs])).toEqual(new Map([[id, [first, second]]]));
  expect((await listQueryGroups(db, own.projectId)).map((group) => group.id)).toEqual([id, other]);
});

it("rules, all or one", async () => {
  const rule = { enabled: true, queryIds: null, filter: {}, action: { starred: true } };
  const insert = ({ projectId }: SeededAccount, name: string) =>
    insertRule(db, projectId, { ...rule, name }, by);
  const [first, second] = [await insert(own, "First"), await insert(own, "Second")];
  const theirs = await insert(beside, "First");
  const ids = async (asked?: number) => (await listRules(db, own.projectId, asked)).map(({ id }) => id);
  expect([await ids(), await ids(second), await ids(theirs)]).toEqual([[first, second], [second], []]);
});

it("what rules did to stored mentions, of one kind of thing, since a moment", async () => {
  const change = (
    { clientId, userId, projectId }: SeededAccount,
    kind: string,
    thingId: string,
    after: object,
  ) => ({
    ...{ clientId, userId, projectId, username: "ann", action: "update" as const },
    ...{ kind, thingId, before: {}, after },
  });
  const backfill = { backfill: { status: "finished" } };
  const before = [
    change(own, "category", "1", backfill),
    change(beside, "category", "2", backfill),
    change(own, "tag", "3", backfill),
    change(own, "category", "4", { name: "no backfill" }),
    change(own, "category", "5", { backfill: { status: "unfinished" } }),
  ];
  await recordChanges(db, before);
  await sql`update local_api.change set at = at - interval '1 day'`.execute(db);
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  const since = rows[0]?.at.getTime() ?? 0;
  await recordChanges(db, [change(own, "category", "1", { backfill: { status: "unfinished" } })]);
  const listed = async (from?: number) =>
    (await listRuleBackfills(db, own.projectId, { kind: "category", since: from })).map(
      ({ thingId, status }) => `${thingId} ${status}`,
    );
  expect(await listed()).toEqual(["1 unfinished", "5 unfinished"]);
  expect(await listed(since)).toEqual(["1 unfinished"]);
});

it("lists of a kind: public ones in the projects that they are shared with, private ones for their owner", async () => {
  const { clientId, userId, projectId } = own;
  const list = (name: string, more: object = {}) => ({
    ...{ clientId, userId, name, entries: ["a.example"], sharedProjectIds: [projectId] },
    ...more,
  });
  await createSavedList(db, "site", list("shown"));
  await createSavedList(db, "author", list("of authors"));
  await createSavedList(db, "site", list("elsewhere", { sharedProjectIds: [beside.projectId] }));
  await createSavedList(db, "site", list("private", { shared: "private" }));
  await createSavedList(db, "site", list("of another", { shared: "private", userId: rival.userId }));
  await createSavedList(db, "site", list("of a rival", { clientId: rival.clientId }));
  const names = (lists: readonly { readonly name: string }[]) => lists.map(({ name }) => name);
  expect(names(await listSavedLists(db, "site", { clientId, projectId, userId }))).toEqual([
    "shown",
    "private",
  ]);
  expect(names(await listClientLists(db, "site", clientId))).toEqual([
    ...["shown", "elsewhere", "private", "of another"],
  ]);
  expect(names(await listSharedLists(db, "site", projectId))).toEqual([
    ...["shown", "private", "of another", "of a rival"],
  ]);
});

it("named times of one query, or of all; what is put takes the place of what was", async () => {
  const [first = 0, second = 0] = idsOf(own);
  const [theirs = 0] = idsOf(beside);
  const time = (name: string, from: number) => ({ name, from, to: from + HOUR });
  for (const queryId of [first, second, theirs])
    await putDateRanges(db, queryId, [time("a", 0), time("b", 0)]);
  const listed = async (queryId?: number) =>
    (await listDateRanges(db, { projectId: own.projectId, queryId })).map((one) => `${one.name} ${one.from}`);
  expect([await listed(first), await listed()]).toEqual([
    ["a 0", "b 0"],
    ["a 0", "b 0", "a 0", "b 0"],
  ]);
  const idOf = async (name: string) =>
    (await listDateRanges(db, { projectId: own.projectId, queryId: first })).find((one) => one.name === name)
      ?.id;
  const kept = await idOf("b");
  await putDateRanges(db, first, [time("b", HOUR), time("c", 0)]);
  expect(await listed(first)).toEqual([`b ${HOUR}`, "c 0"]);
  expect(await idOf("b")).toBe(kept);
  expect(await listed(second)).toEqual(["a 0", "b 0"]);
});

it("tokens: a login has several, and loses those of the client that it leaves", async () => {
  const { userId, clientId } = own;
  for (const joined of [clientId, rival.clientId])
    await putMembership(db, { userId, clientId: joined, role: "Admin" });
  const token = async (name: string, whose: { userId: number; clientId: number }, lifetimeSeconds = 60) => {
    await insertToken(db, { hash: Buffer.from(name), lifetimeSeconds, ...whose });
  };
  await token("expired", { userId, clientId }, -1);
  await token("first", { userId, clientId });
  await token("second", { userId, clientId });
  await token("at the rival", { userId, clientId: rival.clientId });
  await token("of the rival", rival);
  const names = ["expired", "first", "second", "at the rival", "of the rival"];
  const good = async () => {
    const found = [];
    for (const name of names) if (await findCaller(db, Buffer.from(name))) found.push(name);
    return found;
  };
  expect(await good()).toEqual(names.slice(1));
  expect(await revokeTokens(db, { hash: Buffer.from("second") })).toBe(1);
  expect(await removeMembership(db, { userId, clientId: rival.clientId })).toBe(true);
  expect(await good()).toEqual(["first", "of the rival"]);
  const { rows } = await sql<{ hash: Buffer }>`select hash from local_api.token`.execute(db);
  expect(rows.map(({ hash }) => hash.toString())).not.toContain("at the rival");
  expect(await removeMembership(db, { userId, clientId: rival.clientId })).toBe(false);
});

it("old attempts to log in, but for those that another process is deleting", async () => {
  await sql`
    insert into local_api.login_attempt (subject, attempted_at)
    select decode(age::text, 'escape'), clock_timestamp() - age * interval '1 second'
    from unnest(array[59, 61, 62]) as age`.execute(db);
  const left = async () => {
    const { rows } = await sql<{ subject: Buffer }>`
      select subject from local_api.login_attempt where octet_length(subject) = 2 order by subject`.execute(
      db,
    );
    return rows.map(({ subject }) => subject.toString());
  };
  await db.transaction().execute(async (other) => {
    await sql`select from local_api.login_attempt where subject = '62' for update`.execute(other);
    await db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = '1s'`.execute(transaction);
      await pruneAttempts(transaction, 60);
    });
    expect(await left()).toEqual(["59", "62"]);
  });
  await pruneAttempts(db, 60);
  expect(await left()).toEqual(["59"]);
});

it("hours of a stream, each stored once", async () => {
  const stream = { projectId: own.projectId, seed: "s" };
  const claims = [
    ...[-1, 0, 1, 2].map((hour) => ({ ...stream, hour })),
    { ...stream, seed: "other", hour: 0.5 },
    { ...stream, projectId: beside.projectId, hour: 0.6 },
  ].map(({ hour, ...rest }) => ({ ...rest, hour: T0 + hour * HOUR }));
  for (const claim of claims) await claimStreamHour(db, claim);
  expect(await claimStreamHour(db, { ...stream, hour: T0 })).toBe(false);
  const hours = await listStreamHours(db, { ...stream, from: T0, to: T0 + 2 * HOUR });
  expect([...hours].sort()).toEqual([T0, T0 + HOUR]);
});

it("how far an import has come, until it ends", async () => {
  const [key, old] = [Buffer.from("key"), Buffer.from("old")];
  for (const lines of [10, 20]) await putImportProgress(db, key, lines);
  await putImportProgress(db, old, 30);
  await sql`update local_api.import_progress set at = at - interval '91 days' where key = ${old}`.execute(db);
  expect([await readImportProgress(db, key), await readImportProgress(db, old)]).toEqual([20, 30]);
  await deleteImportProgress(db, Buffer.from("another"));
  expect([await readImportProgress(db, key), await readImportProgress(db, old)]).toEqual([20, 0]);
  await deleteImportProgress(db, key);
  expect(await readImportProgress(db, key)).toBe(0);
});
