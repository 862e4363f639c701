import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { uuid7 } from "../../../../../src/lib/uuid7.ts";
import { createAlertActions } from "../../../../../src/monitor/alerts/actions/alert-actions.ts";
import type { Alert } from "../../../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../../../src/monitor/model/incident.ts";
import type { Notifier } from "../../../../../src/monitor/notify/define-notifier.ts";
import { updateMessage } from "../../../../../src/monitor/notify/deliver/update-message.ts";
import { createSlackActions } from "../../../../../src/monitor/notify/notifiers/slack/slack-actions.ts";
import { slackApps } from "../../../../../src/monitor/notify/notifiers/slack/slack-config.ts";
import { slack } from "../../../../../src/monitor/notify/notifiers/slack.ts";
import { buildAlertView } from "../../../../../src/monitor/templates/build-alert-view.ts";
import { anAlert, makeAnIncident, PROJECT } from "../../../../console/make-a-story.ts";
import { startTestConsole, type TestConsole } from "../../../../console/start-test-console.ts";
import { alertMessage, notifierDeps } from "../../../../contracts/notifier.ts";
import { type FakeSlack, startFakeSlack } from "../../../../fakes/slack.ts";
import { aVisitor, tokenIn } from "../../../../security/console-visitor.ts";

const NOW = Date.UTC(2026, 2, 3, 14);
let web: TestConsole;
let fake: FakeSlack;
let notifier: Notifier;
let handle: ReturnType<typeof createSlackActions>;
let count = 0;
let alert: Alert;
let incident: Incident;
let key: { projectId: string; alertId: string; receiver: string };

beforeAll(async () => {
  fake = await startFakeSlack({ channels: ["alerts"] });
  web = await startTestConsole(NOW);
  notifier = slack.create(config(), await notifierDeps());
  const { stores, clock } = web;
  handle = createSlackActions({
    actions: createAlertActions({ stores, clock }),
    log: pino({ level: "silent" }),
  });
  const query = {
    projectId: PROJECT,
    queryId: "1",
    name: "Aurora Air",
    projectName: "Brands",
    timezone: "UTC",
  };
  await stores.queries.register([query], NOW, NOW);
});
afterAll(async () => {
  await web.close();
  await fake.close();
});

function config() {
  const { token, apiUrl } = fake;
  return slack.config.parse({
    ...{ kind: "slack", channel: "#alerts", token, apiUrl, postEvery: "0s", editEvery: "0s" },
    signingSecret: "8f742231b10e8888abcd99yyyzzz85a5",
  });
}

/** An incident, with its message in the channel. */
beforeEach(async () => {
  web.clock.advance(1_000);
  alert = anAlert({ openedAt: web.clock.now(), fingerprint: `comments ${++count}` });
  await web.stores.alerts.save([alert]);
  incident = await makeAnIncident(web.stores, alert);
  key = { projectId: PROJECT, alertId: alert.id, receiver: "comms" };
  const id = uuid7(web.clock.now());
  const fired = { kind: "fired", alertId: alert.id, digest: null, reason: "Fired" } as const;
  await web.stores.notifications.addPending([
    { ...fired, id, projectId: PROJECT, receiver: "comms", createdAt: web.clock.now() },
  ]);
  const claimed = await web.stores.notifications.claim(PROJECT, id);
  if (claimed === null) throw new Error("nothing is to be sent");
  const sent = alertMessage({ notificationId: id, alertId: alert.id, view: view() });
  const { vendorRef } = await notifier.send(sent, { signal: AbortSignal.timeout(10_000) });
  await web.stores.notifications.markSent(claimed, web.clock.now(), vendorRef);
  await web.stores.alertMessages.stale(key);
  await showAll();
  web.clock.advance(1_000);
});

function view() {
  const rule = { name: alert.rule, description: null };
  const more = { mentions: [], project: "Brands", timezone: "UTC", consoleUrl: null };
  return buildAlertView({ kind: "fired", alert, rule, ...more });
}

/** Until the message and its thread show everything, as the sweep and its jobs do. */
async function showAll(): Promise<void> {
  const outcomes: unknown[] = [];
  for (let n = 0; n < 20; n++) {
    const [due] = await web.stores.alertMessages.due(["comms"], 1);
    if (due === undefined) return;
    outcomes.push(await updateMessage(parts(), due, AbortSignal.timeout(10_000)));
  }
  throw new Error(`the message is never up to date: ${JSON.stringify(outcomes)}`);
}

const parts = (): Parameters<typeof updateMessage>[0] => ({
  log: web.stores.notifications,
  channelLimits: web.stores.channelLimits,
  liveMessages: web.stores.alertMessages,
  receiversOf: () => ["comms"],
  clock: web.clock,
  notifierOf: () => notifier,
  viewOf: async () => ({ about: "alert", view: view(), chart: null }),
});

async function thread() {
  const messages = await fake.messages();
  const root = messages.findLast(({ threadTs }) => threadTs === null);
  if (root === undefined) throw new Error("there is no message");
  const replies = messages.filter(({ threadTs }) => threadTs === root.ts);
  return { root, texts: replies.map(({ text }) => text) };
}

async function write(text: string, by = "Ann"): Promise<number> {
  const ann = aVisitor(web.url);
  const path = `/incidents/${incident.id}`;
  const token = tokenIn(await (await ann.ask(path)).text());
  return (await ann.post(`${path}/comment`, { token, text, by })).status;
}
const comments = async () =>
  (await web.stores.incidentNotes.list(PROJECT, incident.id)).map(({ text, actor }) => [
    actor.login ?? actor.typed,
    text,
  ]);

const reply = (threadTs: string, over: Record<string, unknown> = {}) => {
  const event = {
    type: "message",
    channel: channel(),
    user: "U0BOB",
    text: "On it",
    ts: "1772546400.000200",
  };
  return {
    ...{ type: "event_callback", team_id: "T1" },
    event: { ...event, thread_ts: threadTs, ...over },
  };
};
let known = "";
const channel = () => known;
const arrives = (payload: unknown) => {
  const [app] = slackApps([config()]);
  if (app === undefined) throw new Error("the receiver is no app");
  return handle(payload, app);
};
async function threadTs(): Promise<string> {
  const { rows } = await web.database.pool.query<{ ref: { channel: string; ts: string } }>(
    "select vendor_ref as ref from earshot.notifications where alert_id = $1",
    [alert.id],
  );
  known = rows[0]?.ref.channel ?? "";
  return rows[0]?.ref.ts ?? "";
}

test("a message that the workspace locks is not posted again, and its thread goes on", async () => {
  const before = await fake.messages();
  const locked = { status: 200, body: '{"ok":false,"error":"edit_window_closed"}' };
  for (let n = 0; n < 10; n++) fake.faults.push({ method: "chat.update", answer: locked });
  await write("We call them");
  await showAll();
  fake.faults.length = 0;
  expect((await fake.messages()).length).toBe(before.length + 1);
  expect((await thread()).texts.at(-1)).toContain("We call them");
});

test("a comment of the console is posted into the thread of the incident's message, in order and once", async () => {
  expect(await write("The desk at B14\nknows more.")).toBe(303);
  expect(await write("Press release at noon", "Bo")).toBe(303);
  await showAll();
  const expected = [
    '*"Ann"* wrote in Earshot:\n> The desk at B14\n> knows more.',
    '*"Bo"* wrote in Earshot:\n> Press release at noon',
  ];
  expect((await thread()).texts).toEqual(expected);
  await web.stores.alertMessages.stale(key);
  await showAll();
  expect((await thread()).texts).toEqual(expected);
});

test("what somebody writes there is text: it mentions no channel, hides no link and looks like no message of ours", async () => {
  expect(await write("<!channel> <https://evil.example|here> *bold* `code`\n\n> quote", "<!here>")).toBe(303);
  await showAll();
  const [text = ""] = (await thread()).texts;
  expect(text).not.toMatch(/<[!@#h]/);
  expect(text).toContain(
    "&lt;!channel&gt; &lt;https://evil.example|here&gt; ∗bold∗ ˋcodeˋ\n> \n> &gt; quote",
  );
});

test("a worker that ends after the post and before it is noted posts nothing twice", async () => {
  expect(await write("Only once")).toBe(303);
  const { liveMessages } = parts();
  const dies = {
    ...parts(),
    liveMessages: {
      ...liveMessages,
      saveRef: async () => {
        throw new Error("the process has ended");
      },
    },
  };
  await expect(updateMessage(dies, key, AbortSignal.timeout(10_000))).resolves.toMatchObject({
    outcome: "Failed",
  });
  expect((await thread()).texts).toHaveLength(1);
  await web.database.pool.query(
    "update earshot.alert_messages set next_edit_wall = now(), leased_until_wall = null",
  );
  // A process that ends closes no channel.
  await web.database.pool.query("update earshot.channel_limits set closed_until_wall = '-infinity'");
  await showAll();
  expect((await thread()).texts).toHaveLength(1);
});

test("a comment whose first try failed is posted also where the app may not read the thread", async () => {
  const denied = { status: 200, body: '{"ok":false,"error":"missing_scope"}' };
  fake.faults.push({ method: "chat.postMessage", answer: { status: 503, body: "" } });
  for (let n = 0; n < 10; n++) fake.faults.push({ method: "conversations.replies", answer: denied });
  expect(await write("The desk knows")).toBe(303);
  await showAll();
  expect((await thread()).texts).toEqual([]);
  await web.database.pool.query(
    "update earshot.alert_messages set next_edit_wall = now(), leased_until_wall = null",
  );
  await web.database.pool.query("update earshot.channel_limits set closed_until_wall = '-infinity'");
  await showAll();
  fake.faults.length = 0;
  expect((await thread()).texts).toEqual([expect.stringContaining("The desk knows")]);
});

test("a comment on an incident that is over is posted as well", async () => {
  await web.stores.alerts.save([{ ...alert, state: "resolved", resolvedAt: web.clock.now() }]);
  const stored = await web.stores.incidents.find(PROJECT, incident.id);
  await web.stores.incidents.save([{ ...incident, ...stored, status: "over", endedAt: web.clock.now() }]);
  await showAll();
  expect(await write("What we learned is in the review")).toBe(303);
  await showAll();
  expect((await thread()).texts).toHaveLength(1);
});

test("an answer in the thread becomes a comment, once, by the name of who is linked, and is not posted there again", async () => {
  const ts = await threadTs();
  const linked = { teamId: "T1", userId: "U0BOB", nameKey: "bob", slackName: "Bob", linkedAt: NOW };
  await web.stores.slackPeople.link(linked);
  const event = reply(ts, { text: "See &lt;b&gt; at <https://a.example|our page>, <@U0ANN>" });
  expect(await arrives(event)).toEqual({ outcome: "Done" });
  expect(await arrives(event)).toEqual({ outcome: "Known" });
  expect(await comments()).toEqual([["bob", "See <b> at https://a.example, @U0ANN"]]);
  await showAll();
  expect((await thread()).texts).toEqual([]);
  const page = await (await aVisitor(web.url).ask(`/incidents/${incident.id}`)).text();
  expect(page).toContain("See &lt;b&gt; at https://a.example");
  expect(page).toContain("from Slack");
  const [entry] = await web.stores.audit.list(
    { who: "bob", action: "incident.comment", from: null, to: null },
    null,
    1,
  );
  expect([entry?.outcome, entry?.detail]).toEqual(["Done", "36 letters"]);
});

test("what is no answer of a person in one of our threads becomes none", async () => {
  const ts = await threadTs();
  for (const [n, over] of [
    { bot_id: "B1" },
    { subtype: "message_changed" },
    { thread_ts: undefined },
    { ts },
    { text: "  " },
    { user: undefined },
    { thread_ts: "1.1" },
    { channel: "C0OTHER" },
  ].entries()) {
    const answer = await arrives(reply(ts, { ts: `1772546500.00020${n}`, ...over }));
    expect([over, ["NotOurs", "Unfit"].includes(answer.outcome)]).toEqual([over, true]);
  }
  expect(await comments()).toEqual([]);
});

test("comments of two at once are both kept and counted", async () => {
  expect(await Promise.all([write("one"), write("two"), write("three")])).toEqual([303, 303, 303]);
  const stored = await web.stores.incidents.find(PROJECT, incident.id);
  expect(stored?.comments).toBe(3);
  await showAll();
  expect((await thread()).texts).toHaveLength(3);
});
