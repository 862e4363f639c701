import { Agent, get } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, basic } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "team", password: "correct horse" };
let web: TestConsole;
let wall: ManualClock;

async function start(trustedProxies: readonly string[] = []): Promise<void> {
  wall = createManualClock(NOW);
  web = await startTestConsole(NOW, { settings: { login: LOGIN, trustedProxies }, deps: { wall } });
}
// All tries of a test are in one minute, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(async () => {
  vi.useRealTimers();
  await web.close();
});

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
  expect((await scrape(LOGIN.password, { connection: "close" })).status).toBe(401);
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

test("a program that keeps its connection goes on for hours, however much others guess at its address", async () => {
  await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const scrapeAgain = () =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: basic("team", LOGIN.password) };
      get(`${web.url}/metrics`, { agent, headers }, (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
      }).once("error", reject);
    });
  try {
    for (let n = 0; n < 3 * 60; n++) {
      if (n % 2 === 1) await scrape(`guess ${n}`, { connection: "close" });
      expect(await scrapeAgain(), `after ${n} minutes`).toBe(200);
      wall.set(wall.now() + MINUTE);
    }
  } finally {
    agent.destroy();
  }
});

test("each use of a right login keeps it known, on other connections as well", async () => {
  await start();
  expect((await scrape(LOGIN.password)).status).toBe(200);
  await useUpTries();
  for (let n = 1; n <= 40; n++) {
    wall.set(wall.now() + 4 * MINUTE);
    if (n % 2 === 0) await scrape(`guess ${n}`);
    const answer = await scrape(LOGIN.password, { connection: "close" });
    expect(answer.status, `after ${4 * n} minutes`).toBe(200);
  }
});

test("nobody can lock others out of a name, and whoever guesses at it has fewer tries", async () => {
  await start(["127.0.0.1"]);
  const guess = (address: string, n: number) =>
    aVisitor(web.url)
      .logIn("team", `guess ${n}`, from(address))
      .then(({ status }) => status);
  for (let n = 0; n < 60; n++) await guess(`203.0.113.${n % 10}`, n);
  // A fresh browser at a fresh address, and a program.
  const right = await aVisitor(web.url).logIn("team", LOGIN.password, from("198.51.100.1"));
  expect(right.status).toBe(303);
  expect((await scrape(LOGIN.password, from("198.51.100.2"))).status).toBe(200);
  const next = [];
  for (let n = 0; n < 4; n++) next.push(await guess("198.51.100.3", n));
  expect(next).toEqual([401, 401, 429, 429]);
});
