import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLog } from "../../src/lib/log.ts";
import { beat, HEARTBEAT_KEY, HeartbeatConfig } from "../../src/monitor/health/heartbeat.ts";
import { type FakeWebServer, startFakeWebServer } from "../fakes/web-server.ts";
import { useStores } from "../use-stores.ts";

const { stores, database } = await useStores();
const log = createLog({ level: "silent" });
let at = Date.UTC(2026, 2, 2, 12);
let outside: FakeWebServer;
let inside: FakeWebServer;
beforeEach(async () => {
  [outside, inside] = await Promise.all([startFakeWebServer(), startFakeWebServer()]);
});
afterEach(() => Promise.all([outside.close(), inside.close()]));

async function beatWith(config: object): Promise<string> {
  // Whose turn it is goes by the wall.
  await sql`delete from earshot.pulses`.execute(database.db);
  at += 60_000;
  const state = { outcome: "Beats", at } as const;
  await beat(HeartbeatConfig.parse(config), state, { stores, log, signal: new AbortController().signal });
  return ((await stores.settings.get(HEARTBEAT_KEY)) as { answer: string }).answer;
}

it("a redirect is an answer, and is not followed", async () => {
  outside.answers.push({ status: 302, headers: { location: inside.url } });
  expect(await beatWith({ url: outside.url, allowPrivateAddress: true })).toBe("302");
  expect(outside.requests).toHaveLength(1);
  expect(inside.requests).toEqual([]);
});

it("a private address is not called unless that is allowed", async () => {
  const { port } = new URL(inside.url);
  for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f000001", "0"]) {
    expect(await beatWith({ url: `http://${host}:${port}/` })).toBe(
      "refused: a private address, and heartbeat.allowPrivateAddress is not set",
    );
  }
  expect(inside.requests).toEqual([]);
  expect(await beatWith({ url: inside.url, allowPrivateAddress: true })).toBe("200");
  expect(inside.requests).toHaveLength(1);
});
