import { sql } from "kysely";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { HOUR } from "../../../src/lib/instant.ts";
import type { Notifier } from "../../../src/monitor/notify/define-notifier.ts";
import { type DeliverParts, deliver } from "../../../src/monitor/notify/deliver/deliver.ts";
import { slack } from "../../../src/monitor/notify/notifiers/slack.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { sampleAlertViews } from "../../../src/monitor/templates/sample-alert-views.ts";
import { anAlert, pending } from "../../console/make-a-story.ts";
import { notifierDeps } from "../../contracts/notifier.ts";
import { type FakeSlack, startFakeSlack } from "../../fakes/slack.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const [VIEW] = sampleAlertViews;
const { database, stores } = await useStores({ onError: () => {} });
let fake: FakeSlack;
let notifier: Notifier;

beforeAll(() => ensurePartitions(database.db, NOW));
beforeEach(async () => {
  fake = await startFakeSlack({ channels: ["alerts"] });
  const { token, apiUrl } = fake;
  notifier = slack.create(
    slack.config.parse({ kind: "slack", channel: "#alerts", token, apiUrl }),
    await notifierDeps(),
  );
});
afterEach(() => fake.close());

function worker(changed: Partial<DeliverParts> = {}): DeliverParts {
  return {
    log: stores.notifications,
    notifierOf: () => ({ send: notifier.send, check: notifier.check, close: notifier.close }),
    channelLimits: stores.channelLimits,
    receiversOf: () => ["desk"],
    liveMessages: stores.alertMessages,
    viewOf: async (notification) => ({
      ...{ about: "alert", view: VIEW, behind: await stores.notifications.waitingBehind(notification) },
    }),
    clock: createManualClock(NOW),
    ...changed,
  };
}

async function addPending(facts: Parameters<typeof pending>[1][] = [{}]) {
  const alert = anAlert({ openedAt: NOW });
  const notifications = facts.map((one, index) =>
    pending(alert, { receiver: "desk", createdAt: NOW + index, ...one }),
  );
  await stores.notifications.addPending(notifications);
  return notifications.map(({ projectId, id }) => ({ projectId, notificationId: id }));
}

const signal = () => AbortSignal.timeout(30_000);
const passLeases = () =>
  sql`update earshot.notifications set leased_until_wall = now() - interval '1 second', next_attempt_wall = now()
    where state = 'due'`.execute(database.db);
const sentRows = async (id: string) =>
  (
    await sql`select from earshot.deliveries where notification_id = ${id}::uuid and outcome = 'sent'`.execute(
      database.db,
    )
  ).rows.length;

test("a worker that paused for longer than its lease does not post what another has posted", async () => {
  const [job] = await addPending();
  if (job === undefined) throw new Error("nothing is pending");
  const held = worker({
    viewOf: async () => {
      await passLeases();
      expect(await deliver(worker(), job, signal())).toMatchObject({ outcome: "Sent" });
      return { about: "alert", view: VIEW };
    },
  });
  expect(await deliver(held, job, signal())).toEqual({ outcome: "NotDue" });
  expect(await fake.messages()).toHaveLength(1);
  expect(await sentRows(job.notificationId)).toBe(1);
});

test("the outcome of an attempt that another worker has taken over changes nothing", async () => {
  const [job] = await addPending();
  if (job === undefined) throw new Error("nothing is pending");
  const first = await stores.notifications.claim(job.projectId, job.notificationId);
  await passLeases();
  const second = await stores.notifications.claim(job.projectId, job.notificationId);
  if (first === null || second === null) throw new Error("it cannot be claimed");
  await stores.notifications.markFailed(first, { code: "failed", detail: "too late" }, null);
  expect(await stores.notifications.renew(first)).toBe(false);
  expect(await stores.notifications.renew(second)).toBe(true);
  await stores.notifications.markSent(second, NOW, { ts: "1" }, []);
  await stores.notifications.markSent(first, NOW, { ts: "2" }, []);
  expect(await sentRows(job.notificationId)).toBe(1);
});

test("a channel that asks to wait is not asked by a worker that had taken its slot before", async () => {
  const [job] = await addPending();
  if (job === undefined) throw new Error("nothing is pending");
  fake.faults.push({
    method: "chat.postMessage",
    answer: { status: 429, headers: { "retry-after": "30" }, body: "" },
  });
  const { nextDue } = stores.notifications;
  let other: Promise<unknown> | null = null;
  const late = worker({
    notifierOf: () => notifier,
    log: {
      ...stores.notifications,
      nextDue: async (receivers) => {
        other ??= deliver(worker({ notifierOf: () => notifier }), job, signal());
        await other;
        return nextDue(receivers);
      },
    },
  });
  expect(await deliver(late, job, signal())).toEqual({ outcome: "NotDue" });
  expect(await other).toMatchObject({ outcome: "Failed", retryAfterMs: 30_000 });
  expect(fake.calls.filter(({ method }) => method === "chat.postMessage")).toHaveLength(1);
});

test("news that was sent with a lost answer is not sent again", async () => {
  const [first, behind] = await addPending([{ kind: "escalated" }, { kind: "reminder" }]);
  if (first === undefined || behind === undefined) throw new Error("nothing is pending");
  fake.faults.push({ method: "chat.postMessage", drop: "after" });
  expect(await deliver(worker(), first, signal())).toMatchObject({ outcome: "Failed" });
  await passLeases();
  expect(await deliver(worker(), first, signal())).toMatchObject({ outcome: "Sent" });
  expect(await deliver(worker(), behind, signal())).toEqual({ outcome: "NotDue" });
  expect(await fake.messages()).toHaveLength(1);
});

test("news of a moment before the facts are read is in the message, and not sent again", async () => {
  const alert = anAlert({ openedAt: NOW });
  const [one, news] = (["fired", "escalated"] as const).map((kind, index) =>
    pending(alert, { receiver: "desk", kind, createdAt: NOW + index }),
  );
  if (one === undefined || news === undefined) throw new Error("nothing is pending");
  await stores.notifications.addPending([one]);
  const first = { projectId: one.projectId, notificationId: one.id };
  const later = { projectId: one.projectId, notificationId: news.id };
  const reads: DeliverParts["viewOf"] = async (notification) => {
    await stores.notifications.addPending([news]);
    return worker().viewOf(notification);
  };
  expect(await deliver(worker({ viewOf: reads }), first, signal())).toMatchObject({ outcome: "Sent" });
  expect(await deliver(worker(), later, signal())).toEqual({ outcome: "NotDue" });
  expect(await sentRows(later.notificationId)).toBe(1);
  expect(await fake.messages()).toHaveLength(1);
});

test("a message that Slack has posted, and answers with a fault of its own, is not posted again", async () => {
  const [job] = await addPending();
  if (job === undefined) throw new Error("nothing is pending");
  const body = JSON.stringify({ ok: false, error: "internal_error" });
  fake.faults.push({ method: "chat.postMessage", answer: { status: 200, body }, done: true });
  expect(await deliver(worker(), job, signal())).toMatchObject({ outcome: "Failed" });
  await passLeases();
  await sql`update earshot.channel_limits set closed_until_wall = '-infinity'`.execute(database.db);
  expect(await deliver(worker(), job, signal())).toMatchObject({ outcome: "Sent" });
  expect(await fake.messages()).toHaveLength(1);
});

test.each([HOUR, -HOUR])(
  "a worker whose clock is %d ms off sends what is due, and nothing that has to wait",
  async (off) => {
    const [due, waiting] = [await addPending(), await addPending()].flat();
    if (due === undefined || waiting === undefined) throw new Error("nothing is pending");
    await sql`update earshot.notifications set next_attempt_wall = now() + interval '30 minutes'
    where id = ${waiting.notificationId}::uuid`.execute(database.db);
    const odd = worker({ clock: createManualClock(NOW + off) });
    expect(await deliver(odd, waiting, signal())).toEqual({ outcome: "NotDue" });
    expect(await deliver(odd, due, signal())).toMatchObject({ outcome: "Sent" });
  },
);
