import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addToken } from "../../src/console/auth/access-tokens.ts";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import { LONGEST_TOKEN_MS, MOST_TOKENS, type TokenScope } from "../../src/monitor/model/access-token.ts";
import { anAlert, makeAStory } from "../console/make-a-story.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
const wall = createManualClock(NOW);
let web: TestConsole;
let other: TestConsole;

beforeAll(async () => {
  web = await startTestConsole(NOW, { deps: { wall } });
  other = await startTestConsole(NOW, { deps: { wall, stored: web.stores } });
  for (const [name, role] of [
    ["ann", "admin"],
    ["bob", "responder"],
  ] as const)
    await addUser(parts(), { name, role, email: null, password: PASSWORD, by: "test" });
});
afterAll(async () => {
  await other.close();
  await web.close();
});

const parts = () => ({ stores: web.stores, namesOfFile: [], now: wall.now() });

async function aToken(user: string, scope: TokenScope, lengthMs = DAY): Promise<string> {
  const added = await addToken(web.stores, { user, label: "a program", scope, lengthMs, now: wall.now() });
  if (added.outcome === "Refused") throw new Error(added.because);
  return added.text;
}
const withToken = (token: string, path: string, init: RequestInit = {}) =>
  aVisitor(other.url).ask(path, {
    ...init,
    headers: { accept: "application/json", authorization: `Bearer ${token}`, ...init.headers },
  });
async function inside(name: string): Promise<ConsoleVisitor> {
  const visitor = aVisitor(web.url);
  expect((await visitor.logIn(name, PASSWORD)).status).toBe(303);
  return visitor;
}
const formIn = async (visitor: ConsoleVisitor, path: string) =>
  tokenIn((await (await visitor.ask(path)).text()).split('<main id="main"')[1] ?? "");

test("Prometheus reads the metrics with a token, and nothing else", async () => {
  const token = await aToken("bob", "metrics");
  const scraped = await withToken(token, "/metrics");
  expect([scraped.status, await scraped.text()]).toEqual([200, expect.stringContaining("earshot_ready 1")]);
  for (const path of ["/", "/alerts.json", "/live", "/account"])
    expect((await withToken(token, path)).status).toBe(403);
});

test("a token acts without a form, in the name of its user", async () => {
  await makeAStory(web.stores, NOW);
  const alert = anAlert({ openedAt: NOW - HOUR });
  await web.stores.alerts.save([alert]);
  const token = await aToken("bob", "act");
  const acted = await aVisitor(web.url).ask(`/alerts/${alert.id}/act`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ do: "acknowledge", by: "", to: "", length: "" }),
  });
  expect(acted.status).toBe(303);
  expect((await web.stores.alerts.events(alert.projectId, alert.id)).at(-1)).toMatchObject({
    detail: "by bob",
  });
  expect(
    (await withToken(await aToken("bob", "read"), `/alerts/${alert.id}/act`, { method: "POST" })).status,
  ).toBe(403);
});

test("a token ends with its time, with its user, and when somebody ends it; a wrong one opens nothing", async () => {
  const token = await aToken("bob", "read", HOUR);
  const asks = async (text = token) => (await withToken(text, "/alerts.json")).status;
  expect(await asks()).toBe(200);
  for (const text of [`${token}x`, token.slice(0, -1), token.replace("read", "act"), "earshot_read_", "x"])
    expect(await asks(text)).toBe(401);
  await changeUser(parts(), "bob", { do: "end" });
  expect(await asks()).toBe(401);
  await changeUser(parts(), "bob", { do: "restore" });
  expect(await asks()).toBe(200);
  const [stored] = await web.stores.accessTokens.list("bob", wall.now());
  expect(stored).toMatchObject({ label: "a program", usedFrom: "127.0.0.1" });
  wall.advance(HOUR);
  expect(await asks()).toBe(401);
  const another = await aToken("bob", "read");
  const [newest] = await web.stores.accessTokens.list("bob", wall.now());
  await web.stores.accessTokens.end(newest?.id ?? "", "ann", wall.now());
  expect(await asks(another)).toBe(200);
  await web.stores.accessTokens.end(newest?.id ?? "", "bob", wall.now());
  expect(await asks(another)).toBe(401);
});

test("nobody has more than fifty tokens, and each lasts from an hour to its longest time", async () => {
  const add = (lengthMs: number) =>
    addToken(web.stores, { user: "cleo", label: "a program", scope: "read", lengthMs, now: wall.now() });
  for (const lengthMs of [HOUR - 1, LONGEST_TOKEN_MS + 1, Number.NaN])
    expect((await add(lengthMs)).outcome).toBe("Refused");
  for (let n = 0; n < MOST_TOKENS; n++)
    expect((await add(n === 0 ? LONGEST_TOKEN_MS : HOUR)).outcome).toBe("Done");
  expect(await add(HOUR)).toEqual({
    outcome: "Refused",
    because: "cleo has 50 tokens: end one of them first",
  });
});

test("a token is shown once, and no table, page or log of what was done has it", async () => {
  const ann = await inside("ann");
  const made = await ann.post("/account/tokens", {
    ...{ token: await formIn(ann, "/account"), label: "scripts", scope: "read", length: "30d" },
  });
  const token = /earshot_read_[\w-]{43}/.exec(await made.text())?.[0] ?? "";
  expect((await withToken(token, "/alerts.json")).status).toBe(200);
  for (const path of ["/account", "/users", "/audit", "/audit.jsonl"])
    expect(await (await ann.ask(path)).text()).not.toContain(token);
  const { rows } = await sql<{ all: string }>`
    select (select json_agg(t)::text from earshot.access_tokens t) || (select json_agg(a)::text from earshot.audit a) as all
  `.execute(web.database.db);
  expect(rows[0]?.all).toContain("scripts");
  expect(rows[0]?.all).not.toContain(token);
});

test("sessions are seen and ended, across processes; nobody ends those of others", async () => {
  const [one, second, bob] = [await inside("ann"), await inside("ann"), await inside("bob")];
  const page = await (await one.ask("/account")).text();
  expect(page).toContain("this one");
  const [theirs] = await web.stores.sessions.list("bob", wall.now());
  const form = await formIn(one, "/account");
  await one.post("/account/sessions/end", { token: form, id: theirs?.id ?? "" });
  expect((await bob.ask("/")).status).toBe(200);
  const elsewhere = aVisitor(other.url, second.cookies);
  expect((await elsewhere.ask("/")).status).toBe(200);
  await one.post("/account/sessions/end", { token: form, id: "others" });
  expect((await elsewhere.ask("/")).status).toBe(303);
  expect((await one.ask("/")).status).toBe(200);
});

test("a password is changed by who knows the one of now, and the other sessions end", async () => {
  const [one, second] = [await inside("bob"), await inside("bob")];
  const change = async (old: string, password: string) =>
    one.post("/account/password", { token: await formIn(one, "/account"), old, password });
  expect((await change("guessed", "another four words")).status).toBe(403);
  expect(await (await change(PASSWORD, "short")).text()).toContain("12 characters or more");
  expect((await second.ask("/")).status).toBe(200);
  expect((await change(PASSWORD, "another four words")).status).toBe(303);
  expect((await one.ask("/")).status).toBe(200);
  expect((await second.ask("/")).status).toBe(303);
  await changeUser(parts(), "bob", { do: "password", password: PASSWORD });
});

test("an admin adds users on the page, gives them roles, and cannot end themselves", async () => {
  const ann = await inside("ann");
  const send = async (path: string, form: Record<string, string>) =>
    ann.post(path, { token: await formIn(ann, "/users"), ...form });
  const added = await (await send("/users", { name: "Cleo", role: "viewer" })).text();
  const password = /class="secret">([^<]+)</.exec(added)?.[1] ?? "";
  const cleo = aVisitor(web.url);
  expect((await cleo.logIn("cleo", password)).status).toBe(303);
  expect((await cleo.ask("/users")).status).toBe(403);
  expect((await send("/users/change", { name: "Cleo", do: "role", role: "admin" })).status).toBe(303);
  expect((await cleo.ask("/users")).status).toBe(200);
  for (const change of [{ do: "end" }, { do: "role", role: "viewer" }])
    expect((await send("/users/change", { name: "ANN", ...change })).status).toBe(409);
  expect((await send("/users", { name: "<script>", role: "viewer" })).status).toBe(400);
  expect((await send("/users/change", { name: "Cleo", do: "end" })).status).toBe(303);
  expect((await cleo.ask("/")).status).toBe(303);
});
