import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { shownMentions } from "../../../src/listening-api/store/shown-mentions.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "../fixture.ts";

const [BEFORE, AFTER] = [T0 - HOUR, T0 + HOUR];
let fixture: Fixture;
let db: Database;
let own = 0;
let other = 0;
let elsewhere = 0;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  [own = 0, other = 0] = [...fixture.account.queries.values()];
  const { queries } = await seedAccount(fixture.database.pool, { ...SEED, project: { name: "Elsewhere" } });
  elsewhere = queries.get("Beta") ?? 0;
});
afterAll(() => fixture.stop());

type Times = Parameters<typeof mentionVersion>[1];
type Fields = Partial<Parameters<typeof mentionVersion>[0]>;
const version = (queryId: number, number: number, times: Partial<Times> = {}, fields: Fields = {}) =>
  mentionVersion(
    { queryId, resourceId: resourceId(number), title: "milk", ...fields },
    { added: BEFORE, ...times },
  );

beforeEach(async () => {
  await fixture.database.pool.query("delete from local_api.mention");
  await insertMentions(db, [
    // In both.
    version(own, 1),
    version(other, 1),
    version(other, 2),
    // Changed before, and to be changed later.
    version(other, 3, { supersededAt: T0 }, { title: "milk before" }),
    version(other, 3, { version: 2, visibleAt: T0, supersededAt: AFTER }, { title: "milk now" }),
    version(other, 3, { version: 3, visibleAt: AFTER }, { title: "milk later" }),
    // To come.
    version(other, 4, { visibleAt: AFTER }),
    version(other, 5, {}, { resourceType: "deleted" }),
    version(elsewhere, 6),
    version(other, 7, { date: BEFORE - HOUR }),
    version(other, 8, {}, { title: "tea" }),
  ]);
});

async function shown(which: { narrow?: string; from?: number }) {
  const { projectId } = fixture.account;
  const { narrow = null, from = null } = which;
  const found: [number, string | null, number][] = [];
  await db.transaction().execute(async (transaction) => {
    const selection = { projectId, butNotIn: own, from, at: T0, narrow };
    for await (const some of shownMentions(transaction, selection, 2))
      for (const { record, visibleAt } of some)
        found.push([Number(`0x${record.resourceId}`), record.title, visibleAt - T0]);
  });
  return found;
}

it("a query looks back over each mention of its project that it does not have, as it is shown or will come", async () => {
  expect(await shown({})).toEqual([
    [2, "milk", -HOUR],
    [3, "milk now", 0],
    [4, "milk", HOUR],
    [7, "milk", -HOUR],
    [8, "tea", -HOUR],
  ]);
});

it("it may look for words, and begin at a date", async () => {
  expect((await shown({ narrow: "'milk'" })).map(([id]) => id)).toEqual([2, 3, 4, 7]);
  expect((await shown({ from: BEFORE })).map(([id]) => id)).toEqual([2, 3, 4, 8]);
});
