import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { MINUTE } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../../src/listening-api/create-local-api.ts";
import { editMentions } from "../../../src/listening-api/edit/edit-mention.ts";
import { listChanges } from "../../../src/listening-api/store/changes.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { deleteProject } from "../../../src/listening-api/store/delete-things.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { lockQueries } from "../../../src/listening-api/store/queries.ts";
import { beginWriting } from "../../../src/listening-api/store/write-order.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "../fixture.ts";
import { send } from "../send.ts";

let fixture: Fixture;
let [project, queryId] = ["", 0];
beforeAll(async () => {
  // On a clock that runs: the calls have different moments.
  fixture = await startFixture(SEED, { clock: systemClock });
  project = `/projects/${fixture.account.projectId}`;
  queryId = fixture.account.queries.get("Alpha") ?? 0;
  await insertMentions(createDatabase(fixture.database.pool), [
    mentionVersion({ queryId, resourceId: resourceId(1) }, { added: T0 - 1 }),
  ]);
});
afterAll(() => fixture.stop());

function ask(method: "POST" | "PUT" | "PATCH", path: string, body: unknown) {
  const headers = { authorization: `bearer ${fixture.token}`, "content-type": "application/json" };
  return send(fixture.api, { method, url: `${project}/${path}`, headers, payload: JSON.stringify(body) });
}

async function shown() {
  const { body } = await fixture.get(`${project}/data/mentions`, [
    ["queryId", queryId],
    ["startDate", "2026-01-01"],
    ["endDate", "2027-01-01"],
  ]);
  return body.results[0];
}

const edit = (changes: object) =>
  ask("PATCH", "data/mentions", [{ queryId, resourceId: resourceId(1), ...changes }]);

test("sixteen calls at once that add sixteen tags add all of them", async () => {
  const names = Array.from({ length: 16 }, (_, n) => `tag ${n}`);
  for (const name of names) await ask("POST", "tags", { name });
  const answers = await Promise.all(names.map((name) => edit({ addTag: [name] })));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect([...(await shown()).tags].sort()).toEqual([...names].sort());
});

// biome-ignore format: a table, one row on a line
const KINDS = [
  ["queries", { name: "Q", booleanQuery: "water" }, (n: number) => ({ description: `about ${n}` }), (n: number) => ({ booleanQuery: `water OR w${n}ater` })],
  ["querygroups", { name: "G", queries: [{ id: 2003001 }] }, (n: number) => ({ name: `G${n}` }), (n: number) => ({ queries: [{ id: 2003001 + (n % 2) }] })],
  ["group/author", { name: "A", authors: ["ann"] }, (n: number) => ({ name: `A${n}` }), (n: number) => ({ authors: [`ann${n}`] })],
  ["rules", { name: "R", ruleAction: { starred: true } }, (n: number) => ({ name: `R${n}` }), (n: number) => ({ filter: { search: `w${n}ater` } })],
  ["signals/groups", { name: "S", queryIds: [2003001], subscribers: [] }, (n: number) => ({ name: `S${n}` }), (n: number) => ({ queryIds: [2003001 + (n % 2)] })],
  ["rulecategories", { name: "C", children: [{ name: "one" }] }, (n: number) => ({ name: `C${n}` }), (n: number) => ({ children: [{ name: `child ${n}` }] })],
] as const;

test.each(KINDS)(
  "two calls at once that change different fields of one of the %s keep both",
  async (path, made, one, other) => {
    const { id } = (await ask("POST", path, made)).body as { id: number };
    for (let n = 0; n < 6; n++) {
      const answers = await Promise.all([one(n), other(n)].map((body) => ask("PUT", `${path}/${id}`, body)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect((await fixture.get(`${project}/${path}/${id}`)).body).toMatchObject({ ...one(n), ...other(n) });
    }
    const changes = await listChanges(createDatabase(fixture.database.pool), fixture.account.projectId, 13);
    for (const [index, { before, thingId }] of changes.slice(0, -1).entries()) {
      expect(thingId).toBe(String(id));
      expect(before).toEqual(changes[index + 1]?.after);
    }
  },
);

test("processes whose clocks are twenty minutes apart lose no edit of each other, and show what either wrote", async () => {
  const clock: Clock = { now: () => systemClock.now() + 20 * MINUTE, speed: 1 };
  const log = { info() {}, warn() {}, error: (fields: object) => fixture.logged.push(fields) };
  const { pool } = fixture.database;
  const ahead = createLocalApi({ pool, clock, log, signingSecret: "for tests", strict: true });
  const headers = { authorization: `bearer ${fixture.token}`, "content-type": "application/json" };
  try {
    for (const [index, api] of [ahead, fixture.api, ahead, fixture.api].entries()) {
      const name = `by process ${index}`;
      await ask("POST", "tags", { name });
      const payload = JSON.stringify([{ queryId, resourceId: resourceId(1), addTag: [name] }]);
      const url = `${project}/data/mentions`;
      const before = await shown();
      expect((await send(api, { method: "PATCH", url, headers, payload })).status).toBe(200);
      const after = await shown();
      expect(after.tags).toEqual([...before.tags, name]);
      expect(Date.parse(after.updated)).toBeGreaterThan(Date.parse(before.updated));
    }
  } finally {
    await ahead.close();
  }
});

test("a project is deleted after a writer that is at work in it, and neither waits for the other for ever", async () => {
  const { pool } = fixture.database;
  const db = createDatabase(pool);
  const other = await seedAccount(pool, { ...SEED, project: { name: "Deleted at once" } });
  const [id = 0] = other.queries.values();
  const mention = { queryId: id, resourceId: resourceId(7) };
  await insertMentions(db, [mentionVersion(mention, { added: T0 - 1 })]);
  let deleted: Promise<void> | undefined;
  await db.transaction().execute(async (own) => {
    const at = await beginWriting(own, [other.projectId], systemClock.now);
    await lockQueries(own, [id]);
    deleted = db.transaction().execute((another) => deleteProject(another, other.projectId));
    await untilSomebodyWaits(pool);
    const fields = { starred: true };
    const changes = { fields, addTags: [], removeTags: [], addCategories: [], removeCategories: [] };
    expect(await editMentions(own, [mention], () => [changes], at)).toMatchObject([{ isChanged: true }]);
  });
  await deleted;
  const { rows } = await pool.query("select from local_api.mention where query_id = $1", [id]);
  expect(rows).toEqual([]);
});

/** For a lock of this database. */
async function untilSomebodyWaits(pool: Fixture["database"]["pool"]): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length > 0) return;
  }
}

test("an edit that changes nothing makes no version, and programs do not read the mention again", async () => {
  await edit({ starred: true, sentiment: "positive", assignment: "ann@acme.example" });
  const before = await shown();
  const again = { starred: true, sentiment: "positive", assignment: "ann@acme.example" };
  expect((await edit(again)).body).toEqual([{ resourceId: resourceId(1), queryId, updated: before.updated }]);
  expect(await shown()).toEqual(before);
});
