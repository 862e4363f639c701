import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { searchOfQuery } from "../../src/feeds/kinds/news/search-of-query.ts";
import { tryFeed } from "../../src/feeds/run/try-feed.ts";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { DAY, type Instant, MINUTE, toIso } from "../../src/lib/instant.ts";
import { compile } from "../../src/listening-api/query-language/compile.ts";
import { fetchOnce, plannedOf, testFeed } from "../contracts/feed.ts";
import { type FeedServer, withFeedServer } from "../fakes/feed-server.ts";
import { noEnrichment } from "./no-enricher.ts";

interface Article {
  readonly url: string;
  readonly title: string;
  readonly at: Instant;
}

const stampOf = (at: Instant) => `${toIso(at).replaceAll(/[-:]/g, "").slice(0, 15)}Z`;
const momentOf = (stamp: string | null) =>
  Date.parse((stamp ?? "").replace(/(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/, "$1-$2-$3T$4:$5:$6Z"));
const ago = (minutes: number) => Math.floor(systemClock.now() / 1_000) * 1_000 - minutes * MINUTE;

/** A GDELT that holds these articles, whatever is searched for. */
function hold(server: FeedServer, articles: Article[]) {
  server.pages.set("/doc", (request: IncomingMessage, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://fake");
    const [from, to] = ["startdatetime", "enddatetime"].map((name) => momentOf(searchParams.get(name)));
    const found = articles
      .filter(({ at }) => at >= (from ?? 0) && at <= (to ?? 0))
      .sort((a, b) => a.at - b.at)
      .slice(0, Number(searchParams.get("maxrecords")));
    const listed = found.map(({ at, ...one }) => ({
      ...{ ...one, url_mobile: "", seendate: stampOf(at), socialimage: "", domain: "news.example" },
      ...{ language: "German", sourcecountry: "Austria" },
    }));
    response.end(listed.length === 0 ? "{}" : JSON.stringify({ articles: listed }));
  });
  return { kind: "news", baseUrl: `${server.url}/doc` };
}

const article = (n: number, minutes = n): Article => ({
  url: `https://news.example/${n}`,
  title: `Acme ' s kettle , number ${n}`,
  at: ago(minutes),
});
const queries = [{ name: "Acme", text: '("acme corp" OR acmecorp OR @acme) NOT jobs' }];
const held: Article[] = [];

testFeed("news", {
  queries,
  ids: ["https://news.example/1", "https://news.example/2"],
  setUp(server) {
    held.splice(0, held.length, article(1), article(2));
    return hold(server, held);
  },
  addOne() {
    held.push(article(3, 0));
    return "https://news.example/3";
  },
});

test("a try asks one search after the other at the pace of its source, as others would be refused", () =>
  withFeedServer(async (server) => {
    const written = hold(server, [article(1)]);
    const all = server.pages.get("/doc") as (request: IncomingMessage, response: ServerResponse) => void;
    let askedAt = Number.NEGATIVE_INFINITY;
    server.pages.set("/doc", (request: IncomingMessage, response: ServerResponse) => {
      const isTooSoon = monotonicMs() - askedAt < 200;
      askedAt = monotonicMs();
      if (isTooSoon) response.end("Please limit requests to one every 5 seconds.");
      else all(request, response);
    });
    const listen = { queries: [...queries, { name: "Rival", text: "rivalware" }], keep: 90 * DAY };
    const feed = plannedOf(written, listen.queries);
    const slow = { ...feed, definition: { ...feed.definition, pace: { everyMs: 300, atOnce: 1 } } };
    const tried = await tryFeed(slow, {
      listen: { ...listen, queries: listen.queries.map((query) => ({ ...query, languages: [] })) },
      ...{ enrich: noEnrichment, userAgent: "Earshot/test", clock: systemClock },
      signal: new AbortController().signal,
    });
    expect(tried).toMatchObject({ problem: null, items: [{ url: "https://news.example/1" }] });
    expect(server.requests).toHaveLength(2);
  }));

const searchesIn = (server: FeedServer) =>
  server.requests.map(({ path }) => new URL(path, "http://fake").searchParams.get("query"));

describe("what is searched for", () => {
  test.each([
    ['("acme corp" OR acmecorp OR @acme) NOT jobs', ["acme corp", "acmecorp", "acme"]],
    ["acme AND (kettle OR recall*)", ["acme"]],
    ["recall* AND acme", ["acme"]],
    ['"acme corp*"', ["acme"]],
    ["(acme OR recall*)", null],
    ["site:acme.example", null],
    ["acme NEAR/5 kettle", ["acme"]],
    ['site:acme.example AND "f-16"', ["f 16"]],
    ['"AT&T"', ["at&t"]],
    ["Zürich", ["zürich"]],
    ["{BT} AND phone", ["phone"]],
    ["токио OR tokyo", ["токио", "tokyo"]],
    ['("삼성 전자*" OR 삼성전자*)', ["삼성 전자", "삼성전자"]],
    ["삼성* AND acme", ["acme"]],
  ])("of %s", (text, expected) => {
    const compiled = compile(text);
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
    expect(searchOfQuery(compiled.query.expression)).toEqual(expected);
  });

  test("brackets stand around alternatives only, and languages go by their names", () =>
    withFeedServer(async (server) => {
      const written = hold(server, []);
      await fetchOnce(plannedOf(written, queries));
      await fetchOnce(plannedOf({ ...written, languages: ["de"] }, [{ name: "A", text: "acme" }]));
      await fetchOnce(plannedOf({ ...written, languages: ["en", "de"] }, [{ name: "A", text: "acme" }]));
      expect(searchesIn(server)).toEqual([
        '("acme corp" OR acmecorp OR acme)',
        "acme sourcelang:german",
        "acme (sourcelang:english OR sourcelang:german)",
      ]);
    }));

  test("many alternatives become several searches, and the queries of `for` alone are searched", () =>
    withFeedServer(async (server) => {
      const names = Array.from({ length: 20 }, (_, n) => `brand${n}`);
      const many = [
        { name: "Many", text: names.join(" OR ") },
        { name: "Other", text: "other" },
      ];
      await fetchOnce(plannedOf({ ...hold(server, []), for: ["Many"] }, many));
      const searches = searchesIn(server);
      expect(searches).toHaveLength(3);
      for (const name of names) expect(searches.join(" ")).toContain(name);
    }));
});

test("a query that is not there, or cannot be searched for, is a fault", () => {
  expect(() => plannedOf({ kind: "news", for: ["Acme", "Rival"] }, queries)).toThrow(
    /there is no query .{1,2}Rival.{1,2} \(there are: Acme\)/,
  );
  const wild = [...queries, { name: "Wild", text: "recall*" }];
  expect(() => plannedOf({ kind: "news", for: ["Wild"] }, wild)).toThrow("cannot be searched for");
  expect(plannedOf({ kind: "news" }, wild).name).toBe("news: Acme");
  expect(() => plannedOf({ kind: "news", languages: ["xx"] }, queries)).toThrow(
    "a language that GDELT knows",
  );
});

test("an article has its headline without the blanks of the search, its language and its country", () =>
  withFeedServer(async (server) => {
    const held = article(1);
    const feed = plannedOf(hold(server, [held]), queries);
    const { read } = await fetchOnce(feed);
    expect(read.items[0]).toMatchObject({
      ...{ title: "Acme's kettle, number 1", language: "de", country: "Austria", site: "news.example" },
      publishedAt: held.at,
    });
  }));

test("more articles than an answer holds are fetched in parts, without a gap", () =>
  withFeedServer(async (server) => {
    const articles = Array.from({ length: 700 }, (_, n) => article(n, 1_300 - n));
    const feed = plannedOf(hold(server, articles), queries);
    const urls = new Set<string>();
    for (let state = {}, rounds = 0; ; ) {
      const done = await fetchOnce(feed, state);
      for (const { id } of done.read.items) urls.add(id);
      state = done.state;
      if (done.read.more !== true) break;
      if (++rounds > 5) throw new Error("it does not end");
    }
    expect(urls.size).toBe(700);
  }));

test("more than that in one moment do not stop it, and are said", () =>
  withFeedServer(async (server) => {
    const articles = Array.from({ length: 600 }, (_, n) => article(n, 600));
    const feed = plannedOf(hold(server, [...articles, article(1_000, 60)]), queries);
    let done = await fetchOnce(feed);
    const urls = done.read.items.map(({ id }) => id);
    let said = done.read.problem;
    for (let round = 0; round < 5 && done.read.more === true; round++) {
      done = await fetchOnce(feed, done.state);
      urls.push(...done.read.items.map(({ id }) => id));
      said ??= done.read.problem;
    }
    expect(urls).toContain("https://news.example/1000");
    expect(said).toContain("more than 250 articles");
  }));

test.each([
  [
    "Your query was too short or too long.",
    /^GDELT refuses the search: Your query was too short or too long$/,
  ],
  ["Please limit requests to one every 5 seconds or contact us.", "GDELT is asked too often"],
  ["<!DOCTYPE html><title>Down</title>", "something else than a list of articles"],
])("a sentence with the status 200 is no news: %s", (body, said) =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, []), queries);
    server.pages.set("/doc", { body, headers: { "content-type": "text/plain" } });
    await expect(fetchOnce(feed)).rejects.toThrow(said);
    expect(server.requests).toHaveLength(1);
  }),
);

test("headlines with line ends and backslashes, which are no JSON, are read", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(hold(server, []), queries);
    const seendate = stampOf(ago(5));
    server.pages.set("/doc", {
      body: `{"articles": [ {"url": "https://a.example/1", "title": "Acme \\'s\n\tkettle \\d \\u00fc", "seendate": "${seendate}"}, {"url": 7}, "x" ] }`,
    });
    const { read } = await fetchOnce(feed);
    expect(read.items.map(({ title }) => title)).toEqual(["Acme \\'s kettle \\d ü"]);
  }));

test("a headline of a million blanks, and a query of thousands of names, do not hold up anything", () =>
  withFeedServer(async (server) => {
    const feed = plannedOf(
      hold(server, [{ ...article(1), title: `Acme${" ".repeat(1_000_000)}x , y` }]),
      queries,
    );
    expect((await fetchOnce(feed)).read.items.map(({ title }) => title)).toEqual(["Acme x, y"]);
    const names = Array.from({ length: 3_000 }, (_, n) => `brand${n}`);
    const many = [...queries, { name: "Many", text: names.join(" OR ") }];
    expect(plannedOf({ kind: "news" }, many).name).toBe("news: Acme");
    expect(() => plannedOf({ kind: "news", for: ["Many"] }, many)).toThrow("too many alternatives");
  }));

test("one search that is refused does not take the others along", () =>
  withFeedServer(async (server) => {
    const written = hold(server, [article(1)]);
    const all = server.pages.get("/doc");
    server.pages.set("/doc", (request: IncomingMessage, response) => {
      if (request.url?.includes("bad") === true) response.end("The specified phrase is too short.");
      else (all as (request: IncomingMessage, answer: typeof response) => void)(request, response);
    });
    const { read } = await fetchOnce(plannedOf(written, [{ name: "B", text: "bad" }, ...queries]));
    expect(read.items).toHaveLength(1);
    expect(read.problem).toContain("The specified phrase is too short");
  }));
