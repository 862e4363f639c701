import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { HOUR } from "../../src/lib/instant.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import { signAlertLink } from "../../src/monitor/model/alert-action.ts";
import type { AuditEntry } from "../../src/monitor/model/audit.ts";
import { anAlert, makeAStory } from "../console/make-a-story.ts";
import { SECRET, startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
const HOSTILE = '<script>alert("x")</script>\u202e';
const wall = createManualClock(NOW);
const alert = anAlert({ openedAt: NOW - HOUR });
let web: TestConsole;
let ann: ConsoleVisitor;
let bob: ConsoleVisitor;

beforeAll(async () => {
  web = await startTestConsole(NOW, { settings: { trustedProxies: ["127.0.0.1"] }, deps: { wall } });
  await makeAStory(web.stores, NOW);
  await web.stores.alerts.save([alert]);
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  await addUser(parts, { name: "ann", role: "admin", email: null, password: PASSWORD, by: "test" });
  await addUser(parts, { name: "bob", role: "viewer", email: null, password: PASSWORD, by: "test" });
  [ann, bob] = [aVisitor(web.url), aVisitor(web.url)];
  await ann.logIn("ann", PASSWORD, { "x-forwarded-for": "203.0.113.7" });
  await bob.logIn("bob", PASSWORD);
});
afterAll(() => web.close());

const EVERYTHING = { who: null, action: null, from: null, to: null };
const newest = async (): Promise<AuditEntry | undefined> =>
  (await web.stores.audit.list(EVERYTHING, null, 1)).at(0);
const formIn = async (visitor: ConsoleVisitor, path: string) =>
  tokenIn((await (await visitor.ask(path)).text()).split('<main id="main"')[1] ?? "");

test("what somebody does has an entry with who, when and from where", async () => {
  const token = await formIn(ann, `/alerts/${alert.id}`);
  const from = { "x-forwarded-for": "203.0.113.9" };
  await ann.post(`/alerts/${alert.id}/act`, { token, do: "acknowledge", by: "Anna" }, from);
  expect(await newest()).toMatchObject({
    ...{ at: NOW, action: "alert.act", outcome: "Done", origin: "203.0.113.9", role: "admin" },
    actor: { via: "page", login: "ann", typed: "Anna" },
    ...{ target: `${alert.queryName}, ${alert.rule}`, detail: "acknowledge" },
  });
});

test("what somebody tried and may not has one, too, and so have logins, right and wrong", async () => {
  await bob.post("/silences", { query: "Acme" });
  expect(await newest()).toMatchObject({
    ...{ action: "silence.add", outcome: "Refused", role: "viewer" },
    actor: { login: "bob" },
  });
  await aVisitor(web.url).logIn("ann", "a wrong password", { "x-forwarded-for": "203.0.113.8" });
  expect(await newest()).toMatchObject({
    ...{ action: "login", outcome: "Refused", origin: "203.0.113.8", role: null },
    actor: { login: null, typed: "ann" },
  });
  await aVisitor(web.url).logIn("bob", PASSWORD);
  expect(await newest()).toMatchObject({ action: "login", outcome: "Done", actor: { login: "bob" } });
});

test("links of mails, clicks in Slack and commands have theirs", async () => {
  const link = signAlertLink(SECRET, { alertId: alert.id, action: "silence", by: "on-call" }, NOW);
  await aVisitor(web.url).post(`/act/${link}`, {});
  expect(await newest()).toMatchObject({
    ...{ action: "alert.act", outcome: "Done", role: null },
    actor: { via: "mail", login: "on-call" },
  });
  const actions = createAlertActions({ stores: web.stores, clock: web.clock });
  for (const via of ["slack", "shell"] as const) {
    await actions.act(alert.id, { do: "assign", to: via }, { via, login: "Cleo (U1)", typed: null });
    expect(await newest()).toMatchObject({
      ...{ action: "alert.act", target: alert.id, detail: `assign to ${via}`, outcome: "Done" },
      actor: { via, login: "Cleo (U1)" },
    });
  }
  expect(
    await actions.act(alert.id, { do: "resolve" }, { via: "shell", login: "x", typed: null }),
  ).not.toBeNull();
  await actions.act(alert.id, { do: "resolve" }, { via: "shell", login: "x", typed: null });
  expect(await newest()).toMatchObject({ outcome: "Refused", detail: expect.stringContaining("resolve: ") });
});

test("an entry is part of what it is about: if that is undone, there is none", async () => {
  const before = await newest();
  const actions = createAlertActions({ stores: web.stores, clock: web.clock });
  const by = { via: "slack", login: "Cleo (U1)", typed: null } as const;
  const failed = actions.once("a click", async (inner) => {
    await inner.act(alert.id, { do: "not-relevant" }, by);
    throw new Error("the process died");
  });
  await expect(failed).rejects.toThrow("the process died");
  expect(await newest()).toEqual(before);
});

test("strangers cannot fill the log, and who has to wait is no entry", async () => {
  const count = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from earshot.audit`.execute(web.database.db)).rows[0]
      ?.n ?? 0;
  const before = await count();
  for (let n = 0; n < 150; n++)
    await aVisitor(web.url).post(
      "/login",
      { username: "x", password: "y" },
      { "x-forwarded-for": `198.51.100.${n}` },
    );
  expect((await count()) - before).toBeLessThanOrEqual(120);
  // Who is logged in has an entry all the same.
  await bob.post("/silences", { query: "Acme" });
  expect(await newest()).toMatchObject({ action: "silence.add", actor: { login: "bob" } });
});

test("the page and the JSON Lines show and find entries, and what strangers typed is text there", async () => {
  await aVisitor(web.url).logIn(HOSTILE, "y", { "x-forwarded-for": "198.51.100.250" });
  wall.advance(HOUR);
  await aVisitor(web.url).logIn(HOSTILE, "y", { "x-forwarded-for": "198.51.100.251" });
  for (const at of ["-200000-01-01T00:00:00Z", "%2B200000-01-01T00:00:00Z", "soon"])
    expect((await ann.ask(`/audit?from=${at}&to=${at}`)).status).toBe(200);
  const page = await (await ann.ask("/audit?action=login")).text();
  expect(page).toContain("&lt;script&gt;");
  expect(page).not.toContain("<script>alert");
  expect(page).not.toContain("alert.act");
  const lines = (await (await ann.ask("/audit.jsonl?who=bob")).text()).trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as { actor: { login: string }; at: string });
  expect(entries.length).toBeGreaterThan(2);
  expect(new Set(entries.map(({ actor }) => actor.login))).toEqual(new Set(["bob"]));
  expect(entries[0]?.at).toMatch(/^2026-03-03T/);
  expect((await bob.ask("/audit.jsonl")).status).toBe(403);
});
