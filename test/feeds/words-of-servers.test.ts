import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

// PostgreSQL takes no NUL and no half of a surrogate pair: what a server says must not make that our fault.

const EVIL = "a\0\udfff\ud800\u202e\u001b[2J\u2028";
const server = await startFeedServer();
afterAll(server.close);
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "mastodon", server: server.url, tags: ["acme"] }),
  queries: { Acme: "acme" },
});
const post = (id: string, changes: object = {}) => ({
  ...{ id, uri: `https://a.example/${id}`, url: `https://a.example/@ann/${id}`, visibility: "public" },
  ...{
    created_at: new Date(systemClock.now() - 60_000).toISOString(),
    content: `Acme ${id}`,
    language: "en",
  },
  ...{ account: { acct: "ann", display_name: "Ann", url: "https://a.example/@ann" }, spoiler_text: "" },
  ...changes,
});
const answer = (value: unknown): void => {
  server.pages.set("*", { headers: { "content-type": "application/json" }, body: JSON.stringify(value) });
};

test("what a server says in place of posts is shown as one line, and waited for longer each time", async () => {
  answer({ error: `closed ${EVIL}` });
  await feeding.fetchAll();
  await feeding.fetchAll();
  const [feed] = await feeding.feeds();
  expect(feed).toMatchObject({ failures: 2, problem: "it answers: closed a [2J" });
});

test("whatever stands in a field of one post, the posts around it are stored", async () => {
  const changes = [
    ...["id", "uri", "url", "created_at", "language", "content", "spoiler_text", "visibility"].map(
      (name) => ({
        [name]: EVIL,
      }),
    ),
    ...["acct", "display_name", "url"].map((name) => ({ account: { ...post("x").account, [name]: EVIL } })),
  ];
  answer([post("001"), ...changes.map((change, n) => post(`1${n}`, change)), post("999")]);
  await feeding.fetchAll();
  expect((await feeding.feeds())[0]).toMatchObject({ problem: null, state: { cursor: { minId: "999" } } });
  const texts = (await feeding.mentions()).map(({ text }) => text);
  expect(texts).toEqual(expect.arrayContaining(["Acme 001", "Acme 999"]));
});
