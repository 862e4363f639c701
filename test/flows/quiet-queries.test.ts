import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import type { PushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import { startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { type FakeWebServer, startFakeWebServer } from "../fakes/web-server.ts";
import { createTestDatabase } from "../postgres.ts";

const TOKEN = "a-token-of-sixteen";
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
  const folder = await mkdtemp(join(tmpdir(), "earshot-quiet-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, "urgent.yaml"),
    "title: Urgent\ndescription: Somebody says urgent.\nseverity: critical\nwhen: { keyword: urgent }\n",
  );
  const config = await parseConfig({
    listen: {
      queries: [
        { name: "Acme", text: "acme" },
        { name: "Bolt", text: "bolt" },
      ],
      feeds: [{ kind: "push", token: TOKEN }],
      pollEvery: "500ms",
    },
    receivers: [{ name: "hook", kind: "webhook", url: hook.url, allowPrivateAddress: true }],
    routes: [{ receivers: ["hook"], groupWait: "0s" }],
    rules: folder,
  });
  const log = createLog({ level: "silent" });
  const parts = { databaseUrl: database.url, fetches: true, clock: systemClock, log, port: 0 };
  const listening = await withListening(config, parts, closing);
  if (listening.push === null) throw new Error("there is a push feed");
  push = listening.push;
  const earshot = await startEarshot({
    config: listening.configOf(config),
    ...listening.forMonitor,
    databaseUrl: database.url,
    queue: { kind: "postgres", url: database.url, schema: "earshot_queue" },
    ...{ clock: systemClock, log, roles: ROLES, sweepEveryMs: 200, checksHealth: false },
  });
  closing.add(earshot.stop);
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
  await expect.poll(async () => (await reading("Bolt")).polls, { timeout: 20_000 }).toBeGreaterThan(0);
  const before = { acme: await reading("Acme"), bolt: await reading("Bolt") };
  const isCompleteLater = async () => (await reading("Bolt")).until - before.bolt.until;
  await expect.poll(isCompleteLater, { timeout: 20_000 }).toBeGreaterThan(3_000);
  expect(await reading("Bolt")).toMatchObject({ polls: before.bolt.polls });

  expect(await push.take(TOKEN, { id: 1, text: "Acme is urgent", author: "ann" })).toMatchObject({
    body: { matched: 1 },
  });
  await expect.poll(() => hook.requests.length, { timeout: 20_000 }).toBe(1);
  expect((await reading("Acme")).polls).toBeGreaterThan(before.acme.polls);
  expect((await reading("Bolt")).polls).toBe(before.bolt.polls);
}, 60_000);
