import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { FeedReader, StoredItem } from "../../src/feeds/common/define-feed.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MINUTE, SECOND, toIso } from "../../src/lib/instant.ts";
import { fetchOnce, plannedOf, testFeed } from "../contracts/feed.ts";
import { type FeedServer, withFeedServer } from "../fakes/feed-server.ts";
import { feedsOf } from "./feeding.ts";

interface FakeIssue {
  readonly id: number;
  readonly at: number;
  readonly isPull?: boolean;
  readonly [field: string]: unknown;
}

/** A GitHub with these issues and pull requests, whatever is searched for. */
function hold(server: FeedServer, issues: readonly FakeIssue[], extra: object = {}) {
  const shown = ({ id, at, isPull: _isPull, ...more }: FakeIssue) => ({
    ...{
      id,
      url: `https://api.github.com/repos/acme/kettle/issues/${id}`,
      title: `Issue ${id}`,
      comments: 2,
    },
    ...{
      html_url: `https://github.com/acme/kettle/issues/${id}`,
      body: `Text of ${id}`,
      user: { login: "ann" },
    },
    ...{ created_at: toIso(at), updated_at: toIso(at), reactions: { total_count: 4 } },
    ...more,
  });
  const answer = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  server.pages.set("*", (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", server.url);
    const one = /^\/repos\/acme\/kettle\/issues\/(\d+)$/.exec(pathname)?.[1];
    if (one !== undefined) {
      const found = issues.find(({ id }) => String(id) === one);
      return found === undefined
        ? answer(response, 404, { message: "Not Found" })
        : answer(response, 200, shown(found));
    }
    const q = searchParams.get("q") ?? "";
    const from = Date.parse(/updated:>=(\S+)/.exec(q)?.[1] ?? "");
    const found = issues
      .filter(({ isPull = false, at }) => isPull === q.includes("is:pull-request") && at >= from)
      .sort((a, b) => a.at - b.at);
    return answer(response, 200, {
      total_count: found.length,
      items: found.slice(0, 100).map(shown),
      ...extra,
    });
  });
  return { kind: "github", search: "acme kettle", baseUrl: server.url };
}

const ago = (minutes: number) => Math.floor(systemClock.now() / 1_000) * 1_000 - minutes * MINUTE;
const held: FakeIssue[] = [];
testFeed("github", {
  ids: ["1", "2"],
  setUp(server) {
    held.splice(0, held.length, { id: 1, at: ago(5) }, { id: 2, at: ago(4), isPull: true });
    return hold(server, held);
  },
  addOne() {
    held.push({ id: 3, at: ago(0) });
    return "3";
  },
});

test("it asks for public things alone, and leaves out what is private all the same", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf({
      ...hold(server, [
        { id: 1, at: ago(5), body: "Shown <!-- a template --> to all" },
        { id: 2, at: ago(4), repository: { private: true } },
        { id: 3, at: ago(3), body: null, user: null },
      ]),
      token: "secret",
    });
    const { read } = await fetchOnce(feed);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer secret");
    for (const { path } of server.requests) expect(path).toContain("is%3Apublic");
    expect(read.items).toMatchObject([
      {
        ...{ id: "1", reference: "acme/kettle/issues/1", site: "acme/kettle", author: "ann" },
        ...{ body: { text: "Shown  to all" }, engagement: { likes: 4, comments: 2 } },
      },
      { id: "3", body: null, author: null },
    ]);
  }));

test("one number on two servers is two issues, and one search on both is two feeds", () =>
  withFeedServer(async (server) => {
    const own = hold(server, [{ id: 1, at: ago(5) }]);
    const feeds = [{ kind: "github", search: own.search }, own, { ...own, baseUrl: `${server.url}/` }];
    const planned = planFeeds({ feeds: feedsOf(...feeds), queries: [] });
    expect(planned.map(({ host }) => host)).toEqual(["api.github.com", new URL(server.url).host]);
    const { read } = await fetchOnce(plannedOf(own));
    expect(read.items).toMatchObject([{ id: "1", scope: server.url }]);
  }));

test("more than a page is read in parts, without a gap; a search that was not finished is repeated", () =>
  withFeedServer(async (server) => {
    const issues = Array.from({ length: 250 }, (_, n) => ({
      id: n + 1,
      at: ago(20) + n * SECOND,
      isPull: n % 5 === 0,
    }));
    const feed = plannedOf(hold(server, issues));
    const ids = new Set<string>();
    for (let state = {}, rounds = 0; rounds < 10; rounds++) {
      const done = await fetchOnce(feed, state);
      for (const { id } of done.read.items) ids.add(id);
      state = done.state;
      if (done.read.more !== true) break;
    }
    expect(ids.size).toBe(250);
    hold(server, issues.slice(0, 3), { incomplete_results: true });
    const { read, state } = await fetchOnce(feed);
    expect(read.problem).toContain("GitHub did not finish the search");
    const [first, second] = [await fetchOnce(feed), await fetchOnce(feed, state)];
    expect(second.read.items).toHaveLength(first.read.items.length);
  }));

test("what GitHub finds some minutes after it was written is found", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, []));
    const { state } = await fetchOnce(feed);
    hold(server, [{ id: 1, at: ago(3) }]);
    expect((await fetchOnce(feed, state)).read.items.map(({ id }) => id)).toEqual(["1"]);
  }));

test("where our clock is ahead, nothing is passed over", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, []));
    const ahead = () => systemClock.now() + 20 * MINUTE;
    const { state } = await fetchOnce(feed, {}, { now: ahead() });
    hold(server, [{ id: 1, at: ago(0) }]);
    const { read } = await fetchOnce(feed, state, { now: ahead() + 10 * MINUTE });
    expect(read.items.map(({ id }) => id)).toEqual(["1"]);
  }));

describe("limits and faults", () => {
  const RESET = "x-ratelimit-reset";
  const inTenMinutes = () => String(Math.floor(systemClock.now() / 1_000) + 600);
  test.each([
    [403, { "retry-after": "90" }, "You have exceeded a secondary rate limit", 90_000],
    [429, {}, "API rate limit exceeded", MINUTE],
    [403, { "x-ratelimit-remaining": "0", [RESET]: "" }, "API rate limit exceeded", 600_000],
    [403, {}, "You have triggered an abuse detection mechanism", MINUTE],
  ])("status %i %o: it waits", (status, headers, message, waitMs) =>
    withFeedServer(async (server) => {
      const feed = plannedOf(hold(server, []));
      const reset = { [RESET]: inTenMinutes() };
      const sent = { ...headers, ...(RESET in headers && reset) };
      server.pages.set("*", { status, headers: sent, body: JSON.stringify({ message }) });
      const failed = await fetchOnce(feed).catch((error: unknown) => error);
      expect(failed).toMatchObject({
        message: `GitHub is asked too often (status ${status}); a token allows more calls`,
      });
      expect(Math.abs(Number(Reflect.get(Object(failed), "retryAfterMs")) - waitMs)).toBeLessThan(10_000);
    }),
  );

  test.each([
    [401, "Bad credentials", "GitHub does not take the token"],
    [422, "Validation Failed", "GitHub refuses the search: Validation Failed"],
    [403, "Resource not accessible", "GitHub refuses the search: Resource not accessible"],
  ])("status %i: it says so", (status, message, said) =>
    withFeedServer(async (server) => {
      const feed = plannedOf(hold(server, []));
      server.pages.set("*", { status, body: JSON.stringify({ message }) });
      await expect(fetchOnce(feed)).rejects.toThrow(said);
    }),
  );

  test("the last call of an hour ends the fetch, and the next one goes on with the rest", () =>
    withFeedServer(async (server) => {
      const written = hold(server, [
        { id: 1, at: ago(5) },
        { id: 2, at: ago(5), isPull: true },
      ]);
      const all = server.pages.get("*") as (request: IncomingMessage, response: ServerResponse) => void;
      server.pages.set("*", (request: IncomingMessage, response: ServerResponse) => {
        response.setHeader("x-ratelimit-remaining", "0").setHeader(RESET, inTenMinutes());
        all(request, response);
      });
      const first = await fetchOnce(plannedOf(written));
      expect(first.read.items.map(({ id }) => id)).toEqual(["1"]);
      expect(first.read.pauseMs).toBeGreaterThan(MINUTE);
      const second = await fetchOnce(plannedOf(written), first.state);
      expect(second.read.items.map(({ id }) => id)).toEqual(["2"]);
    }));
});

test("an issue that GitHub does not show any more is a delete, and an edited one comes again", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, [{ id: 1, at: ago(5), title: "Edited" }]));
    const read = feed.definition.recheck?.read;
    const stored: StoredItem[] = [1, 2].map((id) => ({
      id: String(id),
      reference: `acme/kettle/issues/${id}`,
      ageMs: MINUTE,
    }));
    const asReader: typeof feed.definition.read = (part, settings, _cursor, now) =>
      read?.(stored, part, settings, now) as FeedReader;
    const checked = await fetchOnce({ ...feed, definition: { ...feed.definition, read: asReader } });
    expect(checked.read.items.map(({ title }) => title)).toEqual(["Edited"]);
    expect(checked.read).toMatchObject({
      gone: [{ id: "2", reason: "GitHub does not show it any more", isSiteThere: true }],
    });
  }));

test("an issue of a repository that GitHub has blocked says nothing, and keeps no other from being looked at", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, [{ id: 2, at: ago(5), title: "Edited" }]));
    const all = server.pages.get("*") as (request: IncomingMessage, response: ServerResponse) => void;
    server.pages.set("*", (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.includes("/issues/1") !== true) return all(request, response);
      const message = "Repository access blocked";
      response.writeHead(403).end(JSON.stringify({ message, block: { reason: "tos" } }));
    });
    const stored: StoredItem[] = [1, 2].map((id) => ({
      ...{ id: String(id), reference: `acme/kettle/issues/${id}`, ageMs: MINUTE },
    }));
    const read: typeof feed.definition.read = (part, settings, _cursor, now) =>
      feed.definition.recheck?.read(stored, part, settings, now) as FeedReader;
    const checked = await fetchOnce({ ...feed, definition: { ...feed.definition, read } });
    expect(checked.read.items.map(({ title }) => title)).toEqual(["Edited"]);
    expect(checked.read).toMatchObject({ unanswered: [{ id: "1" }] });
  }));
