import { beforeEach, expect, test } from "vitest";
import { createOutageLog } from "../../src/health/note-outages.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { asAdministrator } from "../flows/story.ts";
import { useStores } from "../use-stores.ts";

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

test("the first look of a process says that none was there before it, once", async () => {
  await stores.health.beat("sweep", NOW - 90 * MINUTE);
  await asAdministrator(url, "update earshot.pulses set at_wall = now() - interval '90 minutes'");
  const own = notes();
  await own.write();
  await own.write();
  expect(await written()).toEqual([{ what: "earshot away", minutes: 90, because: null }]);
});

test("a first start, and one soon after the last sweep, say nothing", async () => {
  await notes().write();
  await stores.health.beat("sweep", NOW);
  await notes().write();
  expect(await written()).toEqual([]);
});

test("looks that fail for another reason than the engine are no outage", async () => {
  const own = notes();
  own.checkFailed(new TypeError("a fault of ours"));
  await own.write();
  expect(await written()).toEqual([]);
});

test("what failed in between is told with its first error as soon as something can be written", async () => {
  const own = notes();
  own.checkFailed(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
  own.checkFailed(Object.assign(new Error("starting up"), { code: "57P03" }));
  await own.write();
  expect(await written()).toMatchObject([{ what: "database away", because: "connect ECONNREFUSED" }]);
});

test("what several processes saw is one outage, as long as the longest", async () => {
  for (const [forMs, later] of [
    [3 * MINUTE, 0],
    [4 * MINUTE, 5_000],
    [1 * MINUTE, 10_000],
  ] as const) {
    clock.set(NOW + later);
    const own = notes();
    own.queueIsBack({ outcome: "away", forMs, because: "ECONNREFUSED" });
    await own.write();
  }
  expect(await written()).toEqual([{ what: "queue away", minutes: 4, because: "ECONNREFUSED" }]);
});

test("a queue in PostgreSQL is not away by itself, but can be emptied", async () => {
  const own = createOutageLog({ stores, clock, sweepsRun: true, queueIn: "postgres" });
  own.queueIsBack({ outcome: "away", forMs: MINUTE, because: "ECONNREFUSED" });
  own.queueIsBack({ outcome: "emptied", forMs: 0, because: null });
  await own.write();
  expect(await written()).toMatchObject([{ what: "queue emptied" }]);
});

test("what cannot be written is kept for the next time", async () => {
  const own = notes();
  own.queueIsBack({ outcome: "emptied", forMs: 0, because: null });
  await asAdministrator(url, "alter table earshot.outages rename to outages_away");
  await expect(own.write()).rejects.toThrow();
  await asAdministrator(url, "alter table earshot.outages_away rename to outages");
  await own.write();
  expect(await written()).toMatchObject([{ what: "queue emptied" }]);
});
