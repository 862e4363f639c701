import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/feeds/kinds/all-kinds.ts";
import { checkListen, ListenConfig } from "../../src/feeds/run/listen-config.ts";
import { planFeeds, proxyOf } from "../../src/feeds/run/plan-feeds.ts";
import { readFeeds } from "../../src/feeds/run/read-feeds.ts";
import type { Issue } from "../../src/lib/errors.ts";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { feedsOf } from "./feed-config.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-feeds-"));
afterAll(() => rmSync(folder, { recursive: true }));
const opml = (text: string) => {
  const path = join(folder, "feeds.opml");
  writeFileSync(path, text);
  return path;
};
const plan = (...written: readonly object[]) => planFeeds({ feeds: feedsOf(...written), queries: [] });

describe("feeds that are planned", () => {
  test("are one for each address, also where two lists have it", () => {
    const urls = ["https://a.example/1", "https://b.example/1"];
    const found = plan({ kind: "rss", urls }, { kind: "rss", urls: ["https://a.example/1"], every: "1h" });
    expect(found.map(({ host, everyMs }) => [host, everyMs])).toEqual([
      ["a.example", 10 * MINUTE],
      ["b.example", 10 * MINUTE],
    ]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(2);
  });

  test("are fetched as often as configured, or as their kind is; others push to one that has no address", () => {
    const token = "x".repeat(16);
    const found = plan({ kind: "rss", urls: ["https://a.example/"], every: "1h" }, { kind: "push", token });
    expect(found.map(({ kind, host, everyMs }) => [kind, host, everyMs])).toEqual([
      ["rss", "a.example", HOUR],
      ["push", "", null],
    ]);
  });

  test("have the addresses of a file", () => {
    const found = plan({ kind: "rss", opml: opml('<outline xmlUrl="https://c.example/feed"/>') });
    expect(found.map(({ part }) => part.url)).toEqual(["https://c.example/feed"]);
  });

  test("are none of a file that is not there, or too large to be one", () => {
    expect(() => plan({ kind: "rss", opml: join(folder, "none") })).toThrow(/none cannot be read: /);
    expect(() => plan({ kind: "rss", opml: opml("x".repeat(8_000_001)) })).toThrow(
      "is larger than 8 MB; split it",
    );
    // What reads it has a limit of its own.
    expect(() => plan({ kind: "rss", opml: opml("x".repeat(8_000_000)) })).toThrow(
      "is larger than 2 MB; split it",
    );
  });

  test("are reached by the proxy that they name", () => {
    const proxy = { url: "http://proxy.example:3128" };
    const feeds = feedsOf(
      { kind: "rss", urls: ["https://a.example/"], proxy },
      { kind: "rss", urls: ["https://a.example/"] },
      { kind: "push", token: "x".repeat(16) },
    );
    expect(feeds.map(proxyOf)).toEqual([{ proxy }, {}, {}]);
    const [first] = feeds;
    expect(proxyOf({ ...first, proxy: undefined } as unknown as (typeof feeds)[number])).toStrictEqual({});
  });
});

describe("feeds in a configuration that are wrong", () => {
  const faultsOf = (feed: unknown, queries: unknown = []) => {
    const issues: Issue[] = [];
    readFeeds({ listen: { queries, feeds: [{ kind: "hacker-news" }, feed] } }, issues);
    return issues;
  };
  const wanted = `expected a feed with a kind of ${kinds.map(({ kind }) => kind).join(", ")}`;
  test.each<[unknown, Issue["path"], string]>([
    ["rss", [], wanted],
    [7, [], wanted],
    [null, [], wanted],
    [{}, [], wanted],
    [{ kind: 7 }, ["kind"], wanted],
    [{ kind: "rs" }, ["kind"], `${wanted}, got "rs"`],
    [{ kind: "x".repeat(41) }, ["kind"], `${wanted}, got "${"x".repeat(40)}"`],
    [{ kind: "rss" }, [], "name at least one address in urls, or an opml file"],
    [{ kind: "rss", urls: ["https://a.example/"], every: "1s" }, ["every"], "expected 1m to 7d"],
    [{ kind: "news", for: ["Acme"] }, ["for", 0], 'there is no query "Acme" (there are: Other)'],
  ])("%j", (feed, path, message) => {
    const issues = faultsOf(feed, [{ name: " Other ", text: "other" }, { name: 7 }]);
    expect(issues).toEqual([expect.objectContaining({ path: ["listen", "feeds", 1, ...path], message })]);
  });

  test("two push feeds of one name: the token of the second would open nothing", () => {
    const issuesOf = (...names: readonly (string | null)[]) => {
      const issues: Issue[] = [];
      const feeds = names.map((name, n) => ({
        ...{ kind: "push", token: `sixteen-letters-${n}` },
        ...(name !== null && { name }),
      }));
      readFeeds({ listen: { feeds } }, issues);
      return issues;
    };
    const message = 'there are two push feeds with the name "push"; give each a name of its own';
    expect(issuesOf(null, "zapier", null)).toEqual([{ path: ["listen", "feeds", 2, "name"], message }]);
    expect(issuesOf("push", null)).toEqual([{ path: ["listen", "feeds", 1, "name"], message }]);
    expect(issuesOf(null, "zapier", "script")).toEqual([]);
  });

  test("two feeds of one folder of a mailbox: each mail is read once, so the senders of the second were left out", () => {
    const issuesOf = (...folders: readonly string[]) => {
      const issues: Issue[] = [];
      const feeds = folders.map((folder, n) => ({
        ...{ kind: "mailbox", from: [`@news-${n}.example`] },
        imap: { host: "imap.acme.example", user: "alerts", password: "secret", folder },
      }));
      readFeeds({ listen: { feeds } }, issues);
      return issues;
    };
    const message =
      "another feed reads this folder already; write the senders of both into the `from` of one";
    expect(issuesOf("INBOX", "News", "INBOX")).toEqual([{ path: ["listen", "feeds", 2, "imap"], message }]);
    expect(issuesOf("INBOX", "News")).toEqual([]);
  });

  test("are none where there are no feeds", () => {
    const issues: Issue[] = [];
    for (const content of [null, "x", {}, { listen: null }, { listen: { feeds: "x" } }])
      expect(readFeeds(content, issues)).toEqual([]);
    expect(issues).toEqual([]);
  });

  test("name a query as it is read: without the blanks around its name", () => {
    expect(faultsOf({ kind: "news", for: ["Acme"] }, [{ name: " Acme ", text: "acme" }])).toEqual([]);
    expect(faultsOf({ kind: "news", for: ["Acme"] }, "none")).toHaveLength(1);
  });
});

test("two queries or two categories with one name are a fault of the second", () => {
  const query = (name: string) => ({ name, text: "acme", languages: [] });
  const category = (name: string) => ({ name, subcategories: [{ name: "a", text: "a" }] });
  const issues: Issue[] = [];
  const listen = {
    ...{ queries: ["A", "B", "A"].map(query), categories: ["B", "C", "C"].map(category) },
    ...{ feeds: [], pollEvery: MINUTE, keep: HOUR },
  } satisfies ListenConfig;
  checkListen(listen, issues);
  expect(issues).toEqual([
    { path: ["listen", "queries", 2, "name"], message: 'there are two with the name "A"' },
    { path: ["listen", "categories", 2, "name"], message: 'there are two with the name "C"' },
  ]);
});

test("of a query that cannot be read the mistake is a fault, and what is only odd in it is none", () => {
  const { error } = ListenConfig.safeParse({ queries: [{ name: "A", text: "“acme” AND" }] });
  expect(error?.issues).toEqual([
    expect.objectContaining({
      path: ["queries", 0, "text"],
      message: expect.stringMatching(/^character 8: There is nothing after this operator/),
    }),
  ]);
});
