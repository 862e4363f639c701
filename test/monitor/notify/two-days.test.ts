import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { checkReceiver } from "../../../src/monitor/health/checks/check-receiver.ts";
import type { PendingNotification } from "../../../src/monitor/model/notification.ts";
import type { Notifier } from "../../../src/monitor/notify/define-notifier.ts";
import { type DeliverParts, deliver } from "../../../src/monitor/notify/deliver/deliver.ts";
import { email } from "../../../src/monitor/notify/notifiers/email.ts";
import { webhook } from "../../../src/monitor/notify/notifiers/webhook.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { sampleAlertViews } from "../../../src/monitor/templates/sample-alert-views.ts";
import { anAlert, pending } from "../../console/make-a-story.ts";
import { notifierDeps } from "../../contracts/notifier.ts";
import { type ScriptedSmtp, startScriptedSmtp } from "../../fakes/scripted-smtp.ts";
import { type FakeWebServer, startFakeWebServer } from "../../fakes/web-server.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const { database, stores } = await useStores({ onError: () => {} });
let smtp: ScriptedSmtp;
let web: FakeWebServer;
let notifiers: ReadonlyMap<string, Notifier>;
let parts: DeliverParts;

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  smtp = await startScriptedSmtp("none");
  web = await startFakeWebServer();
  const deps = await notifierDeps();
  const { host, port } = smtp;
  const mail = { kind: "email", to: "a@example.org", from: "e@example.com", smtp: { host, port } };
  const hook = { kind: "webhook", url: web.url, allowPrivateAddress: true };
  notifiers = new Map([
    ["mailbox", email.create(email.config.parse(mail), deps)],
    ["hook", webhook.create(webhook.config.parse(hook), deps)],
  ]);
  const [view] = sampleAlertViews;
  if (view === undefined) throw new Error("no sample");
  parts = {
    log: stores.notifications,
    notifierOf: (name) => notifiers.get(name),
    channelLimits: stores.channelLimits,
    receiversOf: (channel) =>
      [...notifiers].filter(([, one]) => one.channel?.key === channel).map(([name]) => name),
    liveMessages: stores.alertMessages,
    viewOf: async () => ({ about: "alert", view }),
    clock: createManualClock(NOW),
  };
});
afterAll(async () => {
  for (const notifier of notifiers.values()) await notifier.close();
  await smtp.close();
  await web.close();
});

let turn = 0;
async function aMessage(receiver: string): Promise<PendingNotification> {
  const createdAt = NOW + turn++;
  const message = pending(anAlert({ openedAt: createdAt, fingerprint: `f${turn}` }), { receiver, createdAt });
  await stores.notifications.addPending([message]);
  return message;
}

async function tries({ projectId, id }: PendingNotification, times: number): Promise<string[]> {
  const outcomes: string[] = [];
  for (let n = 0; n < times; n++) {
    const result = await deliver(parts, { projectId, notificationId: id }, AbortSignal.timeout(30_000));
    outcomes.push(result.outcome);
    // The database's clock cannot be moved, so all waits are shortened.
    await sql`update earshot.notifications set next_attempt_wall = next_attempt_wall - interval '2 minutes'`.execute(
      database.db,
    );
    await sql`update earshot.channel_limits set closed_until_wall = closed_until_wall - interval '2 minutes',
      counted_wall = counted_wall - interval '2 minutes'`.execute(database.db);
  }
  return outcomes;
}
const tried = (message: PendingNotification, attempts: number) =>
  sql`update earshot.notifications set attempts = attempts_before + ${attempts} where id = ${message.id}::uuid`.execute(
    database.db,
  );

const AWAY: Readonly<
  Record<string, { fail: (times: number) => void; back: () => void; came: () => number }>
> = {
  "a webhook that answers 503": {
    fail: (times) => void web.answers.push(...Array.from({ length: times }, () => ({ status: 503 }))),
    back: () => void web.answers.splice(0),
    came: () => web.requests.length,
  },
  "a webhook that answers 500": {
    fail: (times) => void web.answers.push(...Array.from({ length: times }, () => ({ status: 500 }))),
    back: () => void web.answers.splice(0),
    came: () => web.requests.length,
  },
  "a webhook that breaks the connection": {
    fail: (times) => void web.answers.push(...Array.from({ length: times }, () => ({ drop: true as const }))),
    back: () => void web.answers.splice(0),
    came: () => web.requests.length,
  },
  "a mailbox that is busy (450 at RCPT)": {
    fail: () => {
      smtp.answers.rcpt = "450 4.2.1 mailbox busy";
    },
    back: () => {
      delete smtp.answers.rcpt;
    },
    came: () => smtp.mails.length,
  },
  "a mail server that takes no content now (451 at DATA)": {
    fail: () => {
      smtp.answers.data = "451 4.3.0 try later";
    },
    back: () => {
      delete smtp.answers.data;
    },
    came: () => smtp.mails.length,
  },
  "a mail server that takes no sender now (452 at MAIL)": {
    fail: () => {
      smtp.answers.mail = "452 4.3.1 out of room";
    },
    back: () => {
      delete smtp.answers.mail;
    },
    came: () => smtp.mails.length,
  },
};

describe("loses nothing by", () => {
  test.each(Object.entries(AWAY))("%s for an hour, a day, nearly two days", async (name, away) => {
    const message = await aMessage(name.includes("webhook") ? "hook" : "mailbox");
    away.fail(64);
    // One that waits for a slot of its channel is not tried, and costs no attempt.
    for (const outcome of await tries(message, 62)) expect(["Failed", "Paced"]).toContain(outcome);
    for (const attempts of [1_440, 2_860]) {
      await tried(message, attempts);
      for (const outcome of await tries(message, 1)) expect(["Failed", "Paced"]).toContain(outcome);
    }
    away.back();
    const before = away.came();
    expect(await tries(message, 4)).toContain("Sent");
    expect(away.came()).toBe(before + 1);
  });
});

test("after two days it is given up with its reason, and redeliver tries it again for as long", async () => {
  const message = await aMessage("mailbox");
  smtp.answers.rcpt = "450 4.2.1 mailbox busy";
  await tries(message, 2);
  await tried(message, 2_879);
  expect(await tries(message, 1)).toEqual(["Dead"]);
  const [givenUp] = await stores.notifications.givenUpLately(NOW + 2 * DAY);
  expect(givenUp).toMatchObject({ receiver: "mailbox", n: 1, error: expect.stringContaining("two days") });
  expect(givenUp?.error).toContain("450 4.2.1 mailbox busy");

  expect(await stores.notifications.redeliver("mailbox", NOW)).toBe(1);
  expect(await stores.notifications.givenUpLately(NOW)).toEqual([]);
  // The cause lasts a little longer.
  expect(await tries(message, 3)).toEqual(["Failed", "Failed", "Failed"]);
  delete smtp.answers.rcpt;
  expect(await tries(message, 1)).toEqual(["Sent"]);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from earshot.deliveries where notification_id = ${message.id}::uuid and outcome <> 'dead'
  `.execute(database.db);
  // Two, then three and the last: each attempt has its own number in the log.
  expect(rows[0]?.n).toBe(6);
});

describe("the operators' alerts about a receiver", () => {
  const failure = {
    kind: "receiver",
    scope: "hook",
    reason: "failing",
    message: "The webhook's server answered HTTP 503",
    final: false,
    since: NOW,
    forMs: 2 * DAY,
    lastAgoMs: 1_000,
    times: 2_880,
    checkFailed: false,
  } as const;
  test("that keeps failing: that messages wait, and once some are given up, that they are", () => {
    const waits = checkReceiver("hook", { ...failure, forMs: HOUR, times: 60 }, 5 * MINUTE);
    expect(waits).toMatchObject({
      outcome: "KeepsFailing",
      because: expect.stringContaining("kept and tried again for at least two days"),
    });
    const lost = checkReceiver("hook", failure, 5 * MINUTE, { n: 3, error: "HTTP 503" });
    expect(lost).toMatchObject({
      outcome: "KeepsFailing",
      because: expect.stringMatching(
        /3 messages were tried for two days and given up.*earshot redeliver hook/,
      ),
    });
  });
  test("that works again: that messages were given up, with what to do", () => {
    expect(checkReceiver("hook", undefined, 5 * MINUTE)).toEqual({ outcome: "Works" });
    expect(checkReceiver("hook", undefined, 5 * MINUTE, { n: 1, error: "HTTP 400" })).toEqual({
      outcome: "GaveUp",
      because:
        "1 message did not reach hook and is not tried again: HTTP 400. Newer ones arrive. earshot redeliver hook tries it once more",
    });
  });
});
