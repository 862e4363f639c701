import { afterEach, expect, test } from "vitest";
import { startTestConsole, type TestConsole } from "../web/start-test-console.ts";
import { aVisitor, basic } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "team", password: "correct horse" };
let web: TestConsole;

async function start(trustedProxies: readonly string[] = []): Promise<void> {
  web = await startTestConsole(NOW, { settings: { login: LOGIN, trustedProxies } });
}
afterEach(() => web.close());

const from = (address: string) => ({ "x-forwarded-for": address });
/** Wrong logins of a stranger, until he has to wait. */
async function useUpTries(headers: Record<string, string> = {}): Promise<void> {
  for (let i = 0; i < 6; i++) await aVisitor(web.url).logIn("team", `guess ${i}`, headers);
  expect((await aVisitor(web.url).logIn("team", LOGIN.password, headers)).status).toBe(429);
}
const scrape = (password: string, headers: Record<string, string> = {}) =>
  aVisitor(web.url).ask("/metrics", {
    headers: { accept: "*/*", authorization: basic("team", password), ...headers },
  });

test("behind a trusted proxy, a guesser locks out only their own address", async () => {
  await start(["127.0.0.1"]);
  await useUpTries(from("203.0.113.1"));
  expect((await aVisitor(web.url).logIn("team", LOGIN.password, from("203.0.113.2"))).status).toBe(303);
  // What somebody who is no proxy says about himself is not believed.
  await useUpTries(from("203.0.113.9, 203.0.113.3"));
  expect((await aVisitor(web.url).logIn("team", LOGIN.password, from("203.0.113.9"))).status).toBe(303);
});

test("without a trusted proxy, nobody gets a new budget by naming another address", async () => {
  await start();
  await useUpTries();
  expect((await aVisitor(web.url).logIn("team", LOGIN.password, from("203.0.113.2"))).status).toBe(429);
});

test("a browser that logged in before gets in while others guess at its address and name", async () => {
  await start();
  const known = aVisitor(web.url);
  expect((await known.logIn("team", LOGIN.password)).status).toBe(303);
  known.cookies.delete("earshot");
  await useUpTries();
  expect((await known.logIn("team", LOGIN.password)).status).toBe(303);
  expect((await known.ask("/")).status).toBe(200);
});

test("a program that sent the right login goes on while others guess at its address", async () => {
  await start();
  expect((await scrape(LOGIN.password)).status).toBe(200);
  await useUpTries();
  for (let i = 0; i < 10; i++) await scrape(`guess ${i}`);
  expect((await scrape(LOGIN.password)).status).toBe(200);
});

test("what is known of a program opens no way to guess on from its address", async () => {
  await start();
  expect((await scrape(LOGIN.password)).status).toBe(200);
  for (let i = 0; i < 70; i++) expect((await scrape(`guess ${i}`)).status).toBe(401);
  expect((await scrape(LOGIN.password)).status).toBe(401);
});

test("of many guesses at once no more are looked at than one after the other", async () => {
  await start();
  const token = /name="token" value="([^"]+)"/;
  const visitor = aVisitor(web.url);
  const form = token.exec(await (await visitor.ask("/login")).text())?.[1] ?? "";
  const tries = Array.from({ length: 100 }, (_, i) =>
    visitor.post("/login", { username: "team", password: `guess ${i}`, token: form, next: "/" }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(95);
});
