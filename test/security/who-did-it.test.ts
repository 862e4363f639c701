import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Alert } from "../../src/monitor/model/alert.ts";
import { type Actor, describeActor, signAlertLink } from "../../src/monitor/model/alert-action.ts";
import { anAlert, makeAStory } from "../console/make-a-story.ts";
import { SECRET, startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "comms", password: "correct horse" };
let web: TestConsole;
let alert: Alert;
let visitor: ConsoleVisitor;
let count = 0;

beforeAll(async () => {
  web = await startTestConsole(NOW, { settings: { login: LOGIN } });
  await makeAStory(web.stores, NOW);
  visitor = aVisitor(web.url);
  await visitor.logIn(LOGIN.username, LOGIN.password);
});
afterAll(() => web.close());
beforeEach(async () => {
  alert = anAlert({ openedAt: NOW - 60_000 * ++count, fingerprint: `f${count}` });
  await web.stores.alerts.save([alert]);
});

async function actAs(by: string): Promise<void> {
  const page = await (await visitor.ask(`/alerts/${alert.id}`)).text();
  const token = tokenIn(page.split('<main id="main"')[1] ?? "");
  expect((await visitor.post(`/alerts/${alert.id}/act`, { token, do: "acknowledge", by })).status).toBe(303);
}
const lastEvent = async () => (await web.stores.alerts.events(alert.projectId, alert.id)).at(-1);

test("a typed name is shown as typed, next to the login", async () => {
  await actAs("Ann");
  expect(await lastEvent()).toMatchObject({
    detail: 'by comms, as "Ann"',
    actor: { via: "page", login: "comms", typed: "Ann" },
  });
});

test("nobody can type himself into a mail's link, into Slack, or into another login", async () => {
  const forged = ["on-call (by mail)", "Ann (U12345678)", 'x", as "admin', "admin\u202e", "comms, as"];
  for (const typed of forged) {
    alert = anAlert({ openedAt: NOW - 60_000 * ++count, fingerprint: `f${count}` });
    await web.stores.alerts.save([alert]);
    await actAs(typed);
    const event = await lastEvent();
    expect(event?.actor).toMatchObject({ via: "page", login: "comms" });
    expect(event?.detail).toMatch(/^by comms, as "[^"]*"$/);
  }
});

test("what a link of a mail did says so in a field of its own", async () => {
  const link = signAlertLink(SECRET, { alertId: alert.id, action: "acknowledge", by: "on-call" }, NOW);
  expect((await aVisitor(web.url).post(`/act/${link}`, {})).status).toBe(200);
  expect(await lastEvent()).toMatchObject({
    detail: "by on-call (by mail)",
    actor: { via: "mail", login: "on-call", typed: null },
  });
});

test("every actor is shown in words that no other actor can have typed", () => {
  const words: readonly (readonly [Actor, string])[] = [
    [{ via: "page", login: null, typed: null }, "somebody at the page"],
    [{ via: "page", login: null, typed: "Ann" }, '"Ann"'],
    [{ via: "page", login: "comms", typed: null }, "comms"],
    [{ via: "page", login: "comms", typed: "comms" }, "comms"],
    [{ via: "page", login: "comms", typed: " \u0000 " }, "comms"],
    [{ via: "mail", login: "on-call", typed: null }, "on-call (by mail)"],
    [{ via: "slack", login: "Ann (U1)", typed: null }, "Ann (U1)"],
    [{ via: "shell", login: "root", typed: "Ann" }, 'root, as "Ann"'],
  ];
  for (const [actor, text] of words) expect(describeActor(actor)).toBe(text);
});
