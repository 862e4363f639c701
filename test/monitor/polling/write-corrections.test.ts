import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { listCategories, saveCategory } from "../../../src/listening-api/store/labels.ts";
import type { MentionEdit } from "../../../src/monitor/model/source-edit.ts";
import { createQuirkLog } from "../../../src/monitor/polling/quirk-log.ts";
import { decideEdit, writeNext } from "../../../src/monitor/polling/write-corrections.ts";
import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import { createSourceClient, type SourceClient } from "../../../src/monitor/source/source-client.ts";
import { SourceError, type SourceErrorKind } from "../../../src/monitor/source/source-error.ts";
import { type Database, openDatabase } from "../../../src/monitor/store/database.ts";
import { createServerQuirkStore } from "../../../src/monitor/store/server-quirks.ts";
import { createStores, type Stores } from "../../../src/monitor/store/stores.ts";
import { startFakeListeningApi } from "../../fakes/listening-api.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../../listening-api/fixture.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";

const ann = { via: "page", login: "ann", typed: null } as const;
const NOW = T0;
let fixture: Fixture;
let own: TestDatabase;
let database: Database;
let stores: Stores;
let client: SourceClient;
let projectId: string;
let queryId: string;
let parts: Parameters<typeof writeNext>[0];

const clientTo = (baseUrl: string) =>
  createSourceClient({
    baseUrl,
    credentials: {
      username: SEED.user.username,
      password: SEED.user.password,
      clientId: "earshot-api-client",
    },
    tokens: createMemoryTokenStore(),
  });

beforeAll(async () => {
  fixture = await startFixture();
  own = await createTestDatabase();
  database = openDatabase({ url: own.url, onError: () => {} });
  stores = createStores(database.db);
  projectId = String(fixture.account.projectId);
  const alpha = fixture.account.queries.get("Alpha") ?? 0;
  queryId = String(alpha);
  const versions = [1, 2, 3].map((n) =>
    mentionVersion(
      { queryId: alpha, resourceId: resourceId(n), sentiment: "neutral" },
      { added: T0 - n * 60_000 },
    ),
  );
  await insertMentions(createDatabase(fixture.database.pool), versions);
  client = clientTo(await fixture.api.listen({ host: "127.0.0.1", port: 0 }));
  parts = partsOf(client);
});
afterAll(async () => {
  await client.close();
  await fixture.stop();
  await database.close();
  await own.drop();
});

function partsOf(background: SourceClient): Parameters<typeof writeNext>[0] {
  const quirkLog = createQuirkLog(createServerQuirkStore(database.db, "acme"), createManualClock(NOW));
  const source = { config: { writeCorrections: true }, background, pages: { quirkLog } };
  return {
    ...{ stores, source: source as unknown as Parameters<typeof writeNext>[0]["source"] },
    ...{ log: pino({ level: "silent" }), signal: new AbortController().signal },
  };
}

const keyOf = (n: number) => ({ projectId, queryId, resourceId: resourceId(n) });
let corrected = 0;
const correct = (n: number, edit: MentionEdit) =>
  stores.sourceEdits.add({ ...keyOf(n), id: uuid7(NOW + corrected++), at: NOW, actor: ann, edit });
const statesOf = async (n: number) =>
  (await stores.sourceEdits.ofMention(keyOf(n))).map(({ state }) => state);
async function atTheSource(n: number) {
  const page = await client.mentionsPage({
    projectId,
    queryIds: [queryId],
    startDate: T0 - 86_400_000,
    endDate: T0,
  });
  return page.mentions.find((one) => one.resourceId === resourceId(n));
}

test("a correction reaches the account, and the newest of two that wait is the one", async () => {
  await correct(1, { sentiment: "positive" });
  await correct(1, { sentiment: "negative" });
  expect(await writeNext(parts)).toBe("Written");
  expect(await writeNext(parts)).toBe("NothingDue");
  expect(await statesOf(1)).toEqual(["given-up", "sent"]);
  expect((await atTheSource(1))?.sentiment).toBe("negative");
  const quirks = await createServerQuirkStore(database.db, "acme").all();
  expect(quirks.get("edits")?.value).toBe("accepted");
});

test("one that comes late, because its worker was held, does not stay over a newer one", async () => {
  const { claim, settle } = stores.sourceEdits;
  const write = async (sentiment: "positive" | "negative") => {
    await correct(3, { sentiment });
    const claimed = await claim();
    if (claimed === null) throw new Error("it is not due");
    return claimed;
  };
  for (const newerEnds of ["before", "after"] as const) {
    const late = await write("negative");
    await sql`update earshot.source_edits set leased_until_wall = now() - interval '1 s' where id = ${late.id}::uuid`.execute(
      database.db,
    );
    const newer = await write("positive");
    await settle(newerEnds === "before" ? newer : late);
    await settle(newerEnds === "before" ? late : newer);
    expect(await writeNext(parts)).toBe("Written");
    expect((await atTheSource(3))?.sentiment).toBe("positive");
    expect(await writeNext(parts)).toBe("NothingDue");
  }
});

test("categories are put on and taken off", async () => {
  const db = createDatabase(fixture.database.pool);
  const children = [{ name: "Price" }, { name: "Safety" }];
  await saveCategory(db, Number(projectId), { name: "Subjects", multiple: true, children });
  const subjects = (await listCategories(db, Number(projectId))).find(({ name }) => name === "Subjects");
  const [price, safety] = (subjects?.children ?? []).map(({ id }) => String(id));
  await correct(2, { addCategories: [price ?? ""], removeCategories: [] });
  await writeNext(parts);
  expect((await atTheSource(2))?.categories.map(({ name }) => name)).toEqual(["Price"]);
  await correct(2, { addCategories: [safety ?? ""], removeCategories: [price ?? ""] });
  await writeNext(parts);
  expect((await atTheSource(2))?.categories.map(({ name }) => name)).toEqual(["Safety"]);
});

test("what the account refuses is given up, with its reason; a mention's next one waits its turn", async () => {
  await correct(2, { addCategories: ["999999"], removeCategories: [] });
  expect(await writeNext(parts)).toBe("GivenUp");
  const [last] = (await stores.sourceEdits.ofMention(keyOf(2))).slice(-1);
  expect(last).toMatchObject({ state: "given-up", problem: expect.stringContaining("400") });
});

test("a server without the call is known by that, and asked again after a day", async () => {
  const server = await startFakeListeningApi();
  const other = clientTo(server.baseUrl);
  server.reply((response) => response.writeHead(404).end());
  await correct(1, { sentiment: "neutral" });
  expect(await writeNext(partsOf(other))).toBe("NotSupported");
  expect(await writeNext(partsOf(other))).toBe("NothingDue");
  expect((await createServerQuirkStore(database.db, "acme").all()).get("edits")?.value).toBe("refused");
  const [call] = server.calls;
  expect([call?.method, call?.path, JSON.parse(call?.body ?? "")]).toEqual([
    ...["POST", `/projects/${projectId}/data/mentions`],
    [{ queryId: Number(queryId), resourceId: resourceId(1), sentiment: "neutral" }],
  ]);
  expect((await statesOf(1)).at(-1)).toBe("due");
  await other.close();
  await server.close();
});

test.each([
  ["unavailable", 503, 1, "Retry"],
  ["timeout", null, 1, "Retry"],
  ["network", null, 23, "Retry"],
  ["network", null, 24, "GivenUp"],
  ["over-budget", null, 99, "Retry"],
  ["not-found", 404, 1, "NotSupported"],
  ["not-found", 404, 3, "GivenUp"],
  ["rejected", 405, 1, "NotSupported"],
  ["forbidden", 403, 1, "NotSupported"],
  ["rejected", 400, 1, "GivenUp"],
] as const)("%s (%s), tried %i times: %s", (kind: SourceErrorKind, status, attempts, outcome) => {
  const error = new SourceError({ kind, status, call: "edit-mention", message: "no", retryable: false });
  expect(decideEdit(error, attempts).outcome).toBe(outcome);
});
