import { beforeAll, expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { untilWaiting } from "./waiting.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();

beforeAll(() =>
  stores.queries.register(
    ["p", "q"].map((projectId) => oddQuery({ projectId })),
    NOON,
    NOON,
  ),
);

test("notifications of a project are decided by one transaction at a time, and projects do not wait for each other", async () => {
  const order: string[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isLocked = (): void => {};
  const locked = new Promise<void>((resolve) => {
    isLocked = resolve;
  });
  const first = stores.transaction(async ({ notifications }) => {
    await notifications.lockNotifications("p");
    isLocked();
    await held;
    order.push("first");
  });
  await locked;
  const second = stores.transaction(async ({ notifications }) => {
    await notifications.lockNotifications("p");
    order.push("second");
  });
  await stores.transaction(async ({ notifications }) => {
    await notifications.lockNotifications("another project");
    order.push("another");
  });
  release();
  await Promise.all([first, second]);
  expect(order).toEqual(["another", "first", "second"]);
});

test.each(["p", null])(
  "what wakes the decisions of project %s waits for one that is being made, which may have read the old state",
  async (projectId) => {
    let woken: Promise<unknown> = Promise.resolve();
    await stores.transaction(async ({ notifications }) => {
      await notifications.lockNotifications("p");
      woken = stores.transaction((others) => others.notifications.wake(projectId, "Silenced", NOON));
      await untilWaiting(database.db);
    });
    await woken;
  },
);

test("what wakes held decisions wakes those of escalations, whose steps may begin to count now", async () => {
  const { notifications } = stores;
  const own = { projectId: "p", alertId: uuid7(NOON) };
  const entryOf = (last: string) => ({ ...own, receiver: last, entry: { last }, nextAt: NOON + HOUR });
  await notifications.saveEntries(["HeldBySilence", "EscalationWaits", "HeldByThrottle"].map(entryOf));
  expect(await stores.transaction((facts) => facts.notifications.wake("p", "HeldBySilence", NOON))).toBe(2);
  const woken = (await notifications.entries("p", [own.alertId])).filter(({ nextAt }) => nextAt === NOON);
  expect(woken.map(({ receiver }) => receiver).sort()).toEqual(["EscalationWaits", "HeldBySilence"]);
});
