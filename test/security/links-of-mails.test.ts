import { Writable } from "node:stream";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Alert } from "../../src/monitor/model/alert.ts";
import { type AlertLink, signAlertLink } from "../../src/monitor/model/alert-action.ts";
import { anAlert, makeAStory } from "../console/make-a-story.ts";
import { SECRET, startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
let web: TestConsole;
let alert: Alert;
let count = 0;
let isBroken = false;
const logged: string[] = [];

beforeAll(async () => {
  const lines = new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  web = await startTestConsole(NOW, {
    settings: { login: { username: "team", password: "correct horse" } },
    deps: {
      log: pino(lines),
      unsubscribing: {
        find: () => Promise.reject(new Error("the tables are away")),
        set: () => Promise.reject(new Error("the tables are away")),
      },
    },
    defaults: ({ facts }) => ({
      facts: {
        ...facts,
        alert: (id) => (isBroken ? Promise.reject(new Error("the tables are away")) : facts.alert(id)),
      },
    }),
  });
  await makeAStory(web.stores, NOW);
});
afterAll(() => web.close());
beforeEach(async () => {
  alert = anAlert({ openedAt: NOW - 60_000 * ++count, fingerprint: `f${count}` });
  await web.stores.alerts.save([alert]);
});

const linkTo = (action: AlertLink["action"]) =>
  signAlertLink(SECRET, { alertId: alert.id, action, by: "on-call" }, NOW);
const press = (link: string, form: Record<string, string> = {}) =>
  aVisitor(web.url).post(`/act/${link}`, form);
const history = async () => (await web.stores.alerts.events(alert.projectId, alert.id)).length;

test("a link silences once, however often and from how many places it is pressed", async () => {
  const link = linkTo("silence");
  const answers = await Promise.all(Array.from({ length: 30 }, () => press(link)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(29);
  expect(await web.stores.silences.list(NOW, true)).toHaveLength(1);
  expect(await history()).toBe(1);
});

test("a link writes a few names at most into the history, and what changed nothing does not count", async () => {
  const link = linkTo("assign");
  for (let i = 0; i < 10; i++) expect((await press(link, { to: "" })).status).toBe(409);
  const statuses = [];
  for (let i = 0; i < 30; i++) statuses.push((await press(link, { to: `name ${i}` })).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(await history()).toBe(5);
});

test("a link that fails is not in the log, for it goes on working", async () => {
  const link = linkTo("resolve");
  isBroken = true;
  const answers = [
    await press(link),
    await aVisitor(web.url).ask(`/act/${link}`),
    await aVisitor(web.url).ask(`/unsubscribe/${link}`),
    await aVisitor(web.url).post(`/unsubscribe/${link}`, {}),
  ];
  isBroken = false;
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
  const text = logged.join("");
  expect(text).toContain("a page failed");
  expect(text).toContain("/act/:link");
  expect(text).not.toContain(link);
  expect(text).not.toContain(link.split(".")[1] ?? link);
});

test("a stranger who meets an error sees nothing of the console", async () => {
  isBroken = true;
  const page = await (await aVisitor(web.url).ask(`/act/${linkTo("resolve")}`)).text();
  isBroken = false;
  expect(page).toContain("This page could not be made");
  expect(page).not.toContain("<nav");
  expect(page).not.toContain("A crisis breaks out");
});

test("a link that failed because the database was down works when it is clicked again", async () => {
  const link = linkTo("acknowledge");
  const { db } = web.database;
  await sql`create function earshot.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'out of ink'; end $$`.execute(db);
  await sql`create trigger refuse before insert on earshot.alert_events for each row execute function earshot.refuse()`.execute(
    db,
  );
  expect((await press(link)).status).toBe(500);
  expect(await history()).toBe(0);
  await sql`drop function earshot.refuse() cascade`.execute(db);
  expect((await press(link)).status).toBe(200);
  expect(await history()).toBe(1);
});
