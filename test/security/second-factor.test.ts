import { sql } from "kysely";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { createSecondFactors } from "../../src/console/auth/second-factor.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, basic, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
const KEY = "a key of more than thirty-two letters";
const wall = createManualClock(NOW);
let web: TestConsole;
let other: TestConsole;

beforeAll(async () => {
  const settings = { secondFactorKey: KEY };
  web = await startTestConsole(NOW, { settings, deps: { wall } });
  other = await startTestConsole(NOW, { settings, deps: { wall, stored: web.stores } });
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  for (const name of ["ann", "bob", "cleo", "dora", "eve", "fay", "gus"])
    await addUser(parts, { name, role: "admin", email: null, password: PASSWORD, by: "test" });
});
afterAll(async () => {
  await other.close();
  await web.close();
});

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: wall.now() });
const formIn = async (visitor: ConsoleVisitor, path: string) =>
  tokenIn((await (await visitor.ask(path)).text()).split('<main id="main"')[1] ?? "");
const isInside = async (visitor: ConsoleVisitor) => (await visitor.ask("/account")).status === 200;

/** Sets up a second factor as a person does, and steps past the code that it used. */
async function setUp(
  name: string,
  after = MINUTE,
): Promise<{ secret: string; recovery: string[]; visitor: ConsoleVisitor }> {
  const visitor = aVisitor(web.url);
  await visitor.logIn(name, PASSWORD);
  const begun = await (
    await visitor.post("/account/second-factor", {
      ...{ token: await formIn(visitor, "/account"), password: PASSWORD },
    })
  ).text();
  expect(begun).toContain("<svg");
  const secret = (/Key: <code class="secret">([^<]+)</.exec(begun)?.[1] ?? "").replaceAll(" ", "");
  const confirmed = await (
    await visitor.post("/account/second-factor/confirm", {
      ...{ token: await formIn(visitor, "/account"), code: codeOf(secret) },
    })
  ).text();
  const recovery = [...confirmed.matchAll(/<li><code class="secret">([^<]+)</g)].map(([, code = ""]) => code);
  expect(recovery).toHaveLength(10);
  wall.advance(after);
  return { secret, recovery, visitor };
}

async function giveCode(visitor: ConsoleVisitor, code: string): Promise<number> {
  // The form for the code is the answer to the password, and its token is that of every form of this browser.
  const token = tokenIn(await (await visitor.ask("/login")).text());
  return (await visitor.post("/login/code", { token, code, next: "/" })).status;
}

test("a password alone opens nothing, a code opens a session, and no code works twice", async () => {
  const { secret } = await setUp("ann");
  const visitor = aVisitor(web.url);
  const asked = await visitor.logIn("ann", PASSWORD);
  expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining("Code of your app")]);
  expect(await isInside(visitor)).toBe(false);
  expect(await giveCode(visitor, "000000")).toBe(401);
  expect(await isInside(visitor)).toBe(false);
  const code = codeOf(secret);
  expect(await giveCode(visitor, code)).toBe(303);
  expect(await isInside(visitor)).toBe(true);
  // Whoever looked over a shoulder comes too late, in another process, too, and with the code of before as well.
  const thief = aVisitor(other.url);
  await thief.logIn("ann", PASSWORD);
  expect(await giveCode(thief, code)).toBe(401);
  const before = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: wall.now() - 30_000 });
  expect(await giveCode(thief, before)).toBe(401);
  expect(await isInside(thief)).toBe(false);
});

test("a code without the password of before, or minutes after it, opens nothing", async () => {
  const { secret } = await setUp("bob");
  const visitor = aVisitor(web.url);
  expect(await giveCode(visitor, codeOf(secret))).toBe(403);
  await visitor.logIn("bob", PASSWORD);
  wall.advance(6 * MINUTE);
  expect(await giveCode(visitor, codeOf(secret))).toBe(403);
  expect(await isInside(visitor)).toBe(false);
});

test("the code that confirmed a second factor opens no session", async () => {
  const { secret } = await setUp("fay", 0);
  const thief = aVisitor(web.url);
  await thief.logIn("fay", PASSWORD);
  expect(await giveCode(thief, codeOf(secret))).toBe(401);
  expect(await isInside(thief)).toBe(false);
  wall.advance(MINUTE);
  expect(await giveCode(thief, codeOf(secret))).toBe(303);
});

test("a code is of no use to whoever gave a password that is no longer the right one", async () => {
  const { secret } = await setUp("gus");
  const visitor = aVisitor(web.url);
  await visitor.logIn("gus", PASSWORD);
  const parts = { stores: web.stores, namesOfFile: [], now: wall.now() };
  await changeUser(parts, "gus", { do: "password", password: "another four words" });
  expect(await giveCode(visitor, codeOf(secret))).toBe(403);
  expect(await isInside(visitor)).toBe(false);
});

test("a recovery code works once, and the second factor ends by a code alone", async () => {
  const { secret, recovery, visitor } = await setUp("cleo");
  const [lost, thief] = [aVisitor(web.url), aVisitor(web.url)];
  await lost.logIn("cleo", PASSWORD);
  expect(await giveCode(lost, (recovery[3] ?? "").toUpperCase())).toBe(303);
  await thief.logIn("cleo", PASSWORD);
  expect(await giveCode(thief, recovery[3] ?? "")).toBe(401);
  expect(await (await lost.ask("/account")).text()).toContain("Recovery codes left: 9");
  const end = async (code: string) =>
    (await visitor.post("/account/second-factor/end", { token: await formIn(visitor, "/account"), code }))
      .status;
  expect(await end("123456")).toBe(403);
  expect(await end(codeOf(secret))).toBe(303);
  expect((await aVisitor(web.url).logIn("cleo", PASSWORD)).status).toBe(303);
});

test("who knows the password guesses ten codes an hour, from however many places", async () => {
  const { secret } = await setUp("dora");
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const visitor = aVisitor(n % 2 === 0 ? web.url : other.url);
      await visitor.logIn("dora", PASSWORD);
      return giveCode(visitor, String(n).padStart(6, "0"));
    }),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  const herself = aVisitor(web.url);
  await herself.logIn("dora", PASSWORD);
  expect(await giveCode(herself, codeOf(secret))).toBe(429);
  wall.advance(HOUR);
  await herself.logIn("dora", PASSWORD);
  expect(await giveCode(herself, codeOf(secret))).toBe(303);
});

test("a program with the password of such a user is refused: it needs a token", async () => {
  const answer = await aVisitor(web.url).ask("/alerts.json", {
    headers: { accept: "application/json", authorization: basic("ann", PASSWORD) },
  });
  expect(answer.status).toBe(401);
});

test("the secret is sealed at rest: with another key, or for another user, nobody opens it", async () => {
  const { secret } = await setUp("eve");
  const { sealed } = (await web.stores.secondFactors.find("eve")) ?? { sealed: Buffer.alloc(0) };
  expect(sealed.includes(Buffer.from(Secret.fromBase32(secret).bytes))).toBe(false);
  const elsewhere = createSecondFactors(web.stores.secondFactors, `${KEY}!`);
  expect(await elsewhere.check("ann", "123456", wall.now())).toBe("Unreadable");
  await sql`update earshot.second_factors set sealed = (
    select sealed from earshot.second_factors where name_key = 'bob') where name_key = 'ann'`.execute(
    web.database.db,
  );
  const same = createSecondFactors(web.stores.secondFactors, KEY);
  expect(await same.check("ann", "123456", wall.now())).toBe("Unreadable");
  expect(await same.check("bob", "123456", wall.now())).toBe("Wrong");
});
