import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { DAY, SECOND } from "../../../src/lib/instant.ts";
import { wireTime } from "../../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture } from "../fixture.ts";
import { send } from "../send.ts";

/** A search is stored, and then a page of it is read. A writer may come between. */

const MENTIONS = 30;
const READS = 40;

let fixture: Fixture;
const started = systemClock.now();
beforeAll(async () => {
  fixture = await startFixture(SEED, { clock: systemClock });
  const [queryId = 0] = fixture.account.queries.values();
  await insertMentions(
    createDatabase(fixture.database.pool),
    Array.from({ length: MENTIONS }, (_, n) =>
      mentionVersion(
        { queryId, resourceId: resourceId(n), snippet: "hot and cold water" },
        { added: started - (n + 1) * SECOND },
      ),
    ),
  );
});
afterAll(() => fixture.stop());

test("no page, count or chart of a search lacks a mention that somebody edits meanwhile", async () => {
  const { api, account, token } = fixture;
  const [queryId = 0] = account.queries.values();
  const path = `/projects/${account.projectId}/data`;
  const write = async (n: number) => {
    const edit = { queryId, resourceId: resourceId(n % MENTIONS), starred: n % (2 * MENTIONS) < MENTIONS };
    const { status } = await send(api, {
      ...{ method: "PATCH", url: `${path}/mentions`, payload: JSON.stringify([edit]) },
      headers: { authorization: `bearer ${token}`, "content-type": "application/json" },
    });
    if (status !== 200) throw new Error(`the edit was answered with ${status}`);
  };
  // The first write of a project, or the first for a minute, has no settled state before it.
  await write(0);
  let isReading = true;
  const writer = (async () => {
    for (let n = 1; isReading; n++) await write(n);
  })();
  // The index on words does not decide NEAR, so that what is found is stored.
  const asked = [
    ["queryId", queryId],
    ["startDate", wireTime(started - DAY)],
    ["endDate", wireTime(started + DAY)],
    ["search", "hot NEAR/3 water"],
  ] as const;
  const found: unknown[] = [];
  for (let n = 0; n < READS; n++) {
    const page = await fixture.get(`${path}/mentions`, [...asked, ["pageSize", 100], ["orderBy", "added"]]);
    const count = await fixture.get(`${path}/mentions/count`, asked);
    found.push([page.body.results?.length, page.body.resultsTotal, count.body.mentionsCount]);
  }
  isReading = false;
  await writer;
  expect(found).toEqual(found.map(() => [MENTIONS, MENTIONS, MENTIONS]));
});
