import { describe, expect, test } from "vitest";
import { canonicalUrl, registrableDomain } from "../../src/feeds/common/canonical-url.ts";
import { FeedError } from "../../src/feeds/common/feed-error.ts";
import { hubOf, linksIn } from "../../src/feeds/common/hub-links.ts";
import { readFeeds } from "../../src/feeds/run/read-feeds.ts";
import type { Issue } from "../../src/lib/errors.ts";

const BASE = "https://x.example/a/b";
const NONE = { hub: null, self: null };

describe("links in a header", () => {
  test.each([
    ["none", null, NONE],
    [
      "a hub and the feed itself",
      "<https://h.example/>; rel=hub, <../self>; rel=self",
      { hub: "https://h.example/", self: "https://x.example/self" },
    ],
    [
      "in capitals and quotation marks",
      '<https://h.example/>; title=x; REL = "prev HUB"',
      { hub: "https://h.example/", self: null },
    ],
    [
      "both in one",
      '<https://h.example/>; rel="hub self"',
      { hub: "https://h.example/", self: "https://h.example/" },
    ],
    [
      "two hubs: the first",
      "<https://1.example/>; rel=hub, <https://2.example/>; rel=hub",
      { hub: "https://1.example/", self: null },
    ],
    [
      "no address",
      "<http://[>; rel=hub, <https://2.example/>; rel=hub",
      { hub: "https://2.example/", self: null },
    ],
    ["others", "<https://o.example/>; rel=next, <https://o.example/>", NONE],
    ["no link", "rel=hub", NONE],
    [
      "behind 10,000 letters",
      `<https://o.example/${"x".repeat(10_000)}>; rel=next, <https://h.example/>; rel=hub`,
      NONE,
    ],
    [
      "behind 20 others",
      `${"<https://o.example/>; rel=next, ".repeat(20)}<https://h.example/>; rel=hub`,
      NONE,
    ],
    [
      "behind 19 others",
      `${"<https://o.example/>; rel=next, ".repeat(19)}<https://h.example/>; rel=hub`,
      { hub: "https://h.example/", self: null },
    ],
  ])("%s", (_name, header, links) => {
    expect(linksIn(header, BASE)).toEqual(links);
  });
});

describe("the hub of a document", () => {
  const inside = { hub: "https://in.example/", self: "https://in.example/self" };
  const header = { hub: "https://head.example/", self: "https://head.example/self" };
  test.each([
    [
      "of its header before that inside",
      inside,
      header,
      "https://head.example/",
      "https://head.example/self",
    ],
    ["inside", inside, NONE, "https://in.example/", "https://in.example/self"],
    ["that does not say under which address", { ...inside, self: null }, NONE, "https://in.example/", BASE],
    [
      "with the address of its header",
      inside,
      { ...header, hub: null },
      "https://in.example/",
      "https://head.example/self",
    ],
  ])("%s", (_name, written, headed, url, topic) => {
    expect(hubOf(written, headed, BASE)).toEqual({ url, topic, base: BASE });
  });

  test("is none where none is named, or it is no address that can be asked", () => {
    expect(hubOf(NONE, NONE, BASE)).toBeNull();
    expect(hubOf({ hub: "javascript:1", self: null }, NONE, BASE)).toBeNull();
  });
});

test("an address of more than 2,000 letters is none, also where only its tracking makes it that long", () => {
  const long = `https://a.example/${"x".repeat(1_982)}`;
  expect(long).toHaveLength(2_000);
  expect(canonicalUrl(` ${long}\n`)).toBe(long);
  expect(canonicalUrl(`${long}x`)).toBeNull();
  expect(canonicalUrl(`https://a.example/?utm_id=${"x".repeat(2_000)}`)).toBeNull();
  // Each of these letters has nine when it is escaped.
  expect(canonicalUrl(`https://a.example/${"日".repeat(300)}`)).toBeNull();
  expect(canonicalUrl("no address")).toBeNull();
});

test("a blog of a host of blogs has a domain of its own", () => {
  expect(registrableDomain("https://news.bbc.co.uk/1")).toBe("bbc.co.uk");
  expect(registrableDomain("https://acme.blogspot.com/1")).toBe("acme.blogspot.com");
  expect(registrableDomain("http://127.0.0.1/")).toBeNull();
});

test("a feed is given up only where that was said", () => {
  expect(
    [new FeedError("gone", { isFinal: true }), new FeedError("away")].map(({ isFinal }) => isFinal),
  ).toEqual([...[true, false]]);
});

test.each([
  ["http://proxy.example:3128", []],
  ["http://ann:secret@proxy.example:3128", ["expected user and password beside the address, not in it"]],
  ["no address", [expect.stringContaining("expected")]],
])("a proxy at %s has the faults %o", (url, faults) => {
  const issues: Issue[] = [];
  readFeeds({ listen: { feeds: [{ kind: "rss", urls: ["https://a.example/"], proxy: { url } }] } }, issues);
  expect(issues.map(({ message }) => message)).toEqual(faults);
});
