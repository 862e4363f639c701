import { Writable } from "node:stream";
import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import type { ConsoleDeps } from "../../src/console/create-console.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { atMost } from "../../src/lib/concurrency.ts";
import { BusyError } from "../../src/lib/errors.ts";
import { createSlackEndpoint } from "../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { until } from "../until.ts";
import { aVisitor, tokenIn } from "./console-visitor.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
let web: TestConsole;
const start = async (deps: Partial<ConsoleDeps> = {}) => {
  web = await startTestConsole(NOW, { deps });
};
afterEach(() => web.close());

test("a zero byte in an address or a form is found nowhere, and is no fault of ours", async () => {
  await start();
  const after = Buffer.from(JSON.stringify([NOW, "1\u0000", "2\u0000"])).toString("base64url");
  const addresses = [
    "/mentions?query=%00",
    "/mentions?contains=a%00b",
    `/mentions?contains=a&after=${after}`,
    "/why?of=%00",
    "/inbox/files/%00",
    "/inbox/email/%00/html",
    "/alerts/%00",
    "/alerts?state=%00",
    "/preview?rule=%00",
    "/charts/%00.svg",
    "/act/%00",
    "/inbox?place=%00",
  ];
  const statuses = [];
  for (const address of addresses) statuses.push([address, (await aVisitor(web.url).ask(address)).status]);
  expect(statuses.filter(([, status]) => Number(status) >= 500)).toEqual([]);

  const visitor = aVisitor(web.url);
  const token = tokenIn((await (await visitor.ask("/silences")).text()).split('<main id="main"')[1] ?? "");
  const silence = { token, query: "Au\0rora", length: "4h", comment: "\0", by: "A\0nn" };
  expect((await visitor.post("/silences", silence)).status).toBe(303);
});

test("whether the process is ready is asked once a second, whoever asks how often", async () => {
  let asked = 0;
  const wall = createManualClock(NOW);
  const ready = async () => {
    asked++;
    return [{ name: "database", ok: true }];
  };
  await start({ health: { ready }, wall });
  const ask = () => Promise.all(Array.from({ length: 50 }, () => aVisitor(web.url).ask("/readyz")));
  expect((await ask()).every(({ status }) => status === 200)).toBe(true);
  await ask();
  expect(asked).toBe(1);
  wall.advance(1_000);
  await ask();
  expect(asked).toBe(2);
});

test("two run at a time, some wait in order, and all others are asked to come later", async () => {
  await start();
  const inTurn = atMost(2, 2);
  const ends: (() => void)[] = [];
  const began: number[] = [];
  const work = (n: number) =>
    inTurn(() => {
      began.push(n);
      return new Promise<number>((resolve) => ends.push(() => resolve(n)));
    });
  const all = [work(1), work(2), work(3), work(4)];
  await expect(work(5)).rejects.toBeInstanceOf(BusyError);
  expect(began).toEqual([1, 2]);
  ends[0]?.();
  await all[0];
  await Promise.resolve();
  expect(began).toEqual([1, 2, 3]);
  for (let i = 1; i < 4; i++) {
    ends[i]?.();
    await all[i];
  }
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
  expect(await inTurn(async () => "free again")).toBe("free again");
});

test("of many searches two are in the database at a time, and one that takes too long is ended there", async () => {
  await start();
  const { db } = web.database;
  const facts = createConsoleStore(db, { searchTakesMs: 400 });
  const search = { projectId: null, queryId: null, sentiment: null, contains: "y" };
  await db.transaction().execute(async (tx) => {
    // As if there were so many mentions that none of the searches came to an end.
    await sql`lock table earshot.mentions in access exclusive mode`.execute(tx);
    const searches = Array.from({ length: 6 }, () => facts.mentions(search, null, 50));
    const ended = Promise.allSettled(searches);
    // Not within the transaction, which would see the same for ever.
    const waiting = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      `.execute(db);
      return rows[0]?.n ?? 0;
    };
    await until("searches wait for the lock", async () => (await waiting()) > 0, { withinMs: 5_000 });
    const seen = [];
    for (let done = false; !done; ) {
      seen.push(await waiting());
      done = await Promise.race([
        ended.then(() => true),
        new Promise<false>((go) => setImmediate(go, false)),
      ]);
    }
    expect(Math.max(...seen)).toBe(2);
    for (const one of await ended) {
      expect(one).toMatchObject({ status: "rejected", reason: expect.any(BusyError) });
    }
  });
  expect((await facts.mentions(search, null, 50)).mentions).toEqual([]);
});

test("a page that cannot be made for want of time says so, and when to come back", async () => {
  web = await startTestConsole(NOW, {
    defaults: ({ facts }) => ({
      facts: { ...facts, mentions: () => Promise.reject(new BusyError("the search took too long")) },
    }),
  });
  const answer = await aVisitor(web.url).ask("/mentions?contains=x");
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await answer.text()).toContain("too busy");
});

test("posts that Slack did not sign fill no log", async () => {
  await start();
  const lines: { address: string; others: number }[] = [];
  const wall = createManualClock(NOW);
  const log = pino(
    new Writable({ write: (text, _, done) => done(void lines.push(JSON.parse(String(text)))) }),
  );
  const endpoint = createSlackEndpoint({
    apps: [],
    handle: async () => ({ outcome: "Done" }),
    wall,
    log,
  });
  const post = () => endpoint.take({ body: "payload={}", header: () => "0", address: "203.0.113.1" });
  for (let i = 0; i < 500; i++) expect(await post()).toBe("NotSigned");
  expect(lines).toMatchObject([{ address: "203.0.113.1", others: 0 }]);
  wall.advance(60_000);
  await post();
  expect(lines.slice(1)).toMatchObject([{ address: "203.0.113.1", others: 499 }]);
});

test("a form with the right token and cookie, sent from a foreign page, changes nothing", async () => {
  await start();
  const visitor = aVisitor(web.url);
  const token = tokenIn((await (await visitor.ask("/silences")).text()).split('<main id="main"')[1] ?? "");
  const silence = { token, query: "Aurora", length: "4h", comment: "", by: "" };
  for (const origin of ["https://evil.example", "http://127.0.0.1:1", "file://"]) {
    expect((await visitor.post("/silences", silence, { origin })).status).toBe(403);
  }
  for (const origin of [web.url, "null"]) {
    expect((await visitor.post("/silences", silence, { origin })).status).toBe(303);
  }
});
