import { fastify } from "fastify";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { pushRoutes } from "../../src/console/push-routes.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { createPushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { readFeeds } from "../../src/feeds/run/read-feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Issue } from "../../src/lib/errors.ts";
import { rememberForgotten } from "../../src/listening-api/arrive/forget-requests.ts";
import { askedHash, putAnswers } from "../../src/listening-api/store/enrichment.ts";
import { findByAuthorOrAddress } from "../../src/listening-api/store/received-items.ts";
import { tracesInTables } from "../flows/find-traces.ts";
import { until } from "../until.ts";
import { feedsOf, startFeeding } from "./feeding.ts";
import { noEnricher } from "./no-enricher.ts";

/** Every character that a token may have. */
const ALL_VISIBLE = String.fromCharCode(...Array.from({ length: 94 }, (_, n) => 33 + n));
const written = feedsOf(
  { kind: "push", name: "zapier", token: "token-of-zapier-1" },
  { kind: "push", name: "script", token: "token-of-a-script" },
  { kind: "push", name: "every character", token: ALL_VISIBLE },
);
const feeding = await startFeeding({ feeds: written, queries: { Acme: "acme" } });
const app = fastify();
let isDown = false;
const run = feeding.worker();
const endpoint = createPushEndpoint({
  feeds: planFeeds({ feeds: written, queries: [] }),
  receive: (feed, read) => (isDown ? Promise.reject(new Error("away")) : run.receivePushed(feed, read)),
  log: { error: () => {} },
});
const PERSONAL = "a-token-of-a-user";
pushRoutes(app, endpoint, { opens: async ({ headers }) => headers.authorization === `Bearer ${PERSONAL}` });
afterAll(() => app.close());

async function post(body: unknown, token = "token-of-a-script", feed = "") {
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { authorization: `Bearer ${token}`, "content-type": "text/plain" };
  const answer = await app.inject({ method: "POST", url: `/feeds/push${feed}`, payload, headers });
  return { status: answer.statusCode, body: answer.json() };
}

test("somebody with a token of their own names the feed, where there are several", async () => {
  const one = { id: "personal-1", text: "pushed by a person" };
  expect(await post(one, PERSONAL)).toEqual({
    status: 400,
    body: { errors: [{ message: expect.stringContaining("zapier, script, every character") }] },
  });
  expect((await post(one, PERSONAL, "?feed=nobody")).status).toBe(400);
  expect((await post(one, PERSONAL, "?feed=zapier")).status).toBe(200);
  expect((await post(one, "a-token-of-nobody", "?feed=zapier")).status).toBe(401);
});

test("a token that a header cannot carry is refused by the configuration, and every other one arrives", async () => {
  for (const token of [
    "a token of sixteen",
    " token-of-a-script",
    "token-of-a-script\n",
    "tökén-of-a-script",
  ]) {
    const issues: Issue[] = [];
    readFeeds({ listen: { feeds: [{ kind: "push", token }] } }, issues);
    expect(issues, token).toEqual([
      {
        path: ["listen", "feeds", 0, "token"],
        message: expect.stringContaining("without blanks, accents or line ends"),
      },
    ]);
  }
  expect(await post({ id: "all", text: "nothing of it" }, ALL_VISIBLE)).toMatchObject({ status: 200 });
  expect(await post({ id: "all", deleted: true }, ALL_VISIBLE)).toMatchObject({ status: 200 });
});

test("mentions are stored and matched; sent again, they are not new", async () => {
  const mention = {
    id: 1,
    title: "Acme opens a shop",
    text: "In Bath.\nAt last.",
    url: "https://x.example/1",
    author: "Ann",
  };
  const more = { html: "<p>Something <b>else</b></p>", date: "2026-11-22T10:00:00Z" };
  expect(await post([mention, more])).toMatchObject({
    status: 200,
    body: { added: 2, matched: 1, refused: [] },
  });
  expect(await post({ mentions: [mention, more] })).toMatchObject({ status: 200, body: { added: 0 } });
  expect(await feeding.mentions()).toMatchObject([
    {
      title: "Acme opens a shop",
      text: "In Bath.\nAt last.",
      url: "https://x.example/1",
      record: { author: "Ann" },
    },
  ]);
  expect((await feeding.mentions({ hidden: true })).map(({ text }) => text)).toContain("Something else");
});

test("two programs that both count from 1 do not write over each other's mentions", async () => {
  const [first, second] = ["Acme of the script", "Acme of the hub"].map((text) => ({ id: "count-1", text }));
  expect(await post(first)).toMatchObject({ body: { added: 1 } });
  expect(await post(second, "token-of-zapier-1")).toMatchObject({ body: { added: 1 } });
  const texts = async () => (await feeding.mentions()).map(({ text }) => text);
  expect(await texts()).toEqual(expect.arrayContaining(["Acme of the script", "Acme of the hub"]));
  expect(await post({ id: "count-1", deleted: true })).toMatchObject({ body: { deleted: 1 } });
  expect(await texts()).toContain("Acme of the hub");
  expect(await texts()).not.toContain("Acme of the script");
});

test("a delete and an edit leave no word of the old text, also in what analysers answered", async () => {
  const words = ["zorblax", "quillonda", "vextron"];
  const hers = {
    id: "h",
    text: "The zorblax of Acme",
    author: "quillonda",
    url: "https://vextron.example/1",
  };
  const answered = (text: string) =>
    putAnswers(feeding.db, askedHash("x"), new Map([[text, { score: 1, reason: text }]]));
  await post(hers);
  await answered("The zorblax of Acme");
  expect(await post({ ...hers, text: "Acme is fine" })).toMatchObject({ body: { edited: 1 } });
  expect(await tracesInTables(feeding.url, ["zorblax"])).toEqual([]);
  await answered("Acme is fine");
  expect(await post({ id: "h", deleted: true })).toMatchObject({ body: { deleted: 1 } });
  await post({ id: "vextron-late", deleted: true });
  expect(await tracesInTables(feeding.url, [...words, "is fine"])).toEqual([]);
  expect(await post(hers)).toMatchObject({ body: { added: 0 } });
  expect(await post({ ...hers, id: "vextron-late" })).toMatchObject({ body: { added: 0 } });
  expect(await tracesInTables(feeding.url, words)).toEqual([]);
});

test("of two of one id in a list the later one counts, as if it had been sent after the other", async () => {
  const list = ["Acme plans a shop", "Acme opens a shop"].map((text) => ({ id: "twice", text }));
  expect(await post(list)).toMatchObject({ status: 200, body: { added: 1 } });
  const texts = (await feeding.mentions()).map(({ text }) => text);
  expect(texts).toContain("Acme opens a shop");
  expect(texts).not.toContain("Acme plans a shop");
});

test("a wrong mention is named, and the others are stored", async () => {
  const answer = await post([{ text: "acme two" }, { nothing: 1 }, { text: 7 }, { text: "x", date: "soon" }]);
  expect(answer).toMatchObject({ status: 200, body: { added: 1 } });
  expect(answer.body.refused).toEqual([
    "1: it has neither title nor text",
    expect.stringMatching(/^2: text: /),
    "3: date: expected a date such as 2026-03-01T09:30:00Z",
  ]);
  expect(await post([{ nothing: 1 }])).toMatchObject({ status: 400 });
});

test.each(["{", "", "7", "null", "[]", '"text"', "[[1]]"])(
  "the body %j is refused, and stores nothing",
  async (body) => {
    const before = (await feeding.mentions({ hidden: true })).length;
    expect((await post(body)).status).toBe(400);
    expect(await feeding.mentions({ hidden: true })).toHaveLength(before);
  },
);

test("a wrong token is refused, and does not learn what is right", async () => {
  expect(await post({ text: "x" }, "wrong")).toMatchObject({ status: 401 });
  expect(await post({ text: "x" }, "")).toMatchObject({ status: 401 });
});

test("while the database is away, the sender is asked to come again", async () => {
  isDown = true;
  expect(await post({ text: "acme" })).toMatchObject({ status: 503 });
  isDown = false;
});

test("hostile text is stored as text", async () => {
  const text = "acme \u0000 \ud800 <script>alert(1)</script> & '; drop table mention; --";
  expect(await post({ id: "\u0000 bad \ud800", text })).toMatchObject({ status: 200, body: { added: 1 } });
  expect((await feeding.mentions()).map((one) => one.text)).toContain(
    "acme \ufffd \ufffd <script>alert(1)</script> & '; drop table mention; --",
  );
});

test("a request to forget somebody finds what is being stored while it comes", async () => {
  let goOn = (): void => {};
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isStoring = false;
  const slow = feeding.worker({
    enricher: async () => ({
      ...noEnricher,
      // Called in the transaction that stores.
      queue: async () => {
        isStoring = true;
        await released;
      },
    }),
  });
  const [feed] = planFeeds({ feeds: written, queries: [] });
  if (feed === undefined) throw new Error("there is no feed");
  const body = { text: "acme of somebody who wants to be forgotten" };
  const item = { id: "late", title: null, body, url: null, publishedAt: null, author: "eve" };
  const stored = slow.receivePushed(feed, { items: [item], deletes: [] });
  const soon = { withinMs: 10_000 };
  await until("it is being stored", () => isStoring, soon);
  const eve = { what: "author", value: "eve", source: null } as const;
  let isRemembered = false;
  const found = rememberForgotten(feeding.db, eve, systemClock.now()).then(() => {
    isRemembered = true;
    return findByAuthorOrAddress(feeding.db, eve, 10);
  });
  await until("it waits for the writer, or does not", async () => isRemembered || isWaiting(), soon);
  goOn();
  await stored;
  expect(await found).toHaveLength(1);
});

async function isWaiting(): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(feeding.db);
  return rows.length > 0;
}
