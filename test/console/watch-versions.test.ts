import { pino } from "pino";
import { expect, test } from "vitest";
import { watchVersions } from "../../src/console/live-route.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { cached } from "../../src/lib/concurrency.ts";

test("a new volume version is announced only once a fetch counts it again", async () => {
  const [domain, wall] = [createManualClock(0), createManualClock(0)];
  let mentions = 1;
  const counted = cached(async () => mentions, 5_000, wall);
  const others = { counts: "", alerts: "", notifications: "", inbox: "", coverage: "" };
  const facts = { versions: async () => ({ mentions: String(mentions), ...others }) };
  const watch = watchVersions(facts, domain, counted, pino({ level: "silent" }));

  const shown = await watch.current();
  expect(await counted.ask()).toBe(1);
  mentions = 2;
  wall.set(4_999);
  expect(await watch.current()).toMatchObject({ mentions: "2", volume: shown.volume });
  wall.set(5_000);
  expect((await watch.current()).volume).not.toBe(shown.volume);
  expect(await counted.ask()).toBe(2);
});
