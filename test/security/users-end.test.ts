import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addUser, changeUser, type UserChange } from "../../src/console/auth/manage-users.ts";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import type { UserRole } from "../../src/monitor/model/user.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, basic } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
let wall: ManualClock;
let web: TestConsole;
let other: TestConsole;

beforeEach(async () => {
  wall = createManualClock(NOW);
  const settings = { trustedProxies: ["127.0.0.1"] };
  web = await startTestConsole(NOW, { settings, deps: { wall } });
  // A second process on the tables of the first.
  other = await startTestConsole(NOW, { settings, deps: { wall, stored: web.stores } });
});
afterEach(async () => {
  await other.close();
  await web.close();
});

const parts = () => ({ stores: web.stores, namesOfFile: [], now: wall.now() });
const add = async (name: string, role: UserRole) =>
  expect(await addUser(parts(), { name, role, email: null, password: PASSWORD, by: "test" })).toMatchObject({
    outcome: "Done",
  });
const change = async (name: string, asked: UserChange) =>
  expect(await changeUser(parts(), name, asked)).toMatchObject({ outcome: "Done" });

async function loggedIn(name: string) {
  const visitor = aVisitor(web.url);
  expect((await visitor.logIn(name, PASSWORD)).status).toBe(303);
  return [visitor, aVisitor(other.url, visitor.cookies)] as const;
}
const statuses = (visitors: readonly { ask(path: string): Promise<Response> }[], path = "/") =>
  Promise.all(visitors.map(async (one) => (await one.ask(path)).status));

test("a user who ends is out at once, in every process, and so is a password of before", async () => {
  await add("ann", "admin");
  await add("bob", "viewer");
  const [ann, bob] = [await loggedIn("ann"), await loggedIn("bob")];
  const scrape = (password: string) =>
    aVisitor(web.url).ask("/metrics", { headers: { accept: "*/*", authorization: basic("bob", password) } });
  expect((await scrape(PASSWORD)).status).toBe(200);
  expect(await statuses(bob)).toEqual([200, 200]);
  await change("bob", { do: "password", password: "another four words" });
  expect(await statuses(bob)).toEqual([303, 303]);
  expect((await scrape(PASSWORD)).status).toBe(401);
  await change("ann", { do: "end" });
  expect(await statuses(ann)).toEqual([303, 303]);
  expect((await aVisitor(other.url).logIn("ann", PASSWORD)).status).toBe(401);
  // Who comes back logs in anew.
  await change("ann", { do: "restore" });
  expect(await statuses(ann)).toEqual([303, 303]);
  expect((await aVisitor(other.url).logIn("ann", PASSWORD)).status).toBe(303);
});

test("a role counts from the next request on", async () => {
  await add("ann", "viewer");
  const visitors = await loggedIn("ann");
  const press = async () =>
    Promise.all(
      visitors.map(async (one) => {
        const answer = await one.ask("/silences", {
          method: "POST",
          headers: { accept: "application/json" },
          body: new URLSearchParams({}),
        });
        return (await answer.text()).includes("needs the role");
      }),
    );
  expect(await press()).toEqual([true, true]);
  await change("ann", { do: "role", role: "responder" });
  expect(await press()).toEqual([false, false]);
  await change("ann", { do: "role", role: "viewer" });
  expect(await press()).toEqual([true, true]);
});

test("the first user turns the login on, and ending all of them does not turn it off", async () => {
  expect(await statuses([aVisitor(web.url), aVisitor(other.url)])).toEqual([200, 200]);
  await add("ann", "admin");
  wall.advance(MINUTE);
  expect(await statuses([aVisitor(web.url), aVisitor(other.url)])).toEqual([303, 303]);
  await change("ann", { do: "end" });
  wall.advance(MINUTE);
  expect(await statuses([aVisitor(web.url), aVisitor(other.url)])).toEqual([303, 303]);
  const later = await startTestConsole(NOW, { deps: { stored: web.stores } });
  expect(await statuses([aVisitor(later.url)])).toEqual([303]);
  await later.close();
});

test("no table and no page has a password", async () => {
  await add("ann", "admin");
  const [visitor] = await loggedIn("ann");
  const secret = [...visitor.cookies.values()].join("\n");
  const rows = await sql<{ all: string }>`
    select json_agg(u)::text || (select json_agg(s)::text from earshot.sessions s) as all from earshot.users u
  `.execute(web.database.db);
  const stored = rows.rows[0]?.all ?? "";
  expect(stored).toContain("$argon2id$");
  for (const word of [PASSWORD, ...secret.split(/[;\n]/)]) expect(stored).not.toContain(word);
  const page = await (await visitor.ask("/")).text();
  for (const word of [PASSWORD, "$argon2id"]) expect(page).not.toContain(word);
});

test("guesses from many addresses leave known browsers and probes their turn", async () => {
  await add("ann", "viewer");
  const [known] = await loggedIn("ann");
  const [inside] = await loggedIn("ann");
  known.cookies.delete("earshot");
  const guesses = Array.from({ length: 60 }, async (_, n) => {
    const from = { "x-forwarded-for": `203.0.113.${n}` };
    return (await aVisitor(web.url).logIn("ann", `guess number ${n}`, from)).status;
  });
  expect((await known.logIn("ann", PASSWORD)).status).toBe(303);
  expect((await inside.ask("/")).status).toBe(200);
  expect((await aVisitor(web.url).ask("/healthz")).status).toBe(200);
  const said = new Set(await Promise.all(guesses));
  // Those that find no place are refused at once, and none is let in.
  expect([...said].filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
});
