import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type KeptConsole, keepConsole } from "../../src/console/keep-console.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { useStores } from "../use-stores.ts";

const { url } = await useStores();
const log = createLog({ level: "silent" });
let kept: KeptConsole | null = null;

afterEach(() => kept?.close());

async function freePort(): Promise<{ port: number; close(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => void server.close(),
  };
}

const optionsOf = (port: number, timezone = "UTC") => ({
  databaseUrl: url,
  clock: systemClock,
  log,
  settings: { host: "127.0.0.1", port, timezone, trustedProxies: [] },
  hasLocalInbox: false,
  rules: [],
});

test("the console answers every request while it is replaced, and then shows the new settings", async () => {
  const { port, close } = await freePort();
  close();
  kept = await keepConsole(optionsOf(port), log);
  const address = kept.url;
  let asking = true;
  const statuses: number[] = [];
  const reader = (async () => {
    while (asking) statuses.push((await fetch(`${address}/healthz`)).status);
  })();
  const next = await kept.prepare(optionsOf(port, "Asia/Tokyo"));
  next.take();
  const before = statuses.length;
  // One request that began before it was replaced, and one of the new console.
  await expect.poll(() => statuses.length, { timeout: 20_000 }).toBeGreaterThan(before + 1);
  asking = false;
  await reader;
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await (await fetch(`${address}/coverage`)).text()).toContain("GMT+9");
});

test("a console on a port in use is refused, and the one before goes on; a free port is used", async () => {
  const [first, taken, free] = await Promise.all([freePort(), freePort(), freePort()]);
  first.close();
  free.close();
  kept = await keepConsole(optionsOf(first.port), log);
  const before = kept.url;
  await expect(kept.prepare(optionsOf(taken.port))).rejects.toThrow(/is in use/);
  expect((await fetch(before)).status).toBe(200);
  (await kept.prepare(optionsOf(free.port))).take();
  expect(kept.url).toContain(String(free.port));
  expect((await fetch(kept.url)).status).toBe(200);
  taken.close();
});
