import { createHmac } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addUser, changeUser } from "../../../../src/console/auth/manage-users.ts";
import { createManualClock } from "../../../../src/lib/clock.ts";
import { HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import { hashOfCode, inventCode } from "../../../../src/lib/readable-code.ts";
import { uuid7 } from "../../../../src/lib/uuid7.ts";
import { createAlertActions } from "../../../../src/monitor/alerts/actions/alert-actions.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import {
  createSlackActions,
  type HandledInteraction,
} from "../../../../src/monitor/notify/notifiers/slack/slack-actions.ts";
import { slackApps } from "../../../../src/monitor/notify/notifiers/slack/slack-config.ts";
import { createSlackEndpoint } from "../../../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { slack } from "../../../../src/monitor/notify/notifiers/slack.ts";
import type { Stores } from "../../../../src/monitor/store/stores.ts";
import { buildAlertView } from "../../../../src/monitor/templates/build-alert-view.ts";
import { startTestConsole, type TestConsole } from "../../../console/start-test-console.ts";
import { alertMessage, notifierDeps } from "../../../contracts/notifier.ts";
import { type FakeSlack, startFakeSlack } from "../../../fakes/slack.ts";
import { oddQuery } from "../../../odd-world.ts";
import { until } from "../../../until.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const wall = createManualClock(NOW);
const said: string[] = [];
const log = pino({ level: "debug" }, { write: (line: string) => void said.push(line) });

let web: TestConsole;
let fake: FakeSlack;
let alert: Alert;
let interaction: (payload: unknown) => Promise<HandledInteraction>;

beforeAll(async () => {
  fake = await startFakeSlack({ channels: ["alerts"] });
  const config = slack.config.parse({
    kind: "slack",
    channel: "#alerts",
    token: fake.token,
    apiUrl: fake.apiUrl,
    signingSecret: SIGNING_SECRET,
  });
  const apps = slackApps([config]);
  // The console needs the endpoint before there is a database.
  let actions: ReturnType<typeof createSlackActions> | undefined;
  const endpoint = createSlackEndpoint({
    apps,
    handle: async (payload, app) => {
      if (actions === undefined) throw new Error("not yet");
      return actions(payload, app);
    },
    wall,
    log,
  });
  web = await startTestConsole(NOW, {
    settings: { login: { username: "ann", password: "a long secret" }, publicUrl: "https://earshot.example" },
    deps: { interactions: [endpoint] },
  });
  const { stores, clock } = web;
  actions = createSlackActions({ actions: createAlertActions({ stores, clock }), log });
  const slackDesk = actions;
  interaction = async (payload) => {
    const [app] = apps;
    if (app === undefined) throw new Error("the receiver is no app");
    return slackDesk(payload, app);
  };
});
afterAll(async () => {
  await web.close();
  await fake.close();
});

beforeEach(async () => {
  said.length = 0;
  fake.answers.length = 0;
  const queryId = uuid7(NOW);
  const query = oddQuery({ queryId });
  await web.stores.queries.register([query], NOW, NOW);
  const times = { openedAt: NOW, firedAt: NOW, lastSeenAt: NOW, windowFrom: NOW, windowTo: NOW };
  alert = {
    ...{ id: uuid7(NOW), projectId: "p", rule: "negative", fingerprint: `negative ${queryId}`, queryId },
    ...{ queryName: "Acme", severity: "warning", state: "firing", labels: { query: "Acme" }, ...times },
    ...{
      resolvedAt: null,
      notifyCount: 1,
      renotifyReason: null,
      mentions: 1,
      because: "negative",
      values: {},
      handling: {},
    },
  };
  await web.stores.alerts.save([alert]);
});

/** The alert's message in the channel, as it would be now. */
async function message() {
  const notifier = slack.create(
    slack.config.parse({
      ...{ kind: "slack", channel: "#alerts", token: fake.token, apiUrl: fake.apiUrl, postEvery: "0s" },
      signingSecret: SIGNING_SECRET,
    }),
    await notifierDeps(),
  );
  const view = buildAlertView({
    ...{
      kind: "fired",
      alert,
      mentions: [],
      rule: { name: "negative", description: null },
      project: "Brands",
    },
    ...{ timezone: "UTC", consoleUrl: null },
  });
  await notifier.send(alertMessage({ notificationId: uuid7(NOW), alertId: alert.id, view }), {
    signal: AbortSignal.timeout(10_000),
  });
  const posted = (await fake.messages()).at(-1);
  if (posted === undefined) throw new Error("nothing was posted");
  return posted;
}

function post(
  payload: object,
  over: { at?: number; secret?: string; body?: string } = {},
): Promise<Response> {
  return postForm({ payload: JSON.stringify(payload) }, over);
}

function postForm(
  form: Record<string, string>,
  over: { at?: number; secret?: string; body?: string } = {},
): Promise<Response> {
  const body = new URLSearchParams(form).toString();
  const timestamp = String(Math.floor((over.at ?? NOW) / 1000));
  const hash = createHmac("sha256", over.secret ?? SIGNING_SECRET)
    .update(`v0:${timestamp}:${body}`)
    .digest("hex");
  return fetch(`${web.url}/slack/interactions`, {
    method: "POST",
    body: over.body ?? body,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${hash}`,
    },
  });
}

async function history(): Promise<string[]> {
  const events = await web.stores.alerts.events("p", alert.id);
  return events.map(
    ({ what, detail, at }) => `${new Date(at).toISOString().slice(11, 16)} ${what} ${detail}`,
  );
}

const stateOf = async () => (await web.stores.alerts.find("p", alert.id))?.state;

async function answer(): Promise<string> {
  await until("Slack has an answer", () => fake.answers.length > 0, { withinMs: 2_000 });
  return fake.answers.map(({ type, text }) => `${type}: ${text}`).join("; ");
}

test("a signed click acts once, in the name of the person, without a login", async () => {
  const pressed = fake.press(await message(), "earshot-acknowledge");
  const answered = await Promise.all([post(pressed), post(pressed), post(pressed)]);
  expect(answered.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await stateOf()).toBe("acknowledged");
  expect(await history()).toEqual(["12:00 AcknowledgedBy by Ann Example (U0ANN)"]);
  expect(fake.answers).toEqual([]);
});

test("a second person's click changes nothing, and only that person gets an answer", async () => {
  const posted = await message();
  await interaction(fake.press(posted, "earshot-acknowledge"));
  const late = { user: { id: "U0BO", name: "Bo" }, at: "1771864999.000100" };
  expect(await interaction(fake.press(posted, "earshot-acknowledge", late))).toMatchObject({
    outcome: "Refused",
  });
  expect(await answer()).toBe("ephemeral: Nothing changed: Ann Example (U0ANN) has acknowledged it.");
  expect(await history()).toHaveLength(1);
});

test("a click on a resolved alert gets that answer", async () => {
  const posted = await message();
  await interaction(fake.press(posted, "earshot-resolve"));
  expect(await interaction(fake.press(posted, "earshot-silence", { option: "4h" }))).toMatchObject({
    outcome: "Refused",
  });
  expect(await answer()).toBe("ephemeral: Nothing changed: this alert is already resolved.");
});

test("an alert is assigned, silenced, resolved and marked not relevant, each with person and time", async () => {
  const posted = await message();
  await interaction(fake.press(posted, "earshot-assign", { selectedUser: "U0BO" }));
  web.clock.advance(MINUTE);
  await interaction(
    fake.press(posted, "earshot-silence", { option: "4h", user: { id: "U0BO", name: "Bo" } }),
  );
  expect(await answer()).toBe("ephemeral: Silenced for 4h. A rise in severity and the end are still sent.");
  await interaction(fake.press(posted, "earshot-not-relevant"));
  expect(await history()).toEqual([
    "12:00 AssignedBy by Ann Example (U0ANN), to Bo (U0BO)",
    "12:01 SilencedBy by Bo (U0BO), for 4h",
    "12:01 NotRelevantSaid by Ann Example (U0ANN)",
  ]);
  const silences = await web.stores.silences.list(web.clock.now(), false);
  expect(silences).toMatchObject([
    {
      match: { fingerprint: alert.fingerprint, not: { severity: "critical" } },
      comment: "Acme, negative",
      ...{ author: "Bo (U0BO)", endsAt: NOW + MINUTE + 4 * HOUR },
    },
  ]);
  expect((await web.stores.alerts.find("p", alert.id))?.handling).toMatchObject({
    assignee: "Bo (U0BO)",
    relevant: false,
  });
});

test("a person unknown to the workspace is named by the id", async () => {
  await interaction(fake.press(await message(), "earshot-assign", { selectedUser: "U0STRANGER" }));
  expect((await web.stores.alerts.find("p", alert.id))?.handling?.assignee).toBe("U0STRANGER");
});

test("names are escaped wherever they are shown again", async () => {
  const posted = await message();
  await interaction(
    fake.press(posted, "earshot-acknowledge", { user: { id: "U0EVE", name: "<!channel> *eve*\u202E" } }),
  );
  await interaction(fake.press(posted, "earshot-acknowledge", { at: "1771864999.000200" }));
  expect(await answer()).toContain("&lt;!channel&gt; ∗eve∗");
  expect((await history())[0]).not.toContain("\u202E");
});

test("unsigned, foreign, changed, old or malformed requests are refused without a hint", async () => {
  const pressed = fake.press(await message(), "earshot-resolve");
  const body = (payload: string) => new URLSearchParams({ payload }).toString();
  const answers = [
    await post(pressed, { secret: "another secret" }),
    await post(pressed, { at: NOW - 6 * MINUTE }),
    await post(pressed, { at: NOW + 6 * MINUTE }),
    await post(pressed, { body: body("{}") }),
    await fetch(`${web.url}/slack/interactions`, { method: "POST", body: body(JSON.stringify(pressed)) }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  expect((await post({ ...pressed, actions: [{}] })).status).toBe(400);
  expect((await post([] as object)).status).toBe(400);
  expect((await post({ ...pressed, filler: "x".repeat(600_000) })).status).toBe(413);
  expect((await fetch(`${web.url}/slack/interactions`, { redirect: "manual" })).status).not.toBe(200);
  expect(await stateOf()).toBe("firing");
  for (const secret of [SIGNING_SECRET, fake.token, "a-verification-token", "v0="])
    expect(said.join("")).not.toContain(secret);
  expect(said.join("")).toContain("was refused");
});

test("a click that could not be stored is not acknowledged, and can be repeated", async () => {
  const pressed = fake.press(await message(), "earshot-acknowledge");
  const { stores, clock } = web;
  const breaking: Stores = {
    ...stores,
    transaction: (work) =>
      stores.transaction((facts) =>
        work({
          ...facts,
          alerts: { ...facts.alerts, amend: () => Promise.reject(new Error("no database")) },
        }),
      ),
  };
  const broken = createSlackActions({ actions: createAlertActions({ stores: breaking, clock }), log });
  const [app] = slackApps([
    slack.config.parse({ kind: "slack", channel: "#a", token: fake.token, signingSecret: SIGNING_SECRET }),
  ]);
  if (app === undefined) throw new Error("the receiver is no app");
  await expect(broken(pressed, app)).rejects.toThrow("no database");
  expect(await interaction(pressed)).toEqual({ outcome: "Done" });
});

test("an answer goes to Slack and nowhere else", async () => {
  const posted = await message();
  await interaction(fake.press(posted, "earshot-acknowledge"));
  const pressed = { ...fake.press(posted, "earshot-acknowledge", { at: "1771864999.000300" }) };
  expect(await interaction({ ...pressed, response_url: `${web.url}/healthz` })).toMatchObject({
    outcome: "Refused",
  });
  const isNotified = () => said.join("").includes("could not be answered");
  await until("the log says that the click could not be answered", isNotified, { withinMs: 1_000 });
  expect(fake.answers).toEqual([]);
});

test("who has typed their code in Slack clicks in the name of the user, until the user ends or unlinks", async () => {
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  await addUser(parts, { name: "Anna", role: "responder", email: null, password: null, by: "test" });
  const code = inventCode();
  const aCode = {
    secretHash: hashOfCode(code),
    purpose: "slack",
    nameKey: "anna",
    until: web.clock.now() + MINUTE,
  } as const;
  await web.stores.transaction(({ oneTimeCodes }) => oneTimeCodes.add(aCode));
  const posted = await message();
  const { user, team, response_url } = fake.press(posted, "earshot-acknowledge") as {
    user: { id: string; name: string };
    team: { id: string };
    response_url: string;
  };
  const type = (text: string, more: Record<string, string> = {}) =>
    postForm({
      ...{
        command: "/earshot",
        text,
        user_id: user.id,
        user_name: user.name,
        team_id: team.id,
        response_url,
      },
      ...more,
    });
  expect((await postForm({ command: "/earshot", text: `link ${code}` }, { secret: "wrong" })).status).toBe(
    401,
  );
  await type("link mfrg-gzdf-mztw-q2lk");
  expect(await answer()).toContain("Nothing changed: this code was used, or its ten minutes are over.");
  await type(`link ${code.toUpperCase()}`);
  await until("the link is answered", () => fake.answers.some(({ text }) => text.includes("You are Anna")), {
    withinMs: 2_000,
  });
  // The code works once: nobody else becomes Anna by it.
  await type(`link ${code}`, { user_id: "U0MALLORY" });
  await interaction(fake.press(posted, "earshot-acknowledge"));
  const bo = { user: { id: "U0BO", name: "Bo" }, at: "1771864999.000200" };
  await interaction(fake.press(posted, "earshot-resolve", bo));
  expect(await history()).toEqual([
    expect.stringMatching(/AcknowledgedBy by Anna$/),
    expect.stringContaining("by Bo (U0BO)"),
  ]);
  const [entry] = await web.stores.audit.list(
    { who: "anna", action: "alert", from: null, to: null },
    null,
    1,
  );
  expect(entry).toMatchObject({ actor: { via: "slack", login: "Anna" }, detail: "acknowledge" });
  await changeUser(parts, "anna", { do: "end" });
  expect(await web.stores.slackPeople.nameOf(team.id, user.id)).toBeNull();
  await changeUser(parts, "anna", { do: "restore" });
  await web.stores.slackPeople.unlink("anna", team.id, user.id);
  expect(await web.stores.slackPeople.nameOf(team.id, user.id)).toBeNull();
});
