import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { dropMentionMonthsBefore } from "../../../src/listening-api/store/mention-months.ts";
import { lockQueries } from "../../../src/listening-api/store/queries.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";
import { untilWaiting } from "./until-waiting.ts";

let fixture: Fixture;
let queryId = 0;
beforeAll(async () => {
  fixture = await startFixture();
  queryId = fixture.account.queries.get("Alpha") ?? 0;
});
afterAll(() => fixture.stop());

const at = (text: string) => Date.parse(text);

function store(number: number, date: string) {
  return insertMentions(createDatabase(fixture.database.pool), [
    mentionVersion({ queryId, resourceId: resourceId(number) }, { added: T0, date: at(date) }),
  ]);
}

async function tables(): Promise<string[]> {
  const { rows } = await fixture.database.pool.query(
    "select distinct tableoid::regclass::text as name from local_api.mention order by 1",
  );
  return rows.map((row: { name: string }) => row.name);
}

it("a mention lies in the table of the month of its date, made when it is needed", async () => {
  const dates = [
    "2026-01-31T23:59:59.999Z",
    "2026-02-01T00:00:00Z",
    "1971-01-01T00:00:00Z",
    "2150-01-01T00:00:00Z",
  ];
  await Promise.all(dates.map((date, number) => store(number, date)));
  expect(await tables()).toEqual([
    "local_api.mention_2026_01",
    "local_api.mention_2026_02",
    "local_api.mention_early",
    "local_api.mention_late",
  ]);
  expect(await store(0, "2026-01-31T23:59:59.999Z")).toBe(0);
  expect(await store(0, "2026-05-01T00:00:00Z")).toBe(0);
});

it("retention drops the months that are over, and totals know it", async () => {
  const ask = async () =>
    (
      await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
        ["queryId", queryId],
        ["startDate", "1970-01-01"],
        ["endDate", "2200-01-01"],
        ["pageSize", 1],
      ])
    ).body.resultsTotal;
  expect(await ask()).toBe(4);
  const db = createDatabase(fixture.database.pool);
  expect(await dropMentionMonthsBefore(db, at("2026-01-31T23:59:59Z"))).toEqual([]);
  expect(await dropMentionMonthsBefore(db, at("2026-02-01T00:00:00Z"))).toEqual(["mention_2026_01"]);
  expect(await ask()).toBe(2);
  expect(await store(0, "2026-01-31T23:59:59.999Z")).toBe(1);
  expect(await ask()).toBe(3);
});

it("a query that does not exist gets no mentions", async () => {
  const orphan = mentionVersion({ queryId: 1, resourceId: resourceId(1) }, { added: T0 });
  await expect(insertMentions(createDatabase(fixture.database.pool), [orphan])).rejects.toThrow(/not all of/);
});

it("retention and a writer that needs a new month do not wait for each other", async () => {
  const db = createDatabase(fixture.database.pool);
  await store(2, "2026-02-01T00:00:00Z");
  let dropped: Promise<string[]> | undefined;
  await db.transaction().execute(async (writer) => {
    await lockQueries(writer, [queryId]);
    dropped = dropMentionMonthsBefore(db, at("2026-03-01T00:00:00Z"));
    await untilWaiting(fixture.database.pool, 1);
    const mention = mentionVersion(
      { queryId, resourceId: resourceId(3) },
      { added: T0, date: at("2026-07-01T00:00:00Z") },
    );
    await insertMentions(writer, [mention]);
  });
  expect(await dropped).toContain("mention_2026_02");
});

it("nor do they when the writer has locked nothing yet", async () => {
  const db = createDatabase(fixture.database.pool);
  await store(4, "2026-02-01T00:00:00Z");
  let dropped: Promise<string[]> | undefined;
  let stored: Promise<number> | undefined;
  await db.transaction().execute(async (other) => {
    await lockQueries(other, [queryId]);
    dropped = dropMentionMonthsBefore(db, at("2026-03-01T00:00:00Z"));
    await untilWaiting(fixture.database.pool, 1);
    stored = store(5, "2026-08-01T00:00:00Z");
    await untilWaiting(fixture.database.pool, 2);
  });
  expect(await Promise.all([dropped, stored])).toEqual([["mention_2026_02"], 1]);
});
