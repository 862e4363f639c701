import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { TransientError } from "../../../src/lib/retry.ts";
import { type DeliverParts, deliver } from "../../../src/monitor/notify/deliver/deliver.ts";
import { email } from "../../../src/monitor/notify/notifiers/email.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { sampleAlertViews } from "../../../src/monitor/templates/sample-alert-views.ts";
import { anAlert, pending } from "../../console/make-a-story.ts";
import { notifierDeps } from "../../contracts/notifier.ts";
import { type FakeSmtp, startFakeSmtp } from "../../fakes/smtp.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const ALERT = anAlert({ openedAt: NOW });
const { database, stores } = await useStores({ onError: () => {} });
let server: FakeSmtp;

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  server = await startFakeSmtp();
});
afterAll(() => server.close());

test("a mail sent while the database is down is marked sent when it is back, and not sent again", async () => {
  const { host, port } = server;
  const config = { kind: "email", to: "duty@example.org", from: "earshot@example.com", smtp: { host, port } };
  const notifier = email.create(email.config.parse(config), await notifierDeps());
  const [view] = sampleAlertViews;
  if (view === undefined) throw new Error("there is no sample");
  let away = 3;
  const parts: DeliverParts = {
    log: {
      ...stores.notifications,
      markSent: async (...sent) => {
        // The driver's error from a server that is starting.
        if (away-- > 0) throw new TransientError("ServerStopped", "the database system is starting up");
        await stores.notifications.markSent(...sent);
      },
    },
    notifierOf: () => notifier,
    channelLimits: stores.channelLimits,
    receiversOf: () => ["desk"],
    liveMessages: stores.alertMessages,
    viewOf: async () => ({ about: "alert", view }),
    clock: createManualClock(NOW),
  };
  const notification = pending(ALERT, { receiver: "desk", createdAt: NOW });
  await stores.notifications.addPending([notification]);
  const job = { projectId: notification.projectId, notificationId: notification.id };
  expect(await deliver(parts, job, AbortSignal.timeout(30_000))).toEqual({
    outcome: "Sent",
    receiver: "desk",
  });
  expect(await deliver(parts, job, AbortSignal.timeout(30_000))).toEqual({ outcome: "NotDue" });
  expect(server.mails).toHaveLength(1);
});
