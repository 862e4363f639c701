import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLocalInbox, type LocalInbox } from "../../src/console/inbox/create-local-inbox.ts";
import { renderSlackMessage } from "../../src/console/inbox/render-slack-message.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import type { InteractionEndpoint } from "../../src/monitor/notify/define-notifier.ts";
import { actionBlocks } from "../../src/monitor/notify/notifiers/slack/alert-blocks.ts";
import { createSlackActions } from "../../src/monitor/notify/notifiers/slack/slack-actions.ts";
import { createSlackEndpoint, SLACK_PATH } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { samples } from "../../src/monitor/templates/samples.ts";
import { createMemoryInboxStore } from "../fakes/memory-inbox-store.ts";
import { anAlert, makeAStory } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PEOPLE = [
  { id: "U0ANN", name: "Ann" },
  { id: "U0YOU", name: "You" },
] as const;
const SIGNING_SECRET = "signs-interactions-in-tests";
const log = pino({ level: "silent" });
const store = createMemoryInboxStore();
let web: TestConsole;
let slack: LocalInbox;
let endpoint: InteractionEndpoint;
let secret = SIGNING_SECRET;
let alert: Alert;
let count = 0;

beforeAll(async () => {
  slack = await createLocalInbox(
    { store, clock: systemClock, log },
    {
      token: "xoxb-test",
      users: Object.fromEntries(PEOPLE.map(({ id, name }) => [id, name])),
      interactivity: {
        url: () => `${web.url}/slack/interactions`,
        get signingSecret() {
          return secret;
        },
        wall: systemClock,
      },
    },
  );
  web = await startTestConsole(NOW, {
    deps: {
      interactions: [{ path: SLACK_PATH, mostBytes: 1e6, take: (post) => endpoint.take(post) }],
      inbox: {
        ...store,
        renderSlack: (blocks, fallback, form) =>
          renderSlackMessage(
            blocks,
            fallback,
            undefined,
            form === undefined ? null : { ...form, people: PEOPLE },
          ),
        press: (press) => slack.press({ ...press, by: PEOPLE[1] }),
      },
    },
  });
  const { stores, clock } = web;
  const press = createSlackActions({ actions: createAlertActions({ stores, clock }), log });
  const app = { token: "xoxb-test", apiUrl: slack.slackApiUrl, signingSecret: SIGNING_SECRET };
  endpoint = createSlackEndpoint({ apps: [app], handle: press, wall: systemClock, log });
  await makeAStory(stores, NOW);
});
afterAll(async () => {
  await web.close();
  await slack.close();
});
beforeEach(async () => {
  alert = anAlert({ openedAt: NOW - 60_000 * ++count, fingerprint: `f${count}` });
  await web.stores.alerts.save([alert]);
  await post(alert.id);
});

/** A message with the buttons of an alert, in its own channel. */
async function post(alertId: string): Promise<void> {
  const view = samples.find(({ about }) => about === "alert")?.view;
  if (view === undefined || !("handling" in view)) throw new Error("there is no sample of an alert");
  const blocks = JSON.stringify(actionBlocks({ ...view, resolvedAt: null }, alertId));
  const answer = await fetch(`${slack.slackApiUrl}chat.postMessage`, {
    method: "POST",
    headers: { authorization: "Bearer xoxb-test" },
    body: new URLSearchParams({ channel: `#c${count}`, text: "an alert", blocks }),
  });
  expect(await answer.json()).toMatchObject({ ok: true });
}

/** The page of the newest channel, and its forms by button label. */
async function inbox() {
  const [message] = await store.list({ kind: "slack", limit: 1 });
  const place = message?.kind === "slack" ? `slack:${message.channel}` : "";
  const page = await fetch(`${web.url}/inbox?${new URLSearchParams({ place })}`, {
    headers: { accept: "text/html" },
  });
  const body = await page.text();
  const forms = [...body.matchAll(/<form class="slack-action"[^>]*>(.*?)<\/form>/gs)].flatMap(
    ([, inside = ""]) => {
      const hidden = [...inside.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
      const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
      return [...inside.matchAll(/<button [^>]*?(?:name="(\w+)" value="([^"]*)")?>([^<]*)</g)].map(
        ([, name, value = "", label = ""]) =>
          [label, { ...fields, ...(name !== undefined && { [name]: value }) }] as const,
      );
    },
  );
  const cookie = page.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  return { body, forms: new Map<string, Record<string, string>>(forms), cookie };
}

async function press(label: string): Promise<Response> {
  const { forms, cookie } = await inbox();
  const form = forms.get(label);
  if (form === undefined) throw new Error(`there is no ${label} among ${[...forms.keys()].join(", ")}`);
  return send(form, cookie);
}

const send = (form: Record<string, string>, cookie: string) =>
  fetch(`${web.url}/inbox/press`, {
    method: "POST",
    redirect: "manual",
    headers: { accept: "text/html", cookie },
    body: new URLSearchParams(form),
  });

const historyOf = async () =>
  (await web.stores.alerts.events(alert.projectId, alert.id)).map(({ what, detail }) => `${what} ${detail}`);

test.each([
  ["Acknowledge", "AcknowledgedBy by You (U0YOU)"],
  ["Ann", "AssignedBy by You (U0YOU), to Ann (U0ANN)"],
  ["4h", "SilencedBy by You (U0YOU), for 4h"],
  ["Resolve", "ResolvedBy by You (U0YOU)"],
])("%s in a message of the local Slack does what it does in the real one", async (label, expected) => {
  expect((await press(label)).status).toBe(303);
  expect(await historyOf()).toEqual([expected]);
});

test("an answer only for you is shown below the message, and is no message of the channel", async () => {
  await press("30m");
  await expect.poll(async () => (await inbox()).body).toContain("Silenced for 30m");
  expect((await inbox()).body).toContain("only visible to you");
  const [{ channel = "" } = {}] = (await store.list({ kind: "slack", limit: 1 })).map((one) => ({
    ...one,
  })) as {
    channel?: string;
  }[];
  const history = await fetch(`${slack.slackApiUrl}conversations.history`, {
    method: "POST",
    headers: { authorization: "Bearer xoxb-test" },
    body: new URLSearchParams({ channel }),
  });
  expect(JSON.stringify(await history.json())).not.toContain("Silenced for");
});

test("an unsigned interaction, a missing button, and a form of another page do nothing", async () => {
  secret = "signed-with-something-else";
  const unsigned = await press("Acknowledge");
  secret = SIGNING_SECRET;
  expect([unsigned.status, await unsigned.text()]).toEqual([409, expect.stringContaining("HTTP 401")]);

  const { forms, cookie } = await inbox();
  const form = forms.get("Acknowledge") ?? {};
  expect((await send({ ...form, action: "something-else" }, cookie)).status).toBe(409);
  expect((await send({ ...(forms.get("4h") ?? {}), option: "90d" }, cookie)).status).toBe(409);
  expect((await send({ ...form, token: "x" }, cookie)).status).toBe(403);
  expect((await send(form, "")).status).toBe(403);
  expect(await historyOf()).toEqual([]);
});
