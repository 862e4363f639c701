import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { fetchOnce, plannedOf, testFeed } from "../contracts/feed.ts";
import { type FeedServer, withFeedServer } from "../fakes/feed-server.ts";

/** A Hacker News with items 1 to `max`. */
function fill(server: FeedServer, max: number, updates: readonly number[] = []) {
  server.pages.set("/v0/maxitem.json", { body: String(max) });
  server.pages.set("/v0/updates.json", { body: JSON.stringify({ items: updates, profiles: [] }) });
  for (let id = 1; id <= max; id++) if (!server.pages.has(`/v0/item/${id}.json`)) put(server, id);
  return { kind: "hacker-news", baseUrl: `${server.url}/v0` };
}

function put(server: FeedServer, id: number, more: object | null = {}) {
  const time = Math.floor(systemClock.now() / 1_000);
  const item = { id, type: "comment", by: "ann", time, text: `Text ${id}<p>of it` };
  server.pages.set(`/v0/item/${id}.json`, {
    body: JSON.stringify(more === null ? null : { ...item, ...more }),
  });
}

testFeed("hacker-news", {
  ids: ["1", "2", "3"],
  setUp: (server) => fill(server, 3),
  addOne(server) {
    fill(server, 4);
    return "4";
  },
});

test("the address of a mirror may end with a slash", () =>
  withFeedServer(async (server) => {
    const { kind, baseUrl } = fill(server, 2);
    const { read } = await fetchOnce(plannedOf({ kind, baseUrl: `${baseUrl}/` }));
    expect(read.items.map(({ id }) => id)).toEqual(["1", "2"]);
  }));

test("a long absence is made up for, in parts, without a gap", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 10));
    let { state } = await fetchOnce(feed);
    fill(server, 750);
    const ids: string[] = [];
    for (;;) {
      const done = await fetchOnce(feed, state);
      ids.push(...done.read.items.map(({ id }) => id));
      state = done.state;
      if (done.read.more !== true) break;
    }
    expect(ids).toEqual(Array.from({ length: 740 }, (_, n) => String(n + 11)));
  }));

test("an id that is null at first is asked again, and one that stays null does not stop the others", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 3));
    put(server, 2, null);
    put(server, 3, null);
    let { read, state } = await fetchOnce(feed);
    expect(read.items.map(({ id }) => id)).toEqual(["1"]);
    put(server, 2);
    fill(server, 4);
    ({ read, state } = await fetchOnce(feed, state));
    expect(read.items.map(({ id }) => id)).toEqual(["2", "4"]);
    for (let round = 0; round < 40; round++) ({ state } = await fetchOnce(feed, state));
    expect(state).toMatchObject({ cursor: { pending: [] } });
  }));

test("deleted and dead items are deletes, whether they are new or were changed", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 4));
    put(server, 4, { deleted: true, text: undefined, by: undefined });
    const first = await fetchOnce(feed);
    expect(first.read.deletes.map(({ id }) => id)).toEqual(["4"]);
    put(server, 1, { dead: true });
    put(server, 2, { text: "another text" });
    fill(server, 4, [1, 2, 99]);
    const { read } = await fetchOnce(feed, first.state);
    expect(read.deletes).toEqual([{ id: "1", reason: "removed by Hacker News" }]);
    expect(read.items.map(({ id, body }) => [id, body])).toEqual([["2", { html: "another text" }]]);
  }));

test("an item from before the feed began does not arrive when it changes", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 4, [1, 2, 3]));
    const state = { cursor: { from: 3, next: 5, pending: [] } };
    expect((await fetchOnce(feed, state)).read.items.map(({ id }) => id)).toEqual(["3"]);
  }));

test("a story brings its address in the text, and an item that fails is asked again with all others", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 2));
    put(server, 1, {
      type: "story",
      title: "A story",
      url: "https://acme.example/?a=1&b=2",
      text: undefined,
    });
    server.pages.set("/v0/item/2.json", { status: 500 });
    await expect(fetchOnce(feed)).rejects.toThrow("status 500");
    put(server, 2);
    const { read } = await fetchOnce(feed);
    expect(read.items[0]).toMatchObject({
      ...{ title: "A story", url: "https://news.ycombinator.com/item?id=1", isReply: false },
      body: { html: "<p>https://acme.example/?a=1&amp;b=2</p>" },
    });
  }));

test("stored items are asked for again: what was deleted, killed or edited during an absence is learnt", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 5));
    put(server, 1, { deleted: true, text: undefined, by: undefined });
    put(server, 2, { dead: true });
    put(server, 3, { text: "edited" });
    put(server, 4, null);
    const stored = [1, 2, 3, 4, 5].map((n) => ({ id: String(n), reference: null, ageMs: 0 }));
    const read = feed.definition.recheck?.read;
    if (read === undefined) throw new Error("it has a recheck");
    const definition = { ...feed.definition, read: () => read(stored, feed.part, feed.settings, 0) };
    const { read: found } = await fetchOnce({ ...feed, definition: definition as never });
    expect(found.deletes.map(({ id }) => id)).toEqual(["1", "2"]);
    expect(found.items.map(({ id }) => id)).toEqual(["3", "5"]);
    expect(found).toMatchObject({ unanswered: [{ id: "4" }] });
  }));

test("a poll has its choices in the text", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 4));
    put(server, 1, { type: "poll", title: "Which kettle?", text: "Say it", parts: [2, 3, 9] });
    put(server, 2, { type: "pollopt", text: "Acme" });
    put(server, 3, { type: "pollopt", text: "Rival", deleted: true });
    put(server, 9, null);
    const { read } = await fetchOnce(feed);
    expect(read.items.map(({ id, body }) => [id, body])).toContainEqual([
      "1",
      { html: "Say it\n<p>Acme</p>" },
    ]);
  }));

test("a changed item that cannot be read is asked again, though the list of changes has moved on", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(fill(server, 3));
    const first = await fetchOnce(feed);
    server.pages.set("/v0/item/2.json", { body: "<html>try later</html>" });
    fill(server, 3, [2]);
    const second = await fetchOnce(feed, first.state);
    put(server, 2, { deleted: true, text: undefined, by: undefined });
    fill(server, 3, []);
    const { read } = await fetchOnce(feed, second.state);
    expect(read.deletes.map(({ id }) => id)).toEqual(["2"]);
  }));

test("of a list of 5,000 changed items, 1,000 are asked for", () =>
  withFeedServer(async (server) => {
    const known = 6_000;
    const feed = plannedOf(fill(server, 0));
    server.pages.set("/v0/maxitem.json", { body: String(known) });
    const items = Array.from({ length: 5_000 }, (_, n) => n + 1);
    server.pages.set("/v0/updates.json", { body: JSON.stringify({ items }) });
    server.pages.set("*", { body: "null" });
    await fetchOnce(feed, { cursor: { from: 1, next: known + 1, pending: [] } });
    expect(server.requests.filter(({ path }) => path.includes("/item/"))).toHaveLength(1_000);
  }));
