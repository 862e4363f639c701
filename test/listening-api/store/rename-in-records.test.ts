import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { lockQueries } from "../../../src/listening-api/store/queries.ts";
import {
  removeTagFromRecords,
  renameQueryInRecords,
  renameTagInRecords,
} from "../../../src/listening-api/store/rename-in-records.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";
import { untilWaiting } from "./until-waiting.ts";

const TAG = 7;
let fixture: Fixture;
let db: Database;
let [alpha, beta] = [0, 0];
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  alpha = fixture.account.queries.get("Alpha") ?? 0;
  beta = fixture.account.queries.get("Beta") ?? 0;
});
afterAll(() => fixture.stop());

type Fields = Parameters<typeof mentionVersion>[0];
const tagged = (fields: Fields, version = 1) => ({
  ...mentionVersion({ ...fields, tags: ["was", "stays"] }, { version, added: T0 }),
  tagIds: [TAG, TAG + 1],
});

beforeEach(async () => {
  await fixture.database.pool.query("delete from local_api.mention");
});

async function records() {
  const { rows } = await fixture.database.pool.query(
    `select query_id::integer as "queryId", version, tags::integer[] as ids, filled_fields || '}' as record
     from local_api.mention order by 1, resource_id, 2`,
  );
  return rows.map(({ record, ...row }) => ({ ...row, ...JSON.parse(record) }));
}

it("a query has its new name in its own records, and in no others", async () => {
  const one = { queryId: alpha, resourceId: resourceId(1) };
  await insertMentions(db, [
    mentionVersion({ ...one, title: '"queryName":"Alpha"' }, { added: T0 }),
    mentionVersion({ ...one, resourceId: resourceId(2), queryName: "Older" }, { added: T0 }),
    mentionVersion({ ...one, queryId: beta }, { added: T0 }),
  ]);
  await renameQueryInRecords(db, alpha, { from: "Alpha", to: "Omega" });
  expect(await records()).toMatchObject([
    { queryId: alpha, queryName: "Omega", title: '"queryName":"Alpha"' },
    { queryId: alpha, queryName: "Older" },
    { queryId: beta, queryName: "Alpha" },
  ]);
});

it("a mention that is being stored has the new name, too", async () => {
  let renamed: Promise<void> | undefined;
  await db.transaction().execute(async (writer) => {
    await lockQueries(writer, [alpha]);
    renamed = db
      .transaction()
      .execute((own) => renameQueryInRecords(own, alpha, { from: "Alpha", to: "Omega" }));
    await untilWaiting(fixture.database.pool, 1);
    await insertMentions(writer, [
      mentionVersion({ queryId: alpha, resourceId: resourceId(1) }, { added: T0 }),
    ]);
  });
  await renamed;
  expect(await records()).toMatchObject([{ queryName: "Omega" }]);
});

const inTransaction = (work: (own: Database) => Promise<void>) => db.transaction().execute(work);

it("a tag has its new name in each version that has it, and these keep all else", async () => {
  const one = { queryId: alpha, resourceId: resourceId(1) };
  await insertMentions(db, [
    mentionVersion({ ...one, title: "first" }, { added: T0 }),
    tagged({ ...one, title: "second" }, 2),
    mentionVersion({ ...one, title: "in another query", queryId: beta }, { version: 2, added: T0 }),
  ]);
  const { projectId } = fixture.account;
  await inTransaction((own) => renameTagInRecords(own, projectId, { id: TAG, from: "was", to: "is" }));
  const after = await records();
  expect(after).toMatchObject([{ title: "first" }, { title: "second" }, { title: "in another query" }]);
  expect(after.map(({ tags = [] }) => tags)).toEqual([[], ["is", "stays"], []]);
  await inTransaction((own) => removeTagFromRecords(own, projectId, { id: TAG, name: "is" }));
  expect((await records()).map(({ tags = [], ids }) => [tags, ids])).toEqual([
    [[], []],
    [["stays"], [TAG + 1]],
    [[], []],
  ]);
});
