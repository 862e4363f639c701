import { sql } from "kysely";
import { afterAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { mail, startImap } from "../fakes/imap.ts";
import { feedsOf, startFeeding } from "../feeds/feeding.ts";
import { worstAnswerWhile } from "./worst-answer.ts";

// What anybody may write who can write into a feed, a mail or a robots.txt, at the greatest size that is read. Before
// these were read in threads, each stopped the process for seconds to hours.

const server = await startFeedServer();
const imap = await startImap();
afterAll(() => Promise.all([server.close(), imap.close()]));
const { host, port, user, password } = imap;
const feeding = await startFeeding({
  feeds: feedsOf(
    { kind: "rss", name: "bad", urls: [`${server.url}/bad`] },
    { kind: "rss", name: "good", urls: [`${server.url}/good`] },
    { kind: "mailbox", name: "mails", imap: { host, port, user, password, encryption: "none" } },
  ),
  queries: { Acme: "acme" },
  limits: { timeoutMs: 30_000 },
});
const { db } = feeding;
const date = new Date(systemClock.now()).toUTCString();
const good = { guid: "1", title: "Acme is well", link: "https://blog.example/1", date };

beforeEach(async () => {
  server.pages.clear();
  imap.mails = [];
  server.pages.set("/good", { body: rssDocument([good]) });
  await sql`delete from local_api.mention`.execute(db);
  await sql`delete from local_api.received_item`.execute(db);
  await sql`update feeds.feed set state = '{}', failures = 0, problem = null, readings = 0, next_at = now() + '1 hour'`.execute(
    db,
  );
});

/** Fetches feeds as a process does, four at a time, until none is due. */
async function fetchThese(...names: readonly string[]): Promise<number> {
  await sql`update feeds.feed set next_at = now() where name = any(${names}::text[])`.execute(db);
  const worker = feeding.worker();
  return worstAnswerWhile(async () => {
    await Promise.all(names.map(async () => (await worker.fetchNext()) !== null));
    while (await worker.recheckNext());
  });
}

const titles = async (which?: { hidden: boolean }) =>
  (await feeding.mentions(which)).map(({ title }) => title);
const feedOf = async (name: string) => {
  const { rows } = await sql<{
    problem: string | null;
    readings: number;
    minutes: number;
    left_out: string | null;
  }>`
    select problem, readings, left_out, round(extract(epoch from next_at - now()) / 60)::integer as minutes
    from feeds.feed where name = ${name}`.execute(db);
  return rows[0];
};
const MEGABYTE = 1_000_000;
const rssOf = (inner: string) =>
  `<rss version="2.0"><channel><title>t</title><item><guid>bad</guid><title>t</title>${inner}</item></channel></rss>`;

test.each([
  ["brackets in an author", () => rssOf(`<author>${"(".repeat(4.9 * MEGABYTE)}</author>`)],
  ["different tags", () => rssOf(Array.from({ length: 500_000 }, (_, n) => `<a${n}/>`).join(""))],
])(
  "%s, 5 MB: others are answered and fetched meanwhile, and it is read in time",
  async (_what, document) => {
    server.pages.set("/bad", { body: document() });
    expect(await fetchThese("bad", "good")).toBeLessThan(500);
    expect(await titles()).toContain("Acme is well");
    // These took the square of their length with the reader before: test/feeds/unreadable.test.ts has what is ended.
    expect(await feedOf("bad")).toMatchObject({ problem: null, readings: 0 });
    expect(await titles({ hidden: true })).toContain("t");
  },
  200_000,
);

test("a robots.txt of 10,000 programs and 12,000 rules is read for us alone", async () => {
  const link = `${server.url}/page`;
  server.pages.set("/bad", { body: rssDocument([{ ...good, link }]) });
  server.pages.set("/page", { status: 404 });
  const agents = Array.from({ length: 10_000 }, (_, n) => `User-agent: x${n}\n`).join("");
  server.pages.set("/robots.txt", {
    body: `${agents}User-agent: *\n${"Disallow: /aaaaaaaaaaaaaaaaa\n".repeat(12_000)}`,
  });
  await fetchThese("bad");
  await sql`update local_api.received_item set check_at = now()`.execute(db);
  expect(await fetchThese("bad")).toBeLessThan(500);
  // Our page was asked for, as the rules for others are none for us.
  expect(server.requests.map(({ path }) => path)).toContain("/page");
}, 100_000);

test("a mail of a megabyte of groups in a part is left out, and the mails after it come", async () => {
  const groups = `Cc: ${"g:".repeat(MEGABYTE / 2 - 1_000)}\r\n`;
  const at = systemClock.now() - MINUTE;
  const inner = `--b\r\nContent-Type: text/plain\r\n${groups}\r\nAcme inside\r\n--b--\r\n`;
  const sources = [
    `${groups}Content-Type: text/plain\r\n\r\nAcme below groups`,
    mail({ "Message-ID": "<2@a.example>", "Content-Type": 'multipart/mixed; boundary="b"' }, inner),
    mail({ "Message-ID": "<3@a.example>", "Content-Type": "text/plain" }, "Acme after them"),
  ];
  imap.mails = sources.map((source, n) => ({ uid: n + 1, source, receivedAt: at }));
  expect(await fetchThese("mails", "good")).toBeLessThan(500);
  expect(await titles()).toContain("Acme is well");
  const texts = (await feeding.mentions()).map(({ text }) => text);
  expect(texts).toEqual(expect.arrayContaining(["Acme below groups", "Acme after them"]));
}, 100_000);

test("60,000 items: 2,000 are stored in a fetch, the newest first, and the rest comes with the next ones", async () => {
  const now = systemClock.now();
  const items = Array.from({ length: 60_000 }, (_, n) => ({
    ...{ id: String(n), title: `Acme ${n}` },
    date_published: new Date(now - (60_000 - n) * 1_000).toISOString(),
  }));
  const body = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "t", items });
  server.pages.set("/bad", { body });
  expect(await fetchThese("bad", "good")).toBeLessThan(500);
  const stored = await titles();
  expect(stored).toHaveLength(2_001);
  expect(stored).toEqual(expect.arrayContaining(["Acme 59999", "Acme 58000", "Acme is well"]));
  expect((await feedOf("bad"))?.left_out).toBe(
    "3,000 of its items wait for the next fetch: at most 2,000 are stored at once; 55,000 older items of its document were left out",
  );
  await fetchThese("bad");
  expect(await titles()).toHaveLength(4_001);
  await fetchThese("bad");
  expect(await titles()).toHaveLength(5_001);
  expect((await feedOf("bad"))?.left_out).toBe("55,000 older items of its document were left out");
}, 200_000);
