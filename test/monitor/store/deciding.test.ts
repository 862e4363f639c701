import { beforeAll, expect, test } from "vitest";
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
