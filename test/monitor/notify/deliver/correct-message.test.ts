import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "../../../../src/lib/instant.ts";
import { uuid7 } from "../../../../src/lib/uuid7.ts";
import type { Mention } from "../../../../src/monitor/model/mention.ts";
import type { NotificationKind } from "../../../../src/monitor/model/notification.ts";
import { createChannels } from "../../../../src/monitor/notify/channels.ts";
import type { Notifier } from "../../../../src/monitor/notify/define-notifier.ts";
import { correctMessage } from "../../../../src/monitor/notify/deliver/correct-message.ts";
import { type DeliverParts, deliver } from "../../../../src/monitor/notify/deliver/deliver.ts";
import { updateMessage } from "../../../../src/monitor/notify/deliver/update-message.ts";
import { email } from "../../../../src/monitor/notify/notifiers/email.ts";
import { slack } from "../../../../src/monitor/notify/notifiers/slack.ts";
import { webhook } from "../../../../src/monitor/notify/notifiers/webhook.ts";
import { createViewOf } from "../../../../src/monitor/notify/view/view-of.ts";
import { pollQuery } from "../../../../src/monitor/polling/poll-queries.ts";
import { notifierDeps } from "../../../contracts/notifier.ts";
import { type FakeSlack, startFakeSlack } from "../../../fakes/slack.ts";
import { type FakeSmtp, startFakeSmtp } from "../../../fakes/smtp.ts";
import { tracesIn, tracesInTables } from "../../../flows/find-traces.ts";
import { aMention } from "../../../mention.ts";
import { NOON, useWalks } from "../../ingest/use-polls.ts";
import { aRule } from "../../rules/a-rule.ts";
import { dueWork } from "../../store/due-work.ts";

const { clock, db, url, stores, parts } = useWalks();
const RULES = [aRule("when: { sentiment: negative }\ngroupBy: author")];
const WORDS = ["zorblax", "quillonda", "vextron"];
const HERS = aMention({
  ...{ resourceId: "m", publishedAt: NOON, addedAt: NOON, sentiment: "negative" },
  ...{ author: "quillonda", url: "https://vextron.example/1", text: "The zorblax of Acme leaks" },
});
const DELETED: Mention = {
  ...aMention({ resourceId: "m", publishedAt: NOON, addedAt: NOON, updatedAt: NOON + MINUTE }),
  isDeleted: true,
};
const PLACEHOLDER = "a mention that its author deleted";

let fake: FakeSlack;
let smtp: FakeSmtp;
/** How many corrections were left when a correction came to the webhook. */
const leftThen: number[] = [];
let sending: DeliverParts;
const posted: { body: { kind: string; correction?: number; alert: object }; key: string | undefined }[] = [];
const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  posted.push({ body: JSON.parse(text), key: request.headers["idempotency-key"] as string | undefined });
  leftThen.push(await correctionsLeft());
  response.end("ok");
});

beforeAll(async () => {
  fake = await startFakeSlack();
  smtp = await startFakeSmtp();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const deps = await notifierDeps();
  const notifiers = new Map<string, Notifier>([
    [
      "alerts",
      slack.create(
        slack.config.parse({
          ...{ kind: "slack", channel: "#alerts", token: fake.token, apiUrl: fake.apiUrl },
          ...{ postEvery: "0s", editEvery: "0s" },
        }),
        deps,
      ),
    ],
    [
      "mail",
      email.create(
        email.config.parse({
          ...{ kind: "email", to: "team@acme.example", from: "earshot@acme.example" },
          smtp: { host: smtp.host, port: smtp.port },
        }),
        deps,
      ),
    ],
    [
      "hook",
      webhook.create(
        webhook.config.parse({
          kind: "webhook",
          url: `http://127.0.0.1:${port}/x`,
          allowPrivateAddress: true,
        }),
        deps,
      ),
    ],
  ]);
  const places = createChannels(notifiers);
  sending = {
    log: stores().notifications,
    channelLimits: stores().channelLimits,
    liveMessages: stores().alertMessages,
    receiversOf: places.receiversOf,
    notifierOf: (name) => notifiers.get(name),
    viewOf: createViewOf({
      ...{ stores: stores(), rulesFor: () => RULES, timezone: "UTC", clock, consoleUrl: () => null },
    }),
    clock,
  };
});
afterAll(async () => {
  await fake.close();
  await smtp.close();
  server.close();
});
beforeEach(async () => {
  posted.length = 0;
  fake.faults.length = 0;
  for (const message of await fake.messages()) await fake.remove(message);
  await sql`truncate earshot.matches, earshot.alerts, earshot.latest_alerts, earshot.tombstones, earshot.corrections,
    earshot.notifications, earshot.alert_messages, earshot.deliveries, earshot.channel_limits, earshot.story_texts,
    earshot.digests`.execute(db());
});

async function arrives(mention: Mention): Promise<void> {
  clock.advance(2 * MINUTE);
  const fetchPages = async function* () {
    yield { mentions: [mention], rejected: [], nextCursor: null, total: 1, pageSize: 9 };
  };
  const key = { projectId: "p", queryId: "1", poll: "added" } as const;
  await pollQuery(parts({ fetchPages, rulesFor: () => RULES }), key, new AbortController().signal);
}

/** One more notification of the alert; sent with this view of it. */
async function send(kind: NotificationKind, receiver: string, viewOf = sending.viewOf): Promise<string> {
  const [alert] = await stores().alerts.openOfQuery("p", "1");
  const id = uuid7(clock.now());
  const why = { digest: null, createdAt: clock.now(), reason: "x" };
  await stores().notifications.addPending([
    { id, projectId: "p", receiver, kind, alertId: alert?.id ?? "", ...why },
  ]);
  const job = { projectId: "p", notificationId: id };
  expect(await deliver({ ...sending, viewOf }, job, AbortSignal.timeout(10_000))).toMatchObject({
    outcome: "Sent",
  });
  return id;
}

/** Everything that the sweep would find, until nothing is due. Gives the outcomes of corrections. */
async function followUp(): Promise<string[]> {
  const outcomes: string[] = [];
  for (let round = 0; round < 10; round++) {
    const edits = await stores().alertMessages.due(["alerts"], 10);
    const live = { ...sending, liveMessages: stores().alertMessages };
    for (const key of edits) await updateMessage(live, key, AbortSignal.timeout(10_000));
    const due = (await dueWork(stores(), clock.now())).corrections;
    const correcting = { ...sending, corrections: stores().corrections };
    for (const key of due)
      outcomes.push((await correctMessage(correcting, key, AbortSignal.timeout(10_000))).outcome);
    if (edits.length + due.length === 0) break;
  }
  return outcomes;
}

async function correctionsLeft(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from earshot.corrections`.execute(db());
  return rows[0]?.n ?? 0;
}

async function traces(): Promise<string[]> {
  return [...(await tracesInTables(url(), WORDS)), ...tracesIn("Slack", await fake.messages(), WORDS)];
}

test("a mention that is deleted while its notification is being sent is gone from the message soon after", async () => {
  await arrives(HERS);
  await send("fired", "alerts", async (notification) => {
    const view = await sending.viewOf(notification);
    await arrives(DELETED);
    return view;
  });
  expect(tracesIn("Slack", await fake.messages(), WORDS)).not.toEqual([]);
  await followUp();
  expect(await traces()).toEqual([]);
  expect(JSON.stringify(await fake.messages())).toContain(PLACEHOLDER);
});

test("a live message that is being edited with the old text is edited once more, also after the end", async () => {
  await arrives(HERS);
  await send("fired", "alerts");
  await followUp();
  await sql`update earshot.alerts set state = 'resolved', resolved_at = now()`.execute(db());
  const [key] = await stores().alertMessages.due(["alerts"], 10);
  if (key === undefined) throw new Error("the end is to be shown");
  const viewOf: DeliverParts["viewOf"] = async (notification) => {
    const view = await sending.viewOf(notification);
    await arrives(DELETED);
    return view;
  };
  const live = { ...sending, viewOf, liveMessages: stores().alertMessages };
  await updateMessage(live, key, AbortSignal.timeout(10_000));
  await followUp();
  expect(await traces()).toEqual([]);
});

test("replies in the thread are corrected, through faults and limits of Slack", async () => {
  await arrives(HERS);
  await send("fired", "alerts");
  await send("reminder", "alerts");
  await followUp();
  expect((await fake.messages()).filter(({ threadTs }) => threadTs !== null)).toHaveLength(1);
  await arrives(DELETED);
  fake.faults.push({ method: "chat.update", answer: { status: 503, body: "" } });
  const first = await followUp();
  await sql`update earshot.corrections set next_try_wall = now()`.execute(db());
  await sql`update earshot.alert_messages set next_edit_wall = now()`.execute(db());
  await sql`update earshot.channel_limits set closed_until_wall = '-infinity'`.execute(db());
  const outcomes = [...first, ...(await followUp())];
  expect(outcomes).toContain("Corrected");
  expect(await traces()).toEqual([]);
  expect(await correctionsLeft()).toBe(0);
});

test("what Slack lets nobody edit any more is not corrected: it is told until people have deleted it", async () => {
  await arrives(HERS);
  await send("fired", "alerts");
  await send("reminder", "alerts");
  await followUp();
  await arrives(DELETED);
  const locked = { status: 200, body: '{"ok":false,"error":"edit_window_closed"}' };
  const lock = () => {
    fake.faults.length = 0;
    for (let i = 0; i < 20; i++) fake.faults.push({ method: "chat.update", answer: locked });
  };
  lock();
  expect(await followUp()).toEqual(["GivenUp", "GivenUp"]);
  const stands = await fake.messages();
  expect(stands.map((one) => tracesIn("Slack", one, WORDS).length > 0)).toEqual([true, true]);
  expect(await stores().corrections.notPossible()).toEqual([
    {
      ...{ receiver: "alerts", n: 2, since: expect.any(Number) },
      error: "Slack no longer lets the message be edited",
      newest: [1, 2].map(() => ({ rule: "a-rule", digest: null, sentAt: expect.any(Number) })),
    },
  ]);

  const aDayLater = async (): Promise<string[]> => {
    await sql`update earshot.corrections set next_try_wall = next_try_wall - interval '1 day'`.execute(db());
    return followUp();
  };
  lock();
  expect(await aDayLater()).toEqual(["GivenUp", "GivenUp"]);
  fake.faults.length = 0;
  for (const message of stands) await fake.remove(message);
  expect(await aDayLater()).toEqual(["Corrected", "Corrected"]);
  expect(await stores().corrections.notPossible()).toEqual([]);
  expect(await traces()).toEqual([]);
});

test("a correction is settled when it is made, and not before: a worker may die in between", async () => {
  await arrives(HERS);
  await send("fired", "hook");
  await arrives(DELETED);
  leftThen.length = 0;
  expect(await followUp()).toEqual(["Corrected"]);
  expect(leftThen).toEqual([1]);
  expect(await correctionsLeft()).toBe(0);
});

test("the subject of a mail, which names the author, is not kept when the mention is deleted", async () => {
  await arrives(HERS);
  await send("fired", "mail");
  expect(smtp.mails.at(-1)?.parsed.subject).toContain("quillonda");
  expect(await tracesInTables(url(), WORDS)).toContainEqual(expect.stringContaining("notifications"));
  await arrives(DELETED);
  expect(await tracesInTables(url(), WORDS)).toEqual([]);
});

test("a webhook gets the message once more without the mention, and with a key of its own", async () => {
  await arrives(HERS);
  const id = await send("fired", "hook");
  expect(posted[0]?.body).not.toHaveProperty("correction");
  await arrives(DELETED);
  expect(await followUp()).toEqual(["Corrected"]);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toMatchObject({
    key: `${id}:1`,
    body: { notificationId: id, kind: "fired", correction: 1 },
  });
  expect(tracesIn("webhook", posted[1], WORDS)).toEqual([]);
  expect(JSON.stringify(posted[1])).toContain(PLACEHOLDER);
  expect(await followUp()).toEqual([]);
});

test("a correction that began before another delete does not settle it", async () => {
  await arrives(HERS);
  await send("fired", "hook");
  await arrives(DELETED);
  const [key] = (await dueWork(stores(), clock.now())).corrections;
  if (key === undefined) throw new Error("there is a correction");
  const claimed = await stores().corrections.claim(key);
  expect(await stores().corrections.claim(key)).toBeNull();
  await stores().erasures.correct(sql`n.id = ${key.notificationId}::uuid`);
  if (claimed !== null) await stores().corrections.settle(claimed.claim);
  expect(await followUp()).toEqual(["Corrected"]);
  expect(posted.at(-1)?.body.correction).toBe(2);
});

test("insights that were read before a delete are not stored after it", async () => {
  await arrives(HERS);
  const [alert] = await stores().alerts.openOfQuery("p", "1");
  const id = alert?.id ?? "";
  const { version } = await stores().erasures.contentOf("p", id);
  await arrives(DELETED);
  await stores().alerts.explain("p", id, { words: ["zorblax"] }, version);
  const after = { forgotten: 1, version: version + 1, explanation: null };
  expect(await stores().erasures.contentOf("p", id)).toEqual(after);
  expect(await stores().alerts.find("p", id)).toMatchObject({ mentions: 0 });
});

test("an edited mention shows its new text, and the old one nowhere", async () => {
  await arrives(HERS);
  await send("fired", "alerts");
  await followUp();
  await arrives({ ...HERS, updatedAt: NOON + MINUTE, text: "It works again, thank you" });
  await followUp();
  expect(await tracesInTables(url(), ["zorblax"])).toEqual([]);
  const shown = JSON.stringify(await fake.messages());
  expect(shown).not.toContain("zorblax");
  expect(shown).toContain("It works again");
});

test("a notification is not claimed while a delete is being stored: it would bring the old words, uncorrected", async () => {
  await arrives(HERS);
  const [alert] = await stores().alerts.openOfQuery("p", "1");
  const id = uuid7(clock.now());
  const why = { digest: null, createdAt: clock.now(), reason: "x" };
  await stores().notifications.addPending([
    { id, projectId: "p", receiver: "alerts", kind: "fired", alertId: alert?.id ?? "", ...why },
  ]);
  const order: string[] = [];
  let claim: Promise<unknown> = Promise.resolve();
  await stores().transaction(async ({ erasures }) => {
    await erasures.correct(sql`n.id = ${id}::uuid`);
    claim = stores()
      .notifications.claim("p", id)
      .then(() => order.push("claimed"));
    // A claim that does not wait is answered before later ones.
    for (let i = 0; i < 5; i++) await stores().notifications.claim("p", uuid7(clock.now()));
    order.push("deleted");
  });
  await claim;
  expect(order).toEqual(["deleted", "claimed"]);
});
