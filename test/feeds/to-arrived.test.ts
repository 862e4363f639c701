import { describe, expect, test } from "vitest";
import type { FeedItem } from "../../src/feeds/common/define-feed.ts";
import { authorKeyOf, toArrived, toDeleted } from "../../src/feeds/run/to-arrived.ts";
import { DAY } from "../../src/lib/instant.ts";
import { noEnrichment } from "./no-enricher.ts";

const fetchedAt = Date.UTC(2026, 10, 23, 12);
const kind = {
  ...{ kind: "any", pageType: "forum" },
  policy: { version: 1, storedCharacters: null, sentOut: "", deletesLearntBy: "", terms: "" },
};
const around = { kind, fetchedAt, keepFrom: fetchedAt - DAY, enrich: noEnrichment };
const item: FeedItem = {
  ...{ id: "https://a.example/1", url: "https://a.example/1", title: "Late again", author: "Ann" },
  ...{ body: { text: "Acme" }, publishedAt: fetchedAt - 1_000 },
};
const outcome = (more: Partial<FeedItem> = {}, context: Partial<typeof around> = {}) =>
  toArrived({ ...item, ...more }, { ...around, ...context });
function arrived(more: Partial<FeedItem> = {}, context: Partial<typeof around> = {}) {
  const found = outcome(more, context).item;
  if (found === null) throw new Error("it is refused");
  return found;
}

test("what is stored under keys is found under them by a later version, too", () => {
  const { idKey, contentKey, authorKey } = arrived({ authorId: "ann" });
  expect([idKey, contentKey, authorKey]).toEqual([
    "5496d65f64a3a62a93efb612f3bd22ce",
    "8a1ff01e59ee87102f7ebcedeb53cbb8",
    "e11d9bc1cf790ddf236312ed55e8b4d4",
  ]);
  expect(authorKeyOf(kind, "ann")).toBe(authorKey);
});

test("two items have one key only where kind, scope and id are the same", () => {
  const keys = [
    arrived({ scope: "ab", id: "c" }),
    arrived({ scope: "a", id: "bc" }),
    arrived({ id: "abc" }),
    arrived({ id: "c" }),
    arrived({ id: "//c" }),
    arrived({ id: "c" }, { kind: { ...kind, kind: "other" } }),
  ].map(({ idKey }) => idKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(arrived({ id: "https://www.c" }).idKey).toBe(arrived({ id: "http://c" }).idKey);
});

test("the key of a content changes with its address, title, text and date, and with nothing else", () => {
  const { contentKey } = arrived();
  const changed: Partial<FeedItem>[] = [
    { url: "https://a.example/2" },
    { url: null },
    { title: "Late" },
    { title: null },
    { body: { text: "Acme!" } },
    { publishedAt: fetchedAt },
    { publishedAt: null },
  ];
  for (const one of changed) expect(arrived(one).contentKey, JSON.stringify(one)).not.toBe(contentKey);
  expect(arrived({ author: "Lee", id: "2", engagement: { likes: 1 } }).contentKey).toBe(contentKey);
  // Another date alone leaves the first half as it is.
  const later = arrived({ publishedAt: fetchedAt }).contentKey ?? "";
  expect([later.slice(0, 16), later.length]).toEqual([contentKey?.slice(0, 16), 32]);
});

describe("an item that becomes no mention", () => {
  test.each<[string, Partial<FeedItem>, string]>([
    ["has nothing to read", { title: " ", body: { html: "<p></p>" } }, "it has neither title nor text"],
    ["has nothing at all", { title: null, body: null }, "it has neither title nor text"],
    ["is old", { publishedAt: fetchedAt - DAY - 1 }, "it is older than what is kept"],
  ])("%s", (_name, more, reason) => {
    expect(outcome(more)).toEqual({ item: null, reason });
  });
});

test.each<[string, Partial<FeedItem>, object]>([
  ["a title and a text", {}, { title: "Late again", text: "Acme" }],
  ["a title alone: it is the text, too", { body: null }, { title: "Late again", text: "Late again" }],
  ["a text alone", { title: null }, { title: null, text: "Acme" }],
  [
    "names with blanks and line ends",
    { author: " Ann \n Lee ", fullname: " " },
    { author: "Ann Lee", fullname: null },
  ],
  ["a long title", { title: "x".repeat(600) }, { title: `${"x".repeat(499)}…` }],
  ["a long name", { author: "x".repeat(300) }, { author: `${"x".repeat(199)}…` }],
  ["a country", { country: " Peru\n" }, { country: "Peru" }],
  ["a page of its kind", {}, { pageType: "forum" }],
  ["a page of a network", { url: "https://x.com/ann/1" }, { pageType: "twitter" }],
  ["a page type of its own", { url: "https://x.com/ann/1", pageType: "news" }, { pageType: "news" }],
  ["no address", { url: "mailto:a@b.example" }, { url: null, pageType: "forum" }],
  ["a long id of its author", { authorId: "a".repeat(1_001) }, { authorId: "a".repeat(1_000) }],
  [
    "counts",
    { engagement: { likes: 0, comments: 2_147_483_647, shares: 2_147_483_648 } },
    { likes: 0, comments: 2_147_483_647 },
  ],
  ["a count of one", { engagement: { likes: 1 } }, { likes: 1 }],
])("an item with %s", (_name, more, line) => {
  const { line: found } = arrived(more);
  expect(found).toMatchObject(line);
  // Too many of them can be stored nowhere.
  expect(found).not.toHaveProperty("shares");
  expect("country" in found).toBe("country" in line);
});

test("an analyser is told the language that its source names", () => {
  const languages: (string | null)[] = [];
  const enrich: typeof noEnrichment = (text, language) => {
    languages.push(language);
    return noEnrichment(text, language);
  };
  for (const more of [{ language: "de" }, {}]) outcome(more, { enrich });
  expect(languages).toEqual(["de", null]);
});

test("how its source knows an item is kept, as far as it can be", () => {
  const { nativeId, reference, revision, editedEveryMs } = arrived(
    { id: "i".repeat(1_001), reference: "r".repeat(1_001), revision: 7 },
    { kind: { ...kind, editedEveryMs: 5 } as typeof kind },
  );
  expect([nativeId, reference, revision, editedEveryMs]).toEqual([
    "i".repeat(1_000),
    "r".repeat(1_000),
    7,
    5,
  ]);
  const plain = arrived();
  expect(plain).toMatchObject({ nativeId: item.id, editedEveryMs: 0 });
  for (const key of ["reference", "revision", "authorKey"]) expect(plain).not.toHaveProperty(key);
});

test("a delete has the key of its item, or the one under which it is stored", () => {
  const id = "i".repeat(1_001);
  expect(toDeleted(kind, { id, reason: "r".repeat(300) })).toEqual({
    ...{ idKey: arrived({ id }).idKey, nativeId: "i".repeat(1_000), reason: `${"r".repeat(199)}…` },
  });
  expect(toDeleted(kind, { id: "1", reason: "gone", idKey: "key", mayReturn: true })).toEqual({
    ...{ idKey: "key", nativeId: "1", reason: "gone", mayReturn: true },
  });
  expect(toDeleted(kind, { id: "1", reason: "gone", mayReturn: false })).not.toHaveProperty("mayReturn");
});
