import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { beat, HeartbeatConfig } from "../../../src/monitor/health/heartbeat.ts";
import { type FakeWebServer, startFakeWebServer } from "../../fakes/web-server.ts";
import { useStores } from "../../use-stores.ts";

const { stores, database } = await useStores();
let outside: FakeWebServer;
beforeAll(async () => {
  outside = await startFakeWebServer();
});
afterAll(() => outside.close());

test.each([
  [200, false],
  [202, false],
  [204, false],
  [302, true],
  [404, true],
  [503, true],
])("a service that answers %i is reported as one that does not accept: %s", async (status, isReported) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  outside.answers.push({ status });
  await sql`delete from earshot.pulses`.execute(database.db);
  const config = HeartbeatConfig.parse({ url: outside.url, allowPrivateAddress: true });
  const state = { outcome: "Beats", at: Date.UTC(2026, 2, 2, 12) } as const;
  await beat(config, state, { stores, log, signal: new AbortController().signal });
  expect(lines.some((line) => line.includes("the heartbeat was not accepted"))).toBe(isReported);
});
