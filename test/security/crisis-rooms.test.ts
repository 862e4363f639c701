import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { withoutNames } from "../../src/console/parts/incident-story.ts";
import { createManualClock, systemClock } from "../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import type { Incident } from "../../src/monitor/model/incident.ts";
import { ATTACKS, anAlert, makeAnIncident, makeAStory, PROJECT } from "../console/make-a-story.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aMention } from "../mention.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";

const PASSWORD = "four words in a row";
const wall = createManualClock(systemClock.now());
const NOW = wall.now();
const SAID = "Battery of the X2 caught fire, says @ann_private, see https://social.example/ann_private/1";
let web: TestConsole;
let ann: ConsoleVisitor;
let alert: Alert;
let incident: Incident;

beforeAll(async () => {
  web = await startTestConsole(NOW, { deps: { wall } });
  ({ crisis: alert } = await makeAStory(web.stores, NOW));
  const copies = ["ann_private", "bo_private", "cy_private"].map((author, n) =>
    aMention({
      ...{ queryId: "1", resourceId: `copy-${n}`, publishedAt: NOW - (20 - n) * MINUTE, addedAt: NOW },
      ...{
        author,
        authorName: `Private ${author}`,
        text: SAID,
        domain: "social.example",
        sentiment: "negative",
      },
    }),
  );
  const alone = aMention({
    ...{ queryId: "1", resourceId: "alone", publishedAt: NOW - 10 * MINUTE, addedAt: NOW },
    ...{ author: "dee_private", text: "Only I have said this" },
  });
  const rows = [...copies, alone].map((mention, n) => ({
    ...{ mention, eventAt: mention.publishedAt ?? NOW, story: n < copies.length ? "shared" : "alone" },
  }));
  await web.stores.mentions.storePage(PROJECT, web.stores.mentions.rowsOf(rows), NOW);
  incident = await makeAnIncident(web.stores, { ...alert, lastSeenAt: NOW });
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  for (const [name, role] of [
    ["ann", "responder"],
    ["vic", "viewer"],
  ] as const)
    await addUser(parts, { name, role, email: null, password: PASSWORD, by: "test" });
  ann = aVisitor(web.url);
  await ann.logIn("ann", PASSWORD);
});
afterAll(() => web.close());

const pageOf = (of = incident) => `/incidents/${of.id}`;
const press = async (what: string, form: Record<string, string> = {}, of = incident) =>
  ann.post(`${pageOf(of)}/${what}`, { token: tokenIn(await (await ann.ask(pageOf(of))).text()), ...form });
const linkIn = (page: string) => /http\S+(\/rooms\/[\w-]+)/.exec(page)?.[1] ?? "";
const outsider = () => aVisitor(web.url);
async function openLink(of = incident, length = "1d"): Promise<string> {
  await press("room/end", {}, of);
  return linkIn(await (await press("room", { length }, of)).text());
}
async function read(path: string): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await outsider().ask(path);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

test("a link has 256 random bits, is shown once, and only its hash is kept", async () => {
  const made = await press("room", {});
  const path = linkIn(await made.text());
  expect([made.status, path]).toEqual([200, expect.stringMatching(/^\/rooms\/[\w-]{43}$/)]);
  const secret = path.slice("/rooms/".length);
  expect(await (await ann.ask(pageOf())).text()).not.toContain(secret);
  const { rows } = await sql<{ all: string }>`
    select (select json_agg(r)::text from earshot.rooms r) || (select json_agg(a)::text from earshot.audit a) as all
  `.execute(web.database.db);
  expect(rows[0]?.all).toContain("room.open");
  expect(rows[0]?.all).not.toContain(secret);
  expect((await read(path)).status).toBe(200);
});

test("whoever has the link reads, without a cookie, and does nothing else", async () => {
  const path = await openLink();
  const visitor = outsider();
  const page = await visitor.ask(path);
  expect([page.status, [...visitor.cookies]]).toEqual([200, []]);
  expect(page.headers.getSetCookie()).toEqual([]);
  expect(page.headers.get("x-robots-tag")).toContain("noindex");
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  expect(page.headers.get("cache-control")).toBe("no-store");
  const text = await page.text();
  expect(text).toContain('<meta name="robots" content="noindex">');
  expect(text).not.toMatch(/<form|<input|<button/);
  for (const other of [pageOf(), "/", "/mentions"])
    expect((await visitor.ask(other)).status, other).toBe(303);
  const posted = await visitor.post(`${pageOf()}/statement`, { text: "x" });
  expect([303, 401, 403]).toContain(posted.status);
});

test("nothing in a room leads into the console, whatever its answer", async () => {
  const path = await openLink();
  for (const page of [path, `${path}?part=now`, "/rooms/none", `${path}?part=nothing`]) {
    const { text } = await read(page);
    const leads = [...text.matchAll(/(?:href|src|action|hx-get)="([^"]*)"/g)].map(([, to = ""]) => to);
    expect(leads.filter((to) => !to.startsWith("/assets/") && to !== `${path}?part=now`)).toEqual([]);
  }
});

test("outsiders see volume, mood, stories, what happened, who has it and the statement, and no author", async () => {
  const path = await openLink();
  await press("statement", { status: "Holding statement out", text: "We look into it.\nMore at noon." });
  await ann.post(`/alerts/${alert.id}/act`, {
    token: tokenIn(await (await ann.ask(`/alerts/${alert.id}`)).text()),
    ...{ do: "assign", to: "Ann of the press office" },
  });
  expect((await press("comment", { text: "among colleagues only" })).status).toBe(303);
  // How alerts were sorted is for colleagues.
  await web.stores.incidents.addEntries(PROJECT, [
    { incidentId: incident.id, at: NOW, kind: "Joined", detail: "rule-of-the-house", alertId: alert.id },
  ]);
  wall.advance(MINUTE);
  expect(await (await ann.ask(pageOf())).text()).toContain("rule-of-the-house");
  const { text } = await read(path);
  const shown = text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  expect(shown).toContain("Holding statement out");
  expect(shown).toContain("We look into it. More at noon.");
  expect(shown).toContain("Ann of the press office");
  expect(shown).toContain("Volume and mood in 24 hours");
  expect(shown).toMatch(/3 mentions Battery of the X2 caught fire, says @… see \(link\)/);
  expect(shown).toContain("social.example");
  expect(text).not.toContain("_private");
  expect(text).not.toContain("Private ");
  expect(text).not.toContain("among colleagues only");
  expect(text).not.toContain("rule-of-the-house");
  expect(shown).not.toContain("Only I have said this");
});

test("words lose handles, addresses of mails and links, in whatever form", () => {
  const words = "by @ann, ann@mail.example and ＠ann: http://x.example/ann www.x.example/ann u/ann /u/ann.";
  expect(withoutNames(words)).toBe("by @… @… and @… (link) (link) @… @…");
});

test("only who reads the whole page counts as an opening: no HEAD, and no part of an open page", async () => {
  const path = await openLink();
  const openings = async () =>
    (await web.stores.rooms.ofIncident(PROJECT, incident.id, wall.now()))?.opened ?? null;
  const visitor = outsider();
  // Mail gateways look whether a link leads anywhere, before anybody opens it.
  const head = await visitor.ask(path, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(await openings()).toBe(0);
  const page = await visitor.ask(path);
  for (const name of ["content-type", "cache-control", "x-robots-tag", "referrer-policy"])
    expect(head.headers.get(name), name).toBe(page.headers.get(name));
  expect(await openings()).toBe(1);
  expect((await read(`${path}?part=now`)).status).toBe(200);
  expect((await visitor.ask(path, { method: "HEAD" })).status).toBe(200);
  expect(await openings()).toBe(1);
  expect((await visitor.ask("/rooms/none", { method: "HEAD" })).status).toBe(404);
});

test("a link is ended at once, for open pages as well, and cannot be opened again", async () => {
  const path = await openLink();
  expect((await read(path)).status).toBe(200);
  const ended = await press("room/end");
  expect(ended.status).toBe(303);
  expect((await read(path)).status).toBe(404);
  // With this status htmx shows the answer, and asks no more.
  const part = await read(`${path}?part=now`);
  expect([part.status, part.text]).toEqual([286, expect.stringContaining("This link opens nothing")]);
  expect((await press("room/end")).status).toBe(409);
});

test("a link ends by itself: after a day if nobody chooses, and after seven at most", async () => {
  const path = await openLink();
  wall.advance(DAY - MINUTE);
  await ann.logIn("ann", PASSWORD);
  expect((await read(path)).status).toBe(200);
  wall.advance(MINUTE);
  expect((await read(path)).status).toBe(404);
  for (const length of ["8d", "0", "forever"])
    expect((await press("room", { length })).status, length).toBe(400);
  expect(linkIn(await (await press("room", { length: "7d" })).text())).not.toBe("");
});

test("links that ended, ran out, or never were get the same answer, and so has one of an incident that is gone", async () => {
  const ended = await openLink();
  await press("room/end");
  const other = anAlert({ openedAt: NOW - 2 * HOUR, fingerprint: "gone" });
  await web.stores.alerts.save([other]);
  const gone = await makeAnIncident(web.stores, other);
  const dropped = await openLink(gone);
  await sql`delete from earshot.incidents where id = ${gone.id}::uuid`.execute(web.database.db);
  wall.advance(MINUTE);
  const answers = await Promise.all([ended, dropped, "/rooms/x", `/rooms/${"A".repeat(43)}`].map(read));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.text).toContain("It has ended, or is not complete.");
});

test("of two who make a link at once, one gets it", async () => {
  await press("room/end");
  const answers = await Promise.all([press("room"), press("room"), press("room")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test("nobody publishes over a statement that they have not read", async () => {
  const page = await (await ann.ask(pageOf())).text();
  const seen = /name="seen" value="([^"]*)"/.exec(page)?.[1] ?? "";
  const post = (text: string) => press("statement", { seen, text, status: "" });
  const answers = await Promise.all([post("The first one"), post("The second one")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
  const refused = await answers.find(({ status }) => status === 409)?.text();
  expect(refused).toContain("somebody has written one meanwhile");
  // Nobody types it twice.
  expect(refused).toMatch(/<textarea[^>]*>\s*The (first|second) one<\/textarea>/);
  const notes = await web.stores.incidentNotes.list(PROJECT, incident.id);
  expect(notes.filter(({ text }) => /^The (first|second) one$/.test(text))).toHaveLength(1);
});

test("making and ending a link and publishing are in the audit log, with who did it and without words", async () => {
  const entries = await web.stores.audit.list({ who: "ann", action: null, from: null, to: null }, null, 500);
  const ofIncident = entries.filter(({ target }) => target.endsWith(incident.id));
  expect(new Set(ofIncident.map(({ action, outcome }) => `${action} ${outcome}`))).toEqual(
    new Set([
      ...["room.open Done", "room.open Refused", "room.end Done", "room.end Refused"],
      ...["incident.statement Done", "incident.statement Refused", "incident.comment Done"],
    ]),
  );
  expect(JSON.stringify(ofIncident)).not.toContain("We look into it");
});

test("a viewer sees the page of the incident, and neither makes a link nor publishes", async () => {
  const vic = aVisitor(web.url);
  await vic.logIn("vic", PASSWORD);
  const page = await (await vic.ask(pageOf())).text();
  expect(page).toContain("Incident:");
  expect(page).not.toContain("Make a link");
  for (const what of ["room", "room/end", "statement", "comment", "review"]) {
    const answer = await vic.post(`${pageOf()}/${what}`, { text: "x", length: "1d" });
    expect([what, answer.status]).toEqual([what, 403]);
  }
});

test("what attacks the page stays text, in statements and in stories", async () => {
  const path = await openLink();
  for (const [n, text] of ATTACKS.entries()) {
    const page = await (await ann.ask(pageOf())).text();
    const seen = /name="seen" value="([^"]*)"/.exec(page)?.[1] ?? "";
    expect((await press("statement", { seen, text, status: text.slice(0, 80) })).status, String(n)).toBe(303);
  }
  wall.advance(MINUTE);
  for (const page of [(await read(path)).text, await (await ann.ask(pageOf())).text()]) {
    const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts.filter((tag) => !tag.includes('src="/assets/'))).toEqual([]);
    expect(page).not.toMatch(/<(?:img|iframe)|<[^>]*\son\w+=|hx-get="\/logout"|href="https:\/\/evil/);
    expect(page).toContain("&lt;script&gt;");
  }
});

test("one address asks a few hundred times a minute, and others go on", async () => {
  const path = await openLink();
  const statuses: number[] = [];
  for (let n = 0; n < 300; n++) statuses.push((await read("/rooms/none")).status);
  expect(statuses.at(0)).toBe(404);
  expect(statuses.at(-1)).toBe(429);
  // Colleagues at the same address are not held up.
  expect((await ann.ask(pageOf())).status).toBe(200);
  expect((await read(path)).status).toBe(429);
});
