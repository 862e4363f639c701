import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { FeedReader, StoredItem } from "../../src/feeds/common/define-feed.ts";
import type { PlannedFeed } from "../../src/feeds/run/plan-feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { fetchOnce, plannedOf, testFeed } from "../contracts/feed.ts";
import { type FeedServer, withFeedServer } from "../fakes/feed-server.ts";

interface FakePost {
  readonly id: number;
  /** Of an answer: its question. */
  readonly to?: number;
  readonly at: number;
  readonly tags?: readonly string[];
  readonly [field: string]: unknown;
}

const secondsAgo = (seconds: number) => Math.floor(systemClock.now() / 1_000) - seconds;

/** A site of Stack Exchange; `extra` goes into each answer. Its answers are packed, as those of the real one are. */
function hold(server: FeedServer, posts: readonly FakePost[], extra: object = {}) {
  const answer = (response: ServerResponse, all: readonly object[], page = 1) => {
    const items = all.slice((page - 1) * 100, page * 100);
    const body = JSON.stringify({ items, has_more: all.length > page * 100, quota_remaining: 200, ...extra });
    response
      .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
      .end(gzipSync(body));
  };
  const shown = ({ id, to, at, tags: _tags, ...more }: FakePost) => ({
    ...(to === undefined
      ? { question_id: id, title: `Acme &amp; kettle ${id}` }
      : { answer_id: id, question_id: to }),
    ...{
      body: `<p>Text ${id}</p>`,
      link: `https://so.example/${id}`,
      creation_date: at,
      last_activity_date: at,
    },
    ...{ score: 3, answer_count: 1, owner: { display_name: "Ann &#39;A&#39; Lee" } },
    ...more,
  });
  server.pages.set("*", (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", server.url);
    const min = Number(searchParams.get("min") ?? 0);
    const [, , method, ids = "", inner] = pathname.split("/");
    const wanted = ids.split(";").map(Number);
    if (method === "posts") {
      const found = posts.filter(({ id }) => wanted.includes(id));
      return answer(
        response,
        found.map(({ id, at }) => ({ post_id: id, creation_date: at })),
      );
    }
    if (inner === "answers") {
      const found = posts.filter(({ to, at }) => to !== undefined && wanted.includes(to) && at >= min);
      return answer(response, found.map(shown), Number(searchParams.get("page")));
    }
    const tag = searchParams.get("tagged");
    const active = posts
      .filter(({ to, tags = [] }) => to === undefined && (tag === null || tags.includes(tag)))
      .map((post) => ({
        ...shown(post),
        last_activity_date: Math.max(
          post.at,
          ...posts.filter(({ to }) => to === post.id).map(({ at }) => at),
        ),
      }))
      .filter((post) => post.last_activity_date >= min)
      .sort((a, b) => a.last_activity_date - b.last_activity_date);
    return answer(response, active);
  });
  return { kind: "stack-exchange", sites: ["stackoverflow"], baseUrl: `${server.url}/2.3` };
}

const held: FakePost[] = [];
testFeed("stack-exchange", {
  ids: ["stackoverflow 1", "stackoverflow 2"],
  setUp(server) {
    held.splice(0, held.length, { id: 1, at: secondsAgo(300) }, { id: 2, to: 1, at: secondsAgo(200) });
    return hold(server, held);
  },
  addOne() {
    held.push({ id: 3, to: 1, at: secondsAgo(1) });
    return "stackoverflow 3";
  },
});

test("entities in titles and names are characters, and an answer goes by the title of its question", () =>
  withFeedServer(async (server) => {
    const posts = [
      { id: 1, at: secondsAgo(300) },
      { id: 2, to: 1, at: secondsAgo(100) },
    ];
    const { read } = await fetchOnce(plannedOf(hold(server, posts)));
    expect(read.items).toMatchObject([
      { id: "stackoverflow 1", title: "Acme & kettle 1", author: "Ann 'A' Lee", isReply: false },
      { id: "stackoverflow 2", title: "Acme & kettle 1", isReply: true, url: "https://so.example/2" },
    ]);
  }));

test("each tag is a feed of its own, as several in one call would all be required", () =>
  withFeedServer(async (server) => {
    const posts = [
      { id: 1, at: secondsAgo(300), tags: ["acme"] },
      { id: 2, at: secondsAgo(300), tags: ["other"] },
    ];
    const feed = plannedOf({ ...hold(server, posts), tags: ["acme", "kettle"], key: "secret" });
    expect(feed.name).toBe("stackoverflow [acme]");
    expect((await fetchOnce(feed)).read.items.map(({ id }) => id)).toEqual(["stackoverflow 1"]);
    expect(server.requests[0]?.path).toContain("key=secret");
    expect(JSON.stringify((await fetchOnce(feed)).state)).not.toContain("secret");
  }));

test("300 questions, and 250 answers to one, are read without a gap", () =>
  withFeedServer(async (server) => {
    const questions = Array.from({ length: 300 }, (_, n) => ({ id: n + 1, at: secondsAgo(4_000 - n) }));
    const answers = Array.from({ length: 250 }, (_, n) => ({ id: 1_000 + n, to: 1, at: secondsAgo(10) }));
    const feed = plannedOf(hold(server, [...questions, ...answers]));
    const ids = new Set<string>();
    for (let state = {}, rounds = 0; rounds < 10; rounds++) {
      const done = await fetchOnce(feed, state);
      for (const { id } of done.read.items) ids.add(id);
      state = done.state;
      if (done.read.more !== true) break;
    }
    expect(ids.size).toBe(550);
  }));

test("a backoff stops calls of that kind, and the rest comes later; few calls left make it slow", () =>
  withFeedServer(async (server) => {
    const questions = Array.from({ length: 150 }, (_, n) => ({ id: n + 1, at: secondsAgo(4_000 - n) }));
    const feed = plannedOf(hold(server, questions, { backoff: 30 }));
    const first = await fetchOnce(feed);
    expect(first.read).toMatchObject({ more: true, pauseMs: 30_000 });
    expect(server.requests).toHaveLength(2);
    const second = await fetchOnce(feed, first.state);
    expect(new Set([...first.read.items, ...second.read.items].map(({ id }) => id)).size).toBe(150);
    hold(server, questions, { quota_remaining: 5 });
    expect((await fetchOnce(feed, second.state)).read.pauseMs).toBe(HOUR);
  }));

test.each([
  [
    400,
    {
      error_id: 502,
      error_name: "throttle_violation",
      error_message: "too many requests from this IP, more requests available in 17524 seconds",
    },
    { message: /^we ask it too often: too many requests/, retryAfterMs: 17_524_000 },
  ],
  [
    400,
    { error_id: 502, error_name: "throttle_violation", error_message: "Violation of backoff parameter" },
    { message: /Violation of backoff/, retryAfterMs: 10 * MINUTE },
  ],
  [
    404,
    { error_id: 404, error_name: "no_method", error_message: "No site found for name `acme`" },
    { message: "it refuses the call: No site found for name `acme`" },
  ],
  [503, {}, { message: "its answer is no list of posts (status 503)" }],
])("the error %i %o is said", (status, body, expected) =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, []));
    server.pages.set("*", { status, body: JSON.stringify(body) });
    const failed = await fetchOnce(feed).catch((error: unknown) => error);
    expect(Reflect.get(Object(failed), "message")).toMatch(expected.message);
    if ("retryAfterMs" in expected) expect(failed).toMatchObject({ retryAfterMs: expected.retryAfterMs });
  }),
);

/** Runs the check of stored items with real requests. */
async function recheck(feed: PlannedFeed, ids: readonly string[]) {
  const items: StoredItem[] = ids.map((id) => ({ id, reference: null, ageMs: HOUR }));
  const read = feed.definition.recheck?.read;
  const asReader: typeof feed.definition.read = (part, settings, _cursor, now) =>
    read?.(items, part, settings, now) as FeedReader;
  return (await fetchOnce({ ...feed, definition: { ...feed.definition, read: asReader } })).read;
}

test("a post that is not in the answer is gone; an answer without any of many posts is a fault", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, [{ id: 1, at: secondsAgo(300) }]));
    expect(await recheck(feed, ["stackoverflow 1", "stackoverflow 2"])).toMatchObject({
      gone: [{ id: "stackoverflow 2", isSiteThere: true }],
    });
    const many = Array.from({ length: 20 }, (_, n) => `stackoverflow ${n + 50}`);
    expect((await recheck(feed, many)) as object).toMatchObject({
      gone: many.map((id) => ({ id, isSiteThere: false })),
    });
    server.pages.set("*", { status: 502, body: "" });
    await expect(recheck(feed, ["stackoverflow 1"])).rejects.toThrow("no list of posts");
  }));
