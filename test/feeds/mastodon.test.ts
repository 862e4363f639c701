import { describe, expect, test } from "vitest";
import { textOfHtml } from "../../src/feeds/common/text-of-html.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MINUTE, toIso } from "../../src/lib/instant.ts";
import { fetchOnce, plannedOf, testFeed } from "../contracts/feed.ts";
import { type FeedServer, startFeedServer, withFeedServer } from "../fakes/feed-server.ts";
import { type FakePost, serveMastodon } from "../fakes/mastodon.ts";

const post = (n: number, more: Partial<FakePost> = {}): FakePost => ({
  id: String(99_999_999_999_990 + n),
  content: `<p>Acme <span class="invisible">https://</span>number ${n}</p><p>second line</p>`,
  at: systemClock.now() - MINUTE,
  ...more,
});
const uriOf = (n: number, host = "social.example") => `https://${host}/users/ann/statuses/${post(n).id}`;
const posts: FakePost[] = [];

testFeed("mastodon", {
  ids: [uriOf(1), uriOf(2)],
  setUp(server) {
    posts.splice(0, posts.length, post(1), post(2));
    serveMastodon(server, posts);
    return { kind: "mastodon", server: server.url, tags: ["acme"] };
  },
  addOne() {
    posts.push(post(3));
    return uriOf(3);
  },
});

const feedOf = (server: FeedServer, more: object = { tags: ["acme"] }) =>
  plannedOf({ kind: "mastodon", server: server.url, ...more });

test("everything after the last post is read, in pages, also where ids grow by a digit", () =>
  withFeedServer(async (server) => {
    const held = [post(1)];
    serveMastodon(server, held);
    let { state } = await fetchOnce(feedOf(server));
    held.push(...Array.from({ length: 500 }, (_, n) => post(n + 2)));
    const ids = new Set<string>();
    for (let rounds = 0; rounds < 10; rounds++) {
      const done = await fetchOnce(feedOf(server), state);
      for (const { id } of done.read.items) ids.add(id);
      state = done.state;
      if (done.read.more !== true) break;
    }
    expect(ids.size).toBe(500);
    expect(state).toMatchObject({ cursor: { minId: post(501).id } });
  }));

test("a post becomes text with its lines, its author's whole handle and its counts", () =>
  withFeedServer(async (server) => {
    serveMastodon(server, [
      post(1, { language: "de-AT", in_reply_to_id: "7", spoiler_text: "a <warning>" }),
      post(2, {
        account: { acct: "bob@other.example", url: "https://other.example/@bob", display_name: "" },
      }),
    ]);
    const { read } = await fetchOnce(feedOf(server));
    expect(read.items.find(({ id }) => id === uriOf(1))).toMatchObject({
      ...{ author: "ann@social.example", fullname: "Ann Lee", language: "de", isReply: true },
      engagement: { likes: 3, comments: 1, shares: 2 },
      body: { html: expect.stringMatching(/^<p>a &lt;warning><\/p><p>Acme/) },
    });
    expect(read.items.find(({ id }) => id === uriOf(2))).toMatchObject({ author: "bob@other.example" });
  }));

test("what stands beside the text belongs to it: descriptions, choices, a card, a quoted post", () =>
  withFeedServer(async (server) => {
    const quoted = { content: "<p>Old words</p>", visibility: "public" };
    serveMastodon(server, [
      post(1, {
        content: "<p>Look</p>",
        media_attachments: [{ description: "An Acme <kettle>" }, { description: null }],
        poll: { options: [{ title: "Yes" }, { title: "No" }] },
        card: { title: "A card", description: "About it" },
        quote: { state: "accepted", quoted_status: quoted },
      }),
      post(2, { content: "<p>x</p>", quote: { quoted_status: { ...quoted, visibility: "private" } } }),
      post(3, { content: "<p>y</p>", media_attachments: "none", poll: 7, card: [], quote: "?" }),
    ]);
    const { read } = await fetchOnce(feedOf(server));
    const textOf = (id: number) => {
      const body = read.items.find((item) => item.id === uriOf(id))?.body;
      return body != null && "html" in body ? textOfHtml(body.html).split(/\n+/) : null;
    };
    expect(textOf(1)).toEqual(["Look", "An Acme <kettle>", "Yes", "No", "A card", "About it", "Old words"]);
    expect([textOf(2), textOf(3)]).toEqual([["x"], ["y"]]);
  }));

test("a boost is the post that it repeats, and posts that are not public are left out", () =>
  withFeedServer(async (server) => {
    const original = {
      ...{ id: "5", uri: "https://far.example/5", url: "https://far.example/@eve/5", content: "<p>Far</p>" },
      ...{ created_at: toIso(systemClock.now()), account: { acct: "eve@far.example" }, visibility: "public" },
    };
    serveMastodon(server, [post(1, { reblog: original, content: "" }), post(2, { visibility: "private" })]);
    const { read } = await fetchOnce(feedOf(server));
    expect(read.items.map(({ id, author }) => [id, author])).toEqual([
      ["https://far.example/5", "eve@far.example"],
    ]);
  }));

describe("servers that show nothing", () => {
  test.each([
    [401, undefined, "it shows these posts to its members only (status 401): set token"],
    [422, undefined, "it shows these posts to its members only (status 422): set token"],
    [401, "mine", "it does not take the token (status 401)"],
    [404, undefined, "there is no Mastodon interface at this address (status 404)"],
    [200, undefined, "it answers: nothing today"],
  ])("status %i with the token %s", (status, token, said) =>
    withFeedServer(async (server) => {
      server.pages.set("*", { status, body: '{"error":"nothing today"}' });
      const feed = feedOf(server, token === undefined ? {} : { token });
      await expect(fetchOnce(feed)).rejects.toThrow(said);
    }),
  );

  test("an empty public timeline is one that was switched off; a tag may be empty", () =>
    withFeedServer(async (server) => {
      serveMastodon(server, []);
      await expect(fetchOnce(feedOf(server, {}))).rejects.toThrow("the server may have switched it off");
      expect((await fetchOnce(feedOf(server))).read.items).toEqual([]);
    }));

  test("a token is shown to the server, and to nobody that it redirects to", () =>
    withFeedServer(async (server) => {
      serveMastodon(server, [post(1)], { token: "secret" });
      expect((await fetchOnce(feedOf(server, { token: "secret" }))).read.items).toHaveLength(1);
      const other = await startFeedServer();
      server.pages.set("*", { status: 302, headers: { location: `${other.url}/x` } });
      await fetchOnce(feedOf(server, { token: "secret" })).catch(() => {});
      expect(other.requests).toHaveLength(1);
      expect(other.requests[0]?.headers.authorization).toBeUndefined();
      await other.close();
    }));
});

test("a server that counts our calls is left alone until it has forgotten them", () =>
  withFeedServer(async (server) => {
    const reset = toIso(systemClock.now() + 4 * MINUTE);
    const limits = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    server.pages.set("*", { status: 429, body: "{}", headers: limits });
    const failed = await fetchOnce(feedOf(server)).catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: "we ask it too often (status 429)" });
    expect(Math.round(Number(Reflect.get(Object(failed), "retryAfterMs")) / MINUTE)).toBe(4);
    server.pages.set("*", { body: "[]", headers: { ...limits, "x-ratelimit-remaining": "3" } });
    const { read } = await fetchOnce(feedOf(server));
    expect(Math.round((read.pauseMs ?? 0) / MINUTE)).toBe(4);
  }));

test("a server that ignores min_id does not keep us reading", () =>
  withFeedServer(async (server) => {
    serveMastodon(server, [post(1), post(2)]);
    const { state } = await fetchOnce(feedOf(server));
    const all = server.pages.get("*");
    server.pages.set("*", (request, response) => {
      request.url = "/api/v1/timelines/tag/acme";
      (all as (a: typeof request, b: typeof response) => void)(request, response);
    });
    server.requests.length = 0;
    const { read } = await fetchOnce(feedOf(server), state);
    expect(read.more).not.toBe(true);
    expect(server.requests).toHaveLength(1);
  }));

test.each([
  [{ server: "https://a.example/path" }, "expected the name of a server"],
  [{ server: "a.example", tags: ["two words"] }, "expected a tag"],
])("a fault of the configuration is said: %o", (written, fault) => {
  expect(() => plannedOf({ kind: "mastodon", ...written })).toThrow(fault);
});
