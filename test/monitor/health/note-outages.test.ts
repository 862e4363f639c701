import { beforeEach, expect, test, vi } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { TransientError } from "../../../src/lib/retry.ts";
import { createOutageLog } from "../../../src/monitor/health/note-outages.ts";
import { asAdministrator } from "../../flows/story.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const MINUTE = 60_000;

const { url, stores } = await useStores({ connections: 2, onError: () => {} });
const clock = createManualClock(NOW);

beforeEach(async () => {
  clock.set(NOW);
  await asAdministrator(url, "truncate earshot.outages, earshot.pulses");
});

const notes = () => createOutageLog({ stores, clock, sweepsRun: true, queueIn: "redis" });
const written = async () =>
  (await stores.outages.endedAfter(0)).map(({ engine, outcome, from, to, because }) => {
    return { what: `${engine} ${outcome}`, minutes: Math.round((to - from) / MINUTE), because };
  });

test("the first check of a process reports once that no process ran before it", async () => {
  await stores.health.beat("sweep", NOW - 90 * MINUTE);
  await asAdministrator(url, "update earshot.pulses set at_wall = now() - interval '90 minutes'");
  const own = notes();
  await own.write();
  await own.write();
  expect(await written()).toEqual([{ what: "earshot Away", minutes: 90, because: null }]);
});

test("a first start, and one soon after the last sweep, report no outage", async () => {
  await notes().write();
  await stores.health.beat("sweep", NOW);
  await notes().write();
  expect(await written()).toEqual([]);
});

test("a process that could not write since its start was no pause, however long the database was away", async () => {
  const own = notes();
  await stores.health.beat("sweep", NOW);
  await asAdministrator(url, "update earshot.pulses set at_wall = now() - interval '80 seconds'");
  const later = performance.now() + 85_000;
  const spy = vi.spyOn(performance, "now").mockReturnValue(later);
  await own.write().finally(() => spy.mockRestore());
  expect(await written()).toEqual([]);
});

test("checks that fail for another reason than the engine are no outage", async () => {
  const own = notes();
  own.checkFailed(new TypeError("a fault of ours"));
  await own.write();
  expect(await written()).toEqual([]);
});

test("an outage is stored with its first error as soon as the tables answer", async () => {
  const own = notes();
  own.checkFailed(new TransientError("ConnectionFailed", "connect ECONNREFUSED"));
  own.checkFailed(new TransientError("ServerStopped", "starting up"));
  await own.write();
  expect(await written()).toMatchObject([{ what: "database Away", because: "connect ECONNREFUSED" }]);
});

test("an outage that several processes saw is stored once, with the longest duration", async () => {
  for (const [forMs, later] of [
    [3 * MINUTE, 0],
    [4 * MINUTE, 5_000],
    [1 * MINUTE, 10_000],
  ] as const) {
    clock.set(NOW + later);
    const own = notes();
    own.queueIsBack({ outcome: "Away", forMs, because: "ECONNREFUSED" });
    await own.write();
  }
  expect(await written()).toEqual([{ what: "queue Away", minutes: 4, because: "ECONNREFUSED" }]);
});

test("a queue in PostgreSQL is not down by itself, but can be emptied", async () => {
  const own = createOutageLog({ stores, clock, sweepsRun: true, queueIn: "postgres" });
  own.queueIsBack({ outcome: "Away", forMs: MINUTE, because: "ECONNREFUSED" });
  own.queueIsBack({ outcome: "Emptied", forMs: 0, because: null });
  await own.write();
  expect(await written()).toMatchObject([{ what: "queue Emptied" }]);
});

test("an outage that cannot be stored is kept for the next try", async () => {
  const own = notes();
  own.queueIsBack({ outcome: "Emptied", forMs: 0, because: null });
  await asAdministrator(url, "alter table earshot.outages rename to outages_away");
  await expect(own.write()).rejects.toThrow();
  await asAdministrator(url, "alter table earshot.outages_away rename to outages");
  await own.write();
  expect(await written()).toMatchObject([{ what: "queue Emptied" }]);
});
