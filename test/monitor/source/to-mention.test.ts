import fc from "fast-check";
import { expect, test } from "vitest";
import { toMention } from "../../../src/monitor/source/to-mention.ts";
import { wireMention } from "../../bench/wire-mention.ts";

const NAMELESS = { resourceId: "a1", queryId: 7, added: "2026-02-17T07:36:05.000+0000" };

test("a mention of the current version becomes a mention of the model", () => {
  const { mention } = toMention({
    ...wireMention(0, { queryId: 7, startAt: 0 }),
    resourceId: "fe01",
    date: "2026-02-17T07:30:00.000+0000",
    added: "2026-02-17T07:36:05.000+0000",
    updated: "2026-02-17T08:00:00.000+0000",
    title: "A title",
    snippet: "A snippet",
    author: "ada",
    fullname: "Ada Berg",
    authorVerifiedType: "blue",
    twitterVerified: false,
    twitterFollowers: 12,
    categoryDetails: [{ id: "2", name: "Late", parentId: "1", parentName: "Service" }],
    categories: [2],
    tags: ["seen", 4, { id: 5, name: "five" }],
    insightsHashtag: ["#late"],
    twitterRetweets: 3,
    retweetOf: "http://twitter.com/statuses/1",
    sentiment: "negative",
    reachEstimate: 100,
    impact: 1.5,
  });
  expect(mention).toMatchObject({
    queryId: "7",
    resourceId: "fe01",
    publishedAt: Date.UTC(2026, 1, 17, 7, 30),
    addedAt: Date.UTC(2026, 1, 17, 7, 36, 5),
    updatedAt: Date.UTC(2026, 1, 17, 8),
    title: "A title",
    text: "A snippet",
    author: "ada",
    authorName: "Ada Berg",
    verified: true,
    followers: 12,
    reach: 100,
    impact: 1.5,
    sentiment: "negative",
    categories: [{ id: "2", name: "Late", parentId: "1", parentName: "Service" }],
    tags: ["seen", "4", "five"],
    hashtags: ["#late"],
    reposts: 3,
    repostOf: "http://twitter.com/statuses/1",
  });
});

test("the title of its site is that of its blog where it has no other, or absent", () => {
  const siteOf = (wire: object) => toMention({ ...NAMELESS, ...wire }).mention;
  expect(siteOf({ weblogTitle: "Local Gazette", blogName: "gazette" })?.site).toBe("Local Gazette");
  expect(siteOf({ weblogTitle: null, blogName: "gazette" })?.site).toBe("gazette");
  expect(siteOf({ weblogTitle: "", blogName: 7 })).not.toHaveProperty("site");
});

test("what an analyser said of the relevance is a number from 0 to 1, or absent", () => {
  const relevanceOf = (classifications: unknown) =>
    toMention({ ...NAMELESS, classifications }).mention?.relevance;
  const said = (confidence: unknown) => [
    null,
    { classifierId: "emotions", labelId: "joy", confidence: 1 },
    { classifierId: "relevance", labelId: "relevant", name: "a reason", confidence },
  ];
  expect(relevanceOf(said(0.85))).toBe(0.85);
  expect(relevanceOf(said(0))).toBe(0);
  for (const wrong of [-0.1, 1.1, "0.5", null, Number.NaN]) expect(relevanceOf(said(wrong))).toBeUndefined();
  for (const none of [undefined, null, [], {}, "relevance"]) expect(relevanceOf(none)).toBeUndefined();
  expect(Object.keys(toMention(NAMELESS).mention ?? {})).not.toContain("relevance");
});

test("a mention of the earlier version has integers for ids, category ids only, and reach", () => {
  const { mention } = toMention({
    ...NAMELESS,
    id: 123456789012,
    resourceId: 123456789012,
    resourceType: "page",
    categories: [4711, 4712],
    reach: 55,
  });
  expect(mention).toMatchObject({
    resourceId: "123456789012",
    reach: 55,
    categories: [
      { id: "4711", name: null, parentId: null, parentName: null },
      { id: "4712", name: null, parentId: null, parentName: null },
    ],
  });
});

test("a withheld mention of X keeps its place with everything unknown", () => {
  const { mention } = toMention({ ...NAMELESS, date: null, snippet: null, author: null, url: null });
  expect(mention).toMatchObject({ publishedAt: null, text: null, author: null, url: null, verified: null });
  expect(mention?.updatedAt).toBe(mention?.addedAt);
});

test("full text is preferred to the snippet, and followers come from the network that has them", () => {
  expect(toMention({ ...NAMELESS, snippet: "short", fullText: "all of it" }).mention?.text).toBe("all of it");
  expect(toMention({ ...NAMELESS, instagramFollowerCount: 4 }).mention?.followers).toBe(4);
  expect(toMention({ ...NAMELESS, blueskyFollowers: 5 }).mention?.followers).toBe(5);
});

test("its date replaces a missing added, and updated is never before added", () => {
  const date = "2026-02-17T07:36:05.000+0000";
  expect(toMention({ resourceId: "a", queryId: "7", date }).mention?.addedAt).toBe(
    Date.UTC(2026, 1, 17, 7, 36, 5),
  );
  const { mention } = toMention({ ...NAMELESS, updated: "2020-01-01T00:00:00.000+0000" });
  expect(mention?.updatedAt).toBe(mention?.addedAt);
});

test.each([
  [null, null, "it is not an object"],
  [[], null, "it is not an object"],
  [{ ...NAMELESS, resourceId: "" }, null, "resourceId is missing or unusable"],
  [{ ...NAMELESS, resourceId: 2 ** 53 }, null, "resourceId is missing or unusable"],
  [{ ...NAMELESS, queryId: null }, "a1", "queryId is missing or unusable"],
  [{ ...NAMELESS, added: "yesterday" }, "a1", "neither added nor date is a moment"],
])("%j is rejected with its reason", (wire, resourceId, reason) => {
  expect(toMention(wire)).toMatchObject({ mention: null, rejection: { resourceId, reason } });
});

test("NUL and halves of surrogate pairs become storable, and whole pairs stay", () => {
  const { mention } = toMention({
    ...NAMELESS,
    title: "a\0b",
    snippet: "x\ud83dy",
    author: "\udc00",
    domain: "ok 😊",
  });
  expect(mention).toMatchObject({ title: "a\ufffdb", text: "x\ufffdy", author: "\ufffd", domain: "ok 😊" });
});

test("a field of a wrong type counts as missing and never costs the mention", () => {
  const fields = Object.keys(wireMention(0, { queryId: 1, startAt: 0 })).filter(
    (name) => !(name in NAMELESS),
  );
  const anything = fc.anything({ withNullPrototype: true, withSparseArray: true });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), anything, { maxKeys: 40 }), (wire) => {
      const { mention } = toMention({ ...wire, ...NAMELESS });
      expect(mention).toMatchObject({ resourceId: "a1", queryId: "7" });
      for (const value of Object.values(mention ?? {}).flat()) {
        if (typeof value === "string") expect(Buffer.from(value).toString().includes("\0")).toBe(false);
        if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
      }
    }),
  );
});
