import { createHash } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createManualClock } from "../../../../src/lib/clock.ts";
import { MINUTE, SECOND } from "../../../../src/lib/instant.ts";
import { uuid7 } from "../../../../src/lib/uuid7.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import type { Severity } from "../../../../src/monitor/model/severity.ts";
import { createChannels } from "../../../../src/monitor/notify/channels.ts";
import type { Notifier } from "../../../../src/monitor/notify/define-notifier.ts";
import {
  type DeliverOutcome,
  type DeliverParts,
  deliver,
} from "../../../../src/monitor/notify/deliver/deliver.ts";
import { updateMessage } from "../../../../src/monitor/notify/deliver/update-message.ts";
import { slack } from "../../../../src/monitor/notify/notifiers/slack.ts";
import { ensurePartitions } from "../../../../src/monitor/store/partitions.ts";
import { buildAlertView } from "../../../../src/monitor/templates/build-alert-view.ts";
import { notifierDeps } from "../../../contracts/notifier.ts";
import { type FakeSlack, startFakeSlack } from "../../../fakes/slack.ts";
import { useStores } from "../../../use-stores.ts";

const NOON = Date.UTC(2026, 2, 2, 12);
/** What the fake Slack calls #alerts: made from its name. */
const ALERTS_ID = `C0${createHash("sha256").update("alerts").digest("hex").slice(0, 9).toUpperCase()}`;
/** The local Slack only checks the first bytes. */
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const AWAY = { method: "chat.postMessage", answer: { status: 503, body: "" } };

const { database, stores } = await useStores();
let fake: FakeSlack;
let parts: DeliverParts;
let places: ReturnType<typeof createChannels>;
let made = 0;

beforeAll(async () => {
  await ensurePartitions(database.db, NOON);
  fake = await startFakeSlack();
  const deps = await notifierDeps();
  const notifiers = new Map<string, Notifier>(
    Object.entries({
      alerts: "#alerts",
      "alerts-too": "alerts",
      crisis: "#crisis",
      "alerts-by-id": ALERTS_ID,
    }).map(([name, channel]) => [
      name,
      slack.create(
        // So slow that the seconds which a busy machine loses do not count.
        slack.config.parse({
          ...{ kind: "slack", channel, token: fake.token, apiUrl: fake.apiUrl },
          ...{ postEvery: "1m", editEvery: "2m" },
        }),
        deps,
      ),
    ]),
  );
  places = createChannels(notifiers);
  parts = {
    log: stores.notifications,
    channelLimits: stores.channelLimits,
    liveMessages: stores.alertMessages,
    receiversOf: places.receiversOf,
    notifierOf: (name) => notifiers.get(name),
    viewOf: async ({ projectId, alertId, kind }) => {
      const alert = await stores.alerts.find(projectId, alertId ?? "");
      if (alert === null || kind === "digest") return null;
      const rule = { name: alert.rule, description: null };
      const more = { mentions: [], project: "Brands", timezone: "UTC", consoleUrl: null };
      return { about: "alert", view: buildAlertView({ kind, alert, rule, ...more }) };
    },
    clock: createManualClock(NOON),
  };
});
afterAll(async () => {
  await fake.close();
});

beforeEach(async () => {
  fake.faults.length = 0;
  fake.calls.length = 0;
  for (const message of await fake.messages()) await fake.remove(message);
  await sql`delete from earshot.channel_limits`.execute(database.db);
  await sql`delete from earshot.notifications`.execute(database.db);
  await sql`delete from earshot.alert_messages`.execute(database.db);
});

async function addPending(severity: Severity, name: string, receiver = "alerts"): Promise<Alert> {
  made += 1;
  const times = { openedAt: NOON, firedAt: NOON, lastSeenAt: NOON, windowFrom: NOON, windowTo: NOON };
  const alert: Alert = {
    ...{
      id: uuid7(NOON + made),
      projectId: "p",
      rule: name,
      fingerprint: `${made}`,
      queryId: "1",
      queryName: name,
    },
    ...{
      severity,
      state: "firing",
      labels: {},
      ...times,
      resolvedAt: null,
      notifyCount: 1,
      renotifyReason: null,
    },
    ...{ mentions: 1, because: "negative", values: {}, handling: {} },
  };
  await stores.alerts.save([alert]);
  const why = { kind: "fired", digest: null, createdAt: NOON, reason: "FirstNotification" } as const;
  await stores.notifications.addPending([
    { id: uuid7(NOON + made), projectId: "p", receiver, alertId: alert.id, ...why },
  ]);
  return alert;
}

/** What a sweep and its workers do. */
async function sweep(): Promise<DeliverOutcome["outcome"][]> {
  const closed = (await stores.channelLimits.closed()).flatMap(({ key }) => places.receiversOf(key));
  const due = await stores.notifications.due(500, closed);
  const outcomes: DeliverOutcome["outcome"][] = [];
  for (const job of due) outcomes.push((await deliver(parts, job, AbortSignal.timeout(10_000))).outcome);
  return outcomes;
}

/** Moves wall time forward: all waits are shortened. */
async function pass(ms: number): Promise<void> {
  const step = sql`make_interval(secs => ${ms / 1000})`;
  await sql`
    update earshot.channel_limits set closed_until_wall = closed_until_wall - ${step}, counted_wall = counted_wall - ${step}
  `.execute(database.db);
  await sql`update earshot.notifications set next_attempt_wall = next_attempt_wall - ${step}`.execute(
    database.db,
  );
  await sql`update earshot.alert_messages set next_edit_wall = next_edit_wall - ${step}`.execute(database.db);
}

/** Names of the alerts as they were posted in a channel, in order. */
async function postedIn(channel: string): Promise<string[]> {
  const messages = await fake.messages();
  return messages
    .filter(({ channelName, threadTs }) => `#${channelName}` === channel && threadTs === null)
    .map(({ text }) => /^(?:\w+) (\S+):/.exec(text)?.[1] ?? text);
}

test("a few go at once, then as many as the rate limit allows, the most severe first, and two receivers of a channel share it", async () => {
  for (let i = 0; i < 8; i++) await addPending("info", `mild-${i}`, i % 2 === 0 ? "alerts" : "alerts-too");
  await addPending("warning", "severe");
  await addPending("critical", "most-severe", "alerts-too");
  await sweep();
  expect(await postedIn("#alerts")).toEqual(["most-severe", "severe", "mild-0", "mild-1", "mild-2"]);
  await addPending("critical", "late-and-severe");
  for (let minute = 0; minute < 6; minute++) {
    const before = (await postedIn("#alerts")).length;
    await pass(MINUTE);
    await sweep();
    expect((await postedIn("#alerts")).length).toBe(before + 1);
  }
  expect((await postedIn("#alerts")).slice(5)).toEqual([
    "late-and-severe",
    "mild-3",
    "mild-4",
    "mild-5",
    "mild-6",
    "mild-7",
  ]);
});

test("a 429 closes that channel as long as Slack asks, and no other", async () => {
  await addPending("warning", "first");
  await addPending("warning", "elsewhere", "crisis");
  fake.faults.push({
    method: "chat.postMessage",
    answer: { status: 429, headers: { "retry-after": "300" }, body: "" },
  });
  // In the order of the receivers' names the first one meets the 429.
  await sweep();
  expect([await postedIn("#alerts"), await postedIn("#crisis")]).toEqual([[], ["elsewhere"]]);
  const calls = fake.calls.length;
  await addPending("critical", "meanwhile", "alerts-too");
  await pass(4 * MINUTE);
  await sweep();
  expect(fake.calls.length).toBe(calls);
  expect(await stores.channelLimits.closed()).toMatchObject([
    { reason: expect.stringContaining("Slack asks us to wait 300s") },
  ]);
  await pass(MINUTE);
  await sweep();
  await pass(MINUTE);
  await sweep();
  expect(await postedIn("#alerts")).toEqual(["meanwhile", "first"]);
  expect(await stores.channelLimits.closed()).toEqual([]);
});

test("one channel by name and by id has one limit, as soon as Slack has said that they are one", async () => {
  await addPending("info", "by-name");
  await sweep();
  expect((await fake.messages())[0]?.channel).toBe(ALERTS_ID);
  for (let i = 0; i < 3; i++) await addPending("info", `name-${i}`);
  await sweep();
  // Four of the five that may go at once are gone, whatever the channel is called.
  await addPending("critical", "by-id", "alerts-by-id");
  expect(await sweep()).toEqual(["Sent"]);
  await addPending("info", "late");
  await addPending("critical", "most-severe", "alerts-by-id");
  expect(await sweep()).toEqual(["Paced", "Paced"]);
  fake.faults.push({
    method: "chat.postMessage",
    answer: { status: 429, headers: { "retry-after": "300" }, body: "" },
  });
  await pass(MINUTE);
  await sweep();
  const calls = fake.calls.length;
  await pass(4 * MINUTE);
  expect(await sweep()).toEqual([]);
  expect(fake.calls.length).toBe(calls);
  await pass(MINUTE);
  await sweep();
  await pass(MINUTE);
  await sweep();
  expect((await postedIn("#alerts")).slice(-2)).toEqual(["most-severe", "late"]);
});

test("an hour without Slack: one try a minute, and then everything in its order, at the usual pace, none twice", async () => {
  for (let i = 0; i < 4; i++) await addPending("info", `mild-${i}`);
  await addPending("critical", "most-severe");
  for (let second = 0; second < 3600; second += 20) {
    if (second === 1800) await addPending("warning", "half-way");
    fake.faults.push(AWAY, AWAY, AWAY);
    await sweep();
    fake.faults.length = 0;
    await pass(20 * SECOND);
  }
  expect(await postedIn("#alerts")).toEqual([]);
  // 1 s, 2 s, 4 s … at first, then one a minute.
  const tries = fake.calls.filter(({ method }) => method === "chat.postMessage").length;
  expect(tries).toBeGreaterThan(50);
  expect(tries).toBeLessThan(75);
  const { rows } = await sql<{ state: string }>`select distinct state from earshot.notifications`.execute(
    database.db,
  );
  expect(rows).toEqual([{ state: "due" }]);
  await pass(MINUTE);
  await sweep();
  // The first success opens the channel again; the others follow one by one.
  expect(await postedIn("#alerts")).toEqual(["most-severe"]);
  for (let minute = 0; minute < 6; minute++) {
    await pass(MINUTE);
    await sweep();
    expect((await postedIn("#alerts")).length).toBeLessThanOrEqual(minute + 2);
  }
  expect(await postedIn("#alerts")).toEqual([
    "most-severe",
    "half-way",
    "mild-0",
    "mild-1",
    "mild-2",
    "mild-3",
  ]);
});

test("one message that Slack always refuses holds up nobody", async () => {
  await addPending("critical", "poison");
  await addPending("info", "mild");
  fake.faults.push({
    method: "chat.postMessage",
    answer: { status: 200, body: '{"ok":false,"error":"never_heard_of"}' },
  });
  expect(await sweep()).toEqual(["Failed", "Sent"]);
  expect(await postedIn("#alerts")).toEqual(["mild"]);
  await pass(2 * SECOND);
  await sweep();
  expect(await postedIn("#alerts")).toEqual(["mild", "poison"]);
});

test("edits are collected: one per interval, however often the alert grows, and the last state arrives", async () => {
  const alert = await addPending("warning", "growing");
  await sweep();
  const key = { projectId: "p", alertId: alert.id, receiver: "alerts" };
  const edit = () =>
    updateMessage({ ...parts, liveMessages: stores.alertMessages }, key, AbortSignal.timeout(10_000));
  expect(await stores.alertMessages.due(["alerts"], 10)).toEqual([key]);
  expect((await edit()).outcome).toBe("Shown");
  for (let mentions = 2; mentions <= 40; mentions++) {
    await stores.alerts.save([{ ...alert, mentions }]);
    expect(await stores.alertMessages.due(["alerts"], 10)).toEqual([]);
    expect((await edit()).outcome).toBe("NotDue");
  }
  await pass(2 * MINUTE);
  expect(await stores.alertMessages.due(["alerts"], 10)).toEqual([key]);
  expect((await edit()).outcome).toBe("Shown");
  expect(fake.calls.filter(({ method }) => method === "chat.update")).toHaveLength(2);
  expect(JSON.stringify((await fake.messages())[0]?.blocks)).toContain("40 mentions so far");
  await pass(2 * MINUTE);
  expect(await stores.alertMessages.due(["alerts"], 10)).toEqual([]);
});

test("simultaneous edits are one edit, and a change during an edit is shown by the next", async () => {
  const alert = await addPending("warning", "growing");
  await sweep();
  const key = { projectId: "p", alertId: alert.id, receiver: "alerts" };
  const liveMessages = stores.alertMessages;
  const viewOf: DeliverParts["viewOf"] = async (notification) => {
    const view = await parts.viewOf(notification);
    await stores.alerts.save([{ ...alert, mentions: 99 }]);
    return view;
  };
  const edit = (reads = parts.viewOf) =>
    updateMessage({ ...parts, liveMessages, viewOf: reads }, key, AbortSignal.timeout(10_000));
  const outcomes = await Promise.all([edit(viewOf), edit(viewOf), edit(viewOf)]);
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["NotDue", "NotDue", "Shown"]);
  await pass(2 * MINUTE);
  expect((await edit()).outcome).toBe("Shown");
  expect(JSON.stringify((await fake.messages())[0]?.blocks)).toContain("99 mentions so far");
});

test("a worker that was held beyond its lease edits and posts nothing more, and leaves the other's claim alone", async () => {
  const alert = await addPending("warning", "growing");
  await sweep();
  const key = { projectId: "p", alertId: alert.id, receiver: "alerts" };
  const liveMessages = stores.alertMessages;
  const edit = (viewOf = parts.viewOf) =>
    updateMessage({ ...parts, liveMessages, viewOf }, key, AbortSignal.timeout(10_000));
  const held = await edit(async (notification) => {
    await sql`update earshot.alert_messages set leased_until_wall = now() - interval '1 second'`.execute(
      database.db,
    );
    expect((await edit()).outcome).toBe("Shown");
    return parts.viewOf(notification);
  });
  expect(held.outcome).toBe("NotDue");
  expect(fake.calls.filter(({ method }) => method === "chat.update")).toHaveLength(1);

  await pass(2 * MINUTE);
  await stores.alerts.save([{ ...alert, mentions: 2 }]);
  const lease = (await liveMessages.claim(key))?.lease ?? "";
  await liveMessages.postpone({ ...key, lease: "2026-03-02 12:00:00+00" }, null);
  expect(await liveMessages.renew({ ...key, lease })).not.toBeNull();
  expect(await liveMessages.renew({ ...key, lease })).toBeNull();
});

test("a chart waits for the message about its alert that is on its way, and is posted beneath it", async () => {
  const alert = await addPending("warning", "ending");
  await sweep();
  await pass(2 * MINUTE);
  const key = { projectId: "p", alertId: alert.id, receiver: "alerts" };
  const end = { id: uuid7(NOON + ++made), projectId: "p", receiver: "alerts", alertId: alert.id } as const;
  const why = { kind: "resolved", digest: null, createdAt: NOON, reason: "Resolved" } as const;
  const edit = (whileEdited: () => Promise<unknown>) =>
    updateMessage(
      {
        ...{ ...parts, liveMessages: stores.alertMessages },
        viewOf: async (notification) => {
          await whileEdited();
          const found = await parts.viewOf(notification);
          return found?.about === "alert" ? { ...found, chart: async () => Buffer.from("a picture") } : found;
        },
      },
      key,
      AbortSignal.timeout(10_000),
    );
  const shared = () => fake.calls.filter(({ method }) => method === "files.completeUploadExternal").length;
  const sending = await edit(async () => {
    await stores.notifications.addPending([{ ...end, ...why }]);
    expect(await stores.notifications.claim("p", end.id)).not.toBeNull();
  });
  expect([sending.outcome, shared()]).toEqual(["Unfinished", 0]);
  await sql`update earshot.notifications set leased_until_wall = null`.execute(database.db);
  expect(await sweep()).toEqual(["Sent"]);
  await pass(2 * MINUTE);
  await edit(async () => {});
  expect(shared()).toBe(1);
});

test("an edit that Slack delays holds up edits, but no message", async () => {
  const alert = await addPending("warning", "growing");
  await sweep();
  const key = { projectId: "p", alertId: alert.id, receiver: "alerts" };
  const edit = () =>
    updateMessage({ ...parts, liveMessages: stores.alertMessages }, key, AbortSignal.timeout(10_000));
  fake.faults.push({
    method: "chat.update",
    answer: { status: 429, headers: { "retry-after": "60" }, body: "" },
  });
  expect((await edit()).outcome).toBe("Failed");
  const closed = new Set((await stores.channelLimits.closed()).map((channel) => channel.key));
  expect(places.liveReceivers(closed)).toEqual([]);
  expect([...closed].flatMap((channel) => places.receiversOf(channel))).toEqual([]);
  await addPending("info", "mild");
  expect(await sweep()).toEqual(["Sent"]);
  await pass(61 * SECOND);
  expect((await edit()).outcome).toBe("Shown");
});

test("a worker that was held beyond its lease while it drew a chart leaves what the other has stored", async () => {
  const alert = await addPending("warning", "growing");
  await sweep();
  const key = { projectId: "p", alertId: alert.id, receiver: "alerts" };
  const edit = (chart: () => Promise<Buffer>) => {
    const viewOf: DeliverParts["viewOf"] = async (notification) => {
      const found = await parts.viewOf(notification);
      return found?.about === "alert" ? { ...found, chart } : found;
    };
    return updateMessage(
      { ...parts, liveMessages: stores.alertMessages, viewOf },
      key,
      AbortSignal.timeout(10_000),
    );
  };
  const editUntilShown = () =>
    expect
      .poll(
        async () => {
          await pass(2 * MINUTE);
          return (await edit(async () => PNG)).outcome;
        },
        { interval: 10 },
      )
      .toBe("Shown");
  const charts = async () => (await fake.messages()).filter(({ files }) => files !== undefined);
  await edit(async () => {
    await sql`update earshot.alert_messages set leased_until_wall = now() - interval '1 second'`.execute(
      database.db,
    );
    await editUntilShown();
    return PNG;
  });
  expect(await charts()).toHaveLength(1);

  await stores.alerts.save([{ ...alert, mentions: 2 }]);
  await editUntilShown();
  expect(await charts()).toHaveLength(1);
});
