import { Pool } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../../../src/local-api/store/database.ts";
import { insertMentions } from "../../../src/local-api/store/insert-mentions.ts";
import { dropMentionMonthsBefore } from "../../../src/local-api/store/mention-months.ts";
import { migrateLocalApi } from "../../../src/local-api/store/migrate-local-api.ts";
import { MIGRATIONS } from "../../../src/local-api/store/migrations.ts";
import { createTestDatabase } from "../../postgres.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

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
  const dates = ["2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "1971-01-01T00:00:00Z", "2150-01-01T00:00:00Z"]; // biome-ignore format: a table
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

it("mentions stored before the table had months move into it", async () => {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.url });
  pool.on("error", () => {});
  await pool.query("drop schema local_api cascade");
  await pool.query("create schema local_api; create table local_api.migration (name text primary key)");
  for (const migration of MIGRATIONS.slice(0, 4)) {
    await pool.query(migration.statements);
    await pool.query("insert into local_api.migration values ($1)", [migration.name]);
  }
  await pool.query(`
    insert into local_api.client (name, created_at) values ('c', now());
    insert into local_api.project (client_id, name) values (1001, 'p');
    insert into local_api.query (project_id, name, created_at, last_modified_at, last_modified_username)
      values (1998001, 'q', now(), now(), 'u');
    insert into local_api.record_shape values (7, ',"title":null,"categories":[]}')`);
  const said = `{"resourceId":"0a","queryId":2003001,"queryName":"q","date":null,"added":"2026-03-03T12:00:00.000+0000","updated":"2026-03-03T12:00:00.000+0000","author":"a\\u0000b","snippet":"half \\ud83d","country":"Spain"`;
  await pool.query(
    `insert into local_api.mention (query_id, resource_id, version, id, date, added, updated, visible_at,
       superseded_at, impact, author, shape_id, said, tags)
     select 2003001, '0a', version, 5, at, at, at, at, case version when 1 then at else 'infinity' end, -1, 'a', 7,
       $1, '{9}' from generate_series(1, 2) as version, (values ('2026-03-03 12:00Z'::timestamptz)) as given (at)`,
    [said],
  );
  await migrateLocalApi(pool);
  const { rows } = await pool.query(
    `select version, date_known, country, author, full_text, tags, impact, superseded_at = 'infinity' as current,
       to_regclass('local_api.mention_unpartitioned') as old from local_api.mention order by version`,
  );
  const moved = {
    date_known: false,
    country: "Spain",
    author: "a\uFFFDb",
    full_text: "half \uFFFD",
    tags: ["9"],
    impact: null,
    old: null,
  };
  expect(rows).toEqual([
    { ...moved, version: 1, current: false },
    { ...moved, version: 2, current: true },
  ]);
  await pool.end();
  await database.drop();
});
