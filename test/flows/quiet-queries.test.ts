import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { startPushMonitor, TOKEN } from "../bench/push-monitor.ts";
import { type FakeWebServer, startFakeWebServer } from "../fakes/web-server.ts";
import { createTestDatabase } from "../postgres.ts";

const closing = createClosing();
let hook: FakeWebServer;
let push: PushEndpoint;
let client: pg.Client;

beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  closing.add(() => client.end());
  hook = await startFakeWebServer();
  closing.add(hook.close);
  const options = { databaseUrl: database.url, vendorUrl: hook.url, queries: 2, pollEvery: "500ms" };
  push = await startPushMonitor(closing, options);
});
afterAll(closing.close);

/** How many polls of new mentions have read a query, and up to when it is complete. */
async function reading(name: string) {
  const { rows } = await client.query<{ polls: number; until: Date | null }>(
    `select (select count(*)::int from earshot.coverage c
        where (c.project_id, c.query_id) = (q.project_id, q.query_id) and c.poll = 'added') as polls,
      w.complete_until as until
     from earshot.queries q join earshot.polls w using (project_id, query_id)
     where q.name = $1 and w.poll = 'added'`,
    [name],
  );
  return { polls: rows[0]?.polls ?? 0, until: rows[0]?.until?.getTime() ?? 0 };
}

test("quiet queries are complete up to now without polls, and what comes to one is read at once", async () => {
  await expect.poll(async () => (await reading("Brand 1")).polls, { timeout: 20_000 }).toBeGreaterThan(0);
  const before = { acme: await reading("Acme"), other: await reading("Brand 1") };
  const isCompleteLater = async () => (await reading("Brand 1")).until - before.other.until;
  await expect.poll(isCompleteLater, { timeout: 20_000 }).toBeGreaterThan(3_000);
  expect(await reading("Brand 1")).toMatchObject({ polls: before.other.polls });

  expect(await push.take(TOKEN, { id: 1, text: "Acme is urgent", author: "ann" })).toMatchObject({
    body: { matched: 1 },
  });
  await expect.poll(() => hook.requests.length, { timeout: 20_000 }).toBe(1);
  expect((await reading("Acme")).polls).toBeGreaterThan(before.acme.polls);
  expect((await reading("Brand 1")).polls).toBe(before.other.polls);
}, 60_000);
