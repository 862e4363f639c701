import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { MINUTE } from "../../../src/lib/instant.ts";
import type { Notification } from "../../../src/monitor/model/notification.ts";
import { deliver } from "../../../src/monitor/notify/deliver/deliver.ts";
import { email } from "../../../src/monitor/notify/notifiers/email.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { sampleAlertViews } from "../../../src/monitor/templates/sample-alert-views.ts";
import { anAlert, pending } from "../../console/make-a-story.ts";
import { notifierDeps } from "../../contracts/notifier.ts";
import { type ScriptedSmtp, startScriptedSmtp } from "../../fakes/scripted-smtp.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const ALERTS = Array.from({ length: 8 }, (_, i) =>
  anAlert({ openedAt: NOW + i * MINUTE, queryName: `Brand ${i}`, fingerprint: `f${i}` }),
);
const { database, stores } = await useStores({ onError: () => {} });
let server: ScriptedSmtp;

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  server = await startScriptedSmtp("none");
});
afterAll(async () => {
  await server.close();
});

test("a mail server that is down for an hour gets few tries, and then one mail for each alert, in order", async () => {
  const { host, port } = server;
  const config = email.config.parse({
    kind: "email",
    to: "duty@example.org",
    from: "earshot@example.com",
    smtp: { host, port },
  });
  const notifier = email.create(config, await notifierDeps());
  const [view] = sampleAlertViews;
  const parts = {
    log: stores.notifications,
    notifierOf: () => notifier,
    channelLimits: stores.channelLimits,
    receiversOf: () => ["desk"],
    liveMessages: stores.alertMessages,
    viewOf: async (notification: Notification) => {
      const { alertId, kind } = notification;
      const query = ALERTS.find(({ id }) => id === alertId)?.queryName ?? "";
      return {
        about: "alert",
        behind: await stores.notifications.waitingBehind(notification),
        view: { ...view, query, announcement: { query, text: kind } },
      } as const;
    },
    clock: createManualClock(NOW),
  };
  const passes = async (minutes: number) => {
    for (const { projectId, notificationId } of await stores.notifications.due(1_000))
      await deliver(parts, { projectId, notificationId }, AbortSignal.timeout(30_000));
    // The database's clock cannot be moved, so all waits are shortened.
    const step = sql`make_interval(mins => ${minutes})`;
    await sql`update earshot.notifications set next_attempt_wall = next_attempt_wall - ${step}`.execute(
      database.db,
    );
    await sql`update earshot.channel_limits set closed_until_wall = closed_until_wall - ${step},
      counted_wall = counted_wall - ${step}`.execute(database.db);
  };

  server.answers.greeting = "421 away";
  for (const [minute, alert] of ALERTS.entries()) {
    await stores.notifications.addPending([pending(alert, { receiver: "desk", createdAt: alert.openedAt })]);
    // Half of them are resolved before the server is back.
    const last = ALERTS[minute - 4];
    if (last !== undefined)
      await stores.notifications.addPending([
        pending(last, { receiver: "desk", kind: "resolved", createdAt: alert.openedAt + 1 }),
      ]);
    await passes(1);
  }
  for (let minute = 8; minute < 60; minute += 2) await passes(2);
  expect(server.mails).toEqual([]);
  const tries = async () =>
    (
      await sql<{ attempts: number }>`select attempts from earshot.notifications`.execute(database.db)
    ).rows.map(({ attempts }) => attempts);
  // Only the first one retries, at most once a minute; none is given up.
  const tried = await tries();
  expect(tried.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(60);
  expect(server.greeted).toBeLessThanOrEqual(60);

  delete server.answers.greeting;
  for (let round = 0; round < 5 && server.mails.length < 8; round++) await passes(1);
  expect(await stores.notifications.unsettled()).toBe(0);
  const subjects = () => server.mails.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]);
  // An alert that ended before it was sent is one mail.
  expect(subjects()).toEqual(ALERTS.map(({ queryName }) => `[CRITICAL] ${queryName}: fired`));

  const [first] = ALERTS;
  await stores.notifications.addPending([
    pending(first ?? anAlert({ openedAt: NOW }), {
      receiver: "desk",
      kind: "reminder",
      createdAt: NOW + 20 * MINUTE,
    }),
  ]);
  await passes(1);
  await notifier.close();
  const [firstMail, , , , , , , , later] = server.mails;
  expect(/^In-Reply-To: (.*)$/m.exec(later?.text ?? "")?.[1]).toBe(
    /^Message-ID: (.*)$/m.exec(firstMail?.text ?? "")?.[1],
  );
  expect(subjects().at(-1)).toMatch(/^\[CRITICAL, \d+ min\] Brand 0: reminder$/);
});
