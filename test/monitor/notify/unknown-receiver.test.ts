import { beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { type DeliverParts, deliver } from "../../../src/monitor/notify/deliver/deliver.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { anAlert, pending } from "../../console/make-a-story.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const { database, stores } = await useStores();

beforeAll(() => ensurePartitions(database.db, NOW));

test.each([
  ["all processes run one version is given up", true, "Dead"],
  ["processes run different versions is tried again: another may know the receiver", false, "Failed"],
] as const)("a message to a receiver that is not configured, while %s", async (_, isOne, outcome) => {
  const parts: DeliverParts = {
    log: stores.notifications,
    notifierOf: () => undefined,
    channelLimits: stores.channelLimits,
    receiversOf: () => [],
    liveMessages: stores.alertMessages,
    viewOf: async () => null,
    allRunThis: async () => isOne,
    clock: createManualClock(NOW),
  };
  const notification = pending(anAlert({ openedAt: NOW }), { receiver: `new-${isOne}`, createdAt: NOW });
  await stores.notifications.addPending([notification]);
  const job = { projectId: notification.projectId, notificationId: notification.id };
  expect(await deliver(parts, job, AbortSignal.timeout(30_000))).toMatchObject({
    outcome,
    error: expect.stringContaining(`no receiver "new-${isOne}" is configured`),
  });
});
