import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { readCurrentMentions, supersedeMentions } from "../../../src/listening-api/store/current-mentions.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

const LATER = T0 + MINUTE;
let fixture: Fixture;
let db: Database;
let queryIds: readonly number[] = [];
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  queryIds = [...fixture.account.queries.values()];
});
afterAll(() => fixture.stop());

/** Two mentions in two queries, each with a version that is shown now and one that is shown later. */
beforeEach(async () => {
  await fixture.database.pool.query("delete from local_api.mention");
  const keys = queryIds.flatMap((queryId) => [1, 2].map((n) => ({ queryId, resourceId: resourceId(n) })));
  await insertMentions(
    db,
    keys.flatMap((key) => [
      mentionVersion(key, { added: T0, supersededAt: LATER }),
      mentionVersion(key, { version: 2, added: T0, visibleAt: LATER }),
    ]),
  );
});

it("another version takes over from one mention in one query, and what was to come of it goes", async () => {
  const [queryId = 0] = queryIds;
  const [mention] = await readCurrentMentions(db, [{ queryId, resourceId: resourceId(1) }], T0);
  if (mention === undefined) throw new Error("it is shown");
  // At the moment at which the version itself began: it stays.
  await supersedeMentions(db, [{ mention, at: T0 }]);
  const { rows } = await fixture.database.pool.query(
    `select query_id = $1 and right(resource_id, 1) = '1' as is_it, version, superseded_at from local_api.mention
     order by 1 desc, 2, 3`,
    [queryId],
  );
  const others = rows.filter((row) => !row.is_it);
  expect(rows.filter((row) => row.is_it)).toEqual([{ is_it: true, version: 1, superseded_at: new Date(T0) }]);
  expect(others.map(({ version }) => version)).toEqual([1, 1, 1, 2, 2, 2]);
  expect(others.slice(0, 3).map((row) => row.superseded_at.getTime())).toEqual([LATER, LATER, LATER]);
});
