import { afterEach, beforeEach, expect, it } from "vitest";
import { createStream } from "../../../src/listening-api/simulate/create-stream.ts";
import { recordCall } from "../../../src/listening-api/store/callers.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import {
  deleteClient,
  deleteMentions,
  deleteProject,
  deleteUser,
} from "../../../src/listening-api/store/delete-things.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { insertToken } from "../../../src/listening-api/store/logins.ts";
import { putProject } from "../../../src/listening-api/store/projects.ts";
import { putQueries, readRevisionsOf } from "../../../src/listening-api/store/queries.ts";
import { listQueryGroups, saveQueryGroup } from "../../../src/listening-api/store/query-groups.ts";
import {
  createSavedList,
  listClientLists,
  updateSavedList,
} from "../../../src/listening-api/store/saved-lists.ts";
import { lockWriting } from "../../../src/listening-api/store/write-order.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";
import { untilWaiting } from "./until-waiting.ts";

let fixture: Fixture;
let db: Database;
beforeEach(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
});
afterEach(() => fixture.stop());

type Account = Fixture["account"];
const token = (own: Database, { userId, clientId }: Account) =>
  insertToken(own, { hash: Buffer.from("new"), userId, clientId, lifetimeSeconds: 60 });

const MEANWHILE: readonly (readonly [
  string,
  string,
  (own: Database, account: Account) => Promise<unknown>,
  (own: Database, account: Account) => Promise<void>,
])[] = [
  [
    "client",
    "its programs call",
    (own, { clientId }) =>
      recordCall(own, { of: "client", id: clientId }, { at: T0, periodMs: 1_000, countTo: 10 }),
    (own, { clientId }) => deleteClient(own, clientId),
  ],
  ["user", "it logs in", token, (own, { userId }) => deleteUser(own, userId)],
  [
    "project",
    "an import makes a query in it",
    (own, { projectId }) =>
      putQueries(own, projectId, [{ name: "New", type: "twitter" }], { username: "import", at: T0 }),
    (own, { projectId }) => deleteProject(own, projectId),
  ],
];

it.each(MEANWHILE)("a %s is deleted while %s", async (_, __, use, remove) => {
  let removed: Promise<void> | undefined;
  await db.transaction().execute(async (other) => {
    await use(other, fixture.account);
    removed = db.transaction().execute((own) => remove(own, fixture.account));
    removed.catch(() => {});
    await untilWaiting(fixture.database.pool, 1);
  });
  await expect(removed).resolves.toBeUndefined();
});

it("a project that is deleted shares no group or list, also one that is saved after it by who saw it", async () => {
  const { clientId, userId, projectId } = fixture.account;
  const settings = { description: "", timezone: "Etc/UTC", defaultLanguage: "en", dataPolicy: null };
  const other = await putProject(db, { clientId, name: "Other", ...settings });
  const shared = { shared: "public", sharedProjectIds: [projectId, other] } as const;
  const group = { name: "Shared", queryIds: [], ...shared };
  const list = { name: "Sites", entries: ["a.example"], ...shared };
  const id = await saveQueryGroup(db, { projectId, userId }, group);
  const site = await createSavedList(db, "site", { clientId, userId, ...list });
  expect(await listQueryGroups(db, projectId)).toMatchObject([{ sharedProjectIds: [projectId, other] }]);
  expect(site).toMatchObject({ sharedProjectIds: [projectId, other] });
  await db.transaction().execute((own) => deleteProject(own, other));
  const whatIsLeft = async () => [
    ...(await listQueryGroups(db, projectId)),
    ...(await listClientLists(db, "site", clientId)),
  ];
  const own = [{ sharedProjectIds: [projectId] }, { sharedProjectIds: [projectId] }];
  expect(await whatIsLeft()).toMatchObject(own);
  await saveQueryGroup(db, { projectId, userId, id }, group);
  await updateSavedList(db, site.id, list);
  expect(await whatIsLeft()).toMatchObject(own);
  expect(await createSavedList(db, "site", { clientId, userId, ...list })).toMatchObject(own[0] ?? {});
});

it("a project is deleted while its stream begins to store an hour", async () => {
  const { projectId } = fixture.account;
  const { pool } = fixture.database;
  const stream = createStream({ pool, projectId, seed: "s", startAt: T0, crises: [] });
  await stream.queries();
  let filled: Promise<unknown> | undefined;
  await db.transaction().execute(async (own) => {
    await lockWriting(own, [projectId]);
    filled = stream.fillUntil(T0 + 1);
    filled.catch(() => {});
    await untilWaiting(pool, 1);
    await deleteProject(own, projectId);
  });
  await expect(filled).rejects.toThrow(`there is no project ${projectId}`);
});

it("mentions of some queries, ids and dates are deleted, and only what had them counts as changed", async () => {
  const ids = [...fixture.account.queries.values()];
  const [first = 0, second = 0] = ids;
  const version = (queryId: number, number: number, date: string) =>
    mentionVersion({ queryId, resourceId: resourceId(number) }, { added: T0, date: Date.parse(date) });
  await insertMentions(db, [
    version(first, 1, "2026-03-01T00:00:00Z"),
    version(first, 2, "2026-03-02T00:00:00Z"),
    version(first, 3, "2026-03-03T00:00:00Z"),
    version(second, 2, "2026-03-02T00:00:00Z"),
  ]);
  const before = await readRevisionsOf(db, ids);
  const [from, to] = [Date.parse("2026-03-02T00:00:00Z"), Date.parse("2026-03-03T00:00:00Z")];
  expect(await deleteMentions(db, { queryIds: ids, resourceIds: [resourceId(9)] })).toBe(0);
  expect(await readRevisionsOf(db, ids)).toEqual(before);
  expect(await deleteMentions(db, { queryIds: [first], from, to })).toBe(1);
  const after = await readRevisionsOf(db, ids);
  expect(after.get(second)).toBe(before.get(second));
  expect(after.get(first)).not.toBe(before.get(first));
  const { rows } = await fixture.database.pool.query(
    "select query_id::integer as query, right(resource_id, 1) as id from local_api.mention order by 1, 2",
  );
  expect(rows).toEqual([
    { query: first, id: "1" },
    { query: first, id: "3" },
    { query: second, id: "2" },
  ]);
});
