import { expect, test } from "vitest";
import { useStores } from "../../use-stores.ts";

const { stores } = await useStores();

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
