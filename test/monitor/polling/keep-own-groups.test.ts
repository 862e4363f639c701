import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { saveQueryGroup } from "../../../src/listening-api/store/query-groups.ts";
import { keepOwnGroups, storeMark } from "../../../src/monitor/polling/keep-own-groups.ts";
import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import { createSourceClient, type SourceClient } from "../../../src/monitor/source/source-client.ts";
import type { SourceError } from "../../../src/monitor/source/source-error.ts";
import { openDatabase } from "../../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../../src/monitor/store/stores.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { type Fixture, SEED, startFixture, T0 } from "../../listening-api/fixture.ts";
import { createTestDatabase } from "../../postgres.ts";

let fixture: Fixture;
let client: SourceClient;
let stores: Stores;
let projectId: string;
let queryIds: string[];
const ending: (() => Promise<void>)[] = [];

beforeAll(async () => {
  fixture = await startFixture();
  ending.push(fixture.stop);
  projectId = String(fixture.account.projectId);
  queryIds = [...fixture.account.queries.values()].map(String);
  client = createSourceClient({
    baseUrl: await fixture.api.listen({ host: "127.0.0.1", port: 0 }),
    credentials: {
      username: SEED.user.username,
      password: SEED.user.password,
      clientId: "earshot-api-client",
    },
    tokens: createMemoryTokenStore(),
  });
  ending.unshift(client.close);
  const database = await createTestDatabase();
  const { db, close } = openDatabase({ url: database.url, onError: (error) => expect.fail(error.message) });
  stores = createStores(db);
  ending.unshift(close, database.drop);
  const group = { name: "Earshot 1 (other123)", shared: "public", sharedProjectIds: [] };
  await saveQueryGroup(
    createDatabase(fixture.database.pool),
    { projectId: Number(projectId), userId: null },
    { ...group, queryIds: [Number(queryIds[0])] },
  );
});

afterAll(async () => {
  for (const end of ending) await end();
});

async function keep(
  wanted: readonly string[],
  source: Pick<SourceClient, "extensions"> = client,
  isFresh = true,
) {
  const listed = await client.extensions.queryGroups(projectId);
  const parts = { stores, source, log: createLog({ level: "silent" }), signal: AbortSignal.timeout(60_000) };
  const kept = await keepOwnGroups(parts, { projectId, wanted, listed, isFresh }, T0);
  if (kept !== null) await storeMark(stores, projectId, kept);
  return { listed, after: kept?.listed ?? [] };
}

const mark = async () => [...(await stores.settings.under("query groups of ")).values()][0];

const OTHERS = ["Earshot 1 (other123)"];
const namesOf = (groups: readonly { readonly name: string }[]) => groups.map(({ name }) => name);
const isOurs = ({ name }: { readonly name: string }) => /^Earshot \d+ \([0-9a-f]{8}\)$/.test(name);

test("groups of ours follow the queries, are found by their mark after a kill, and go; others' are left alone", async () => {
  // The answer is lost, as with a kill behind it: the group is there, and nobody has recorded it.
  const { createQueryGroup } = client.extensions;
  const killed = new Error("killed");
  const dying = {
    extensions: {
      ...client.extensions,
      createQueryGroup: async (group: Parameters<typeof createQueryGroup>[0]) => {
        await createQueryGroup(group);
        throw killed;
      },
    },
  };
  await expect(keep(queryIds, dying)).rejects.toBe(killed);
  const { listed, after } = await keep(queryIds);
  expect(listed.filter(isOurs)).toHaveLength(1);
  expect(after).toEqual(listed);
  expect(after.find(isOurs)?.queryIds).toEqual(queryIds);

  const fewer = await keep(queryIds.slice(1));
  expect(fewer.after.find(isOurs)?.queryIds).toEqual(queryIds.slice(1));
  expect((await keep(queryIds.slice(1))).listed).toEqual(fewer.after);

  expect(namesOf((await keep([])).after)).toEqual(OTHERS);
  expect(namesOf(await client.extensions.queryGroups(projectId))).toEqual(OTHERS);
  expect(await mark()).toBeUndefined();
  // Whoever has read the list before that stores it no more.
  expect((await keep([])).after).toEqual([]);
});

test.each([
  [true, false],
  [false, true],
])(
  "a group that another process removes meanwhile is no refusal of the account; list is new: %s, asked again: %s",
  async (isFresh, isSent) => {
    await keep(queryIds);
    const { deleteQueryGroup } = client.extensions;
    const overtaken = {
      extensions: {
        ...client.extensions,
        deleteQueryGroup: async (group: Parameters<typeof deleteQueryGroup>[0]) => {
          await deleteQueryGroup(group);
          await storeMark(stores, projectId, { mark: null });
          await deleteQueryGroup(group);
        },
      },
    };
    const { after } = await keep([], overtaken, isFresh);
    expect(await mark()).toMatchObject({ refusedAt: null, isSent });
    if (isFresh) expect(namesOf(after)).toEqual(OTHERS);
    expect(namesOf((await keep([])).after)).toEqual(OTHERS);
    expect(await mark()).toBeUndefined();
  },
);

test("it is known whether a change was sent; one that an older list refuses is no refusal of the account", async () => {
  const failing = (error: SourceError) => {
    const createQueryGroup = () => Promise.reject(error);
    return { extensions: { ...client.extensions, createQueryGroup } };
  };
  const refused = sourceFailure("no such group", { kind: "not-found", status: 404, retryable: false });
  await keep(queryIds, failing(sourceFailure("no call is left", { kind: "over-budget" })));
  expect(await mark()).toMatchObject({ refusedAt: null, isSent: false });
  await keep(queryIds, failing(sourceFailure("the answer is late", { kind: "timeout" })));
  expect(await mark()).toMatchObject({ refusedAt: null, isSent: true });
  await keep(queryIds, failing(refused), false);
  expect(await mark()).toMatchObject({ refusedAt: null, isSent: true });
  await keep(queryIds, failing(refused));
  expect(await mark()).toMatchObject({ refusedAt: T0, isSent: false });
});
