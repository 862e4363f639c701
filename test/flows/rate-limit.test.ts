import { expect, test } from "vitest";
import { SECOND } from "../../src/lib/instant.ts";
import { openLimitedWorld, until } from "./limited-world.ts";

const BRANDS = Array.from({ length: 40 }, (_, i) => `Brand ${i}`);
const LIMIT = { limit: 12, periodMs: 4 * SECOND };
const openWorld = () => openLimitedWorld({ brands: BRANDS, rate: LIMIT });

test("forty queries live on twelve calls in a window: never one too many, everything seen, once", async () => {
  const world = await openWorld();
  await world.publish(40, 1);
  await until("all is read once", async () => (await world.stored()).distinct === 40);
  await world.publish(400, 6 * SECOND);
  await until("everything is stored", async () => (await world.stored()).distinct === 440);
  expect(await world.stored()).toEqual({ rows: 440, distinct: 440 });
  expect(world.line.mostInWindow()).toBeLessThanOrEqual(LIMIT.limit);
  expect(world.line.calls.filter(({ refused }) => refused)).toEqual([]);
  // Calls are shared, and the source has shown that it answers for many queries at once.
  expect(await world.query("select sharing, calls, learned_from from earshot.budgets")).toEqual([
    { sharing: "proven", calls: 12, learned_from: "answer" },
  ]);
  expect(world.line.calls.some(({ path }) => path.split("queryId=").length > 30)).toBe(true);
  // Every poll's coverage is complete: everything in the source's total was stored.
  expect(await world.query("select 1 from earshot.coverage where gap > 0")).toEqual([]);
  expect(await world.query("select 1 from earshot.polls where failures > 0")).toEqual([]);
}, 120_000);

test("when another program uses up the account, the budget closes and opens again, and nothing is lost", async () => {
  const world = await openWorld();
  await world.publish(40, 1);
  await until("all is read once", async () => (await world.stored()).distinct === 40);
  world.line.useByOthers(LIMIT.limit);
  const before = world.line.calls.length;
  await world.publish(40, 1);
  await until("everything is stored", async () => (await world.stored()).distinct === 80);
  // One refusal is enough; a client that repeats would have collected many.
  expect(world.line.calls.slice(before).filter(({ refused }) => refused).length).toBeLessThanOrEqual(5);
  expect(await world.stored()).toEqual({ rows: 80, distinct: 80 });
}, 120_000);
