import { expect, test } from "vitest";
import { digestWithout, shownNames } from "../../../src/monitor/digest/without-mentions.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { buildMentionView } from "../../../src/monitor/templates/mention-view.ts";
import { aMention } from "../../mention.ts";

const TORN = aMention({ title: "Torn", text: "My bag is torn", url: "https://a.example/1", author: "Ann" });
const UNTITLED = aMention({ text: "No title", url: "https://a.example/2", author: "Bo" });
const BARE = aMention({ url: "https://a.example/3", domain: "a.example" });
const NOBODY = { authors: [], hashtags: [] };

const rowOf = (mention: Mention) => {
  const { title, text, url, domain } = buildMentionView(mention);
  return { text: title ?? (text || domain), url, domain, mentions: 3 };
};
const edition = (given: object = {}) => ({
  ...{
    topMentions: [TORN, UNTITLED].map((one) => buildMentionView(one, 4)),
    topStories: [TORN, UNTITLED, BARE].map(rowOf),
  },
  ...{ topAuthors: [{ name: "Ann" }, { name: "bo" }], topHashtags: [{ name: "Torn" }, { name: "bag" }] },
  ...{ alerts: [], perQuery: [], totals: {}, ...given },
});

test("an edition that says nothing of what was deleted is left as it is", () => {
  const other = aMention({ ...TORN, url: "https://a.example/9" });
  expect(
    digestWithout(edition(), [{ before: other, after: null }], { authors: ["cy"], hashtags: ["x"] }),
  ).toBe(null);
  expect(digestWithout(edition(), [], NOBODY)).toBe(null);
});

test.each<[string, Partial<Mention>]>([
  ["title", { title: "Other" }],
  ["text", { text: "Other" }],
  ["address", { url: "https://a.example/9" }],
  ["author", { author: "Cy" }],
])("a mention with another %s is not the one that is shown", (_, other) => {
  const replaced = [{ before: aMention({ ...TORN, ...other }), after: null }];
  const { topMentions } = digestWithout(edition({ topStories: [] }), replaced, NOBODY) ?? edition();
  expect(topMentions[0]).toMatchObject({ title: "Torn", text: "My bag is torn" });
});

test("a deleted mention leaves a place that says so, and no address", () => {
  const view = digestWithout(edition(), [{ before: TORN, after: null }], NOBODY);
  expect(view?.topMentions[0]).toMatchObject({ title: null, text: "", url: null, copies: 1 });
  expect(view?.topMentions[1]).toMatchObject({ text: "No title", copies: 4 });
  expect(view?.topStories[0]).toMatchObject({
    text: view?.topMentions[0]?.authorName,
    url: null,
    domain: null,
    mentions: 3,
  });
  expect(view?.topStories.slice(1)).toEqual([UNTITLED, BARE].map(rowOf));
});

test("an edited mention is shown as it is now, with as many copies", () => {
  const after = aMention({ ...TORN, title: null, text: "It was mended" });
  const view = digestWithout(edition(), [{ before: TORN, after }], NOBODY);
  expect(view?.topMentions[0]).toMatchObject({ title: null, text: "It was mended", copies: 4 });
  expect(view?.topStories[0]).toMatchObject({ text: "It was mended", url: TORN.url });
});

test("a story is known by its title, else its text, else its domain", () => {
  const texts = (before: Mention, after: Mention | null) =>
    digestWithout(edition(), [{ before, after }], NOBODY)?.topStories.map(({ text }) => text);
  expect(texts(UNTITLED, aMention({ ...UNTITLED, text: "Now" }))).toEqual(["Torn", "Now", "a.example"]);
  expect(texts(BARE, aMention({ ...BARE, title: "Now" }))).toEqual(["Torn", "No title", "Now"]);
  expect(texts(TORN, aMention({ ...TORN, title: null, text: null, url: null }))?.[0]).toBe("a mention");
  expect(texts(TORN, aMention({ ...TORN, title: null, text: null, url: "https://b.example/" }))?.[0]).toBe(
    "b.example",
  );
});

test("names that nobody has any more go, whatever their case", () => {
  const view = digestWithout(edition(), [], { authors: ["ANN"], hashtags: ["TORN"] });
  expect(view?.topAuthors).toEqual([{ name: "bo" }]);
  expect(view?.topHashtags).toEqual([{ name: "bag" }]);
});

test("of some names those are found that an edition shows, as it shortens them", () => {
  const long = "x".repeat(300);
  const { authorName } = buildMentionView(aMention({ author: long }));
  const body = edition({ topAuthors: [{ name: authorName }, { name: "Ann" }] });
  expect(shownNames(body, { authors: [long, "ann", "cy"], hashtags: ["BAG", "x"] })).toEqual({
    authors: [long, "ann"],
    hashtags: ["BAG"],
  });
});

/** A page of insights: people, sites, and what has the same names and is neither. */
const PAGE = {
  ...{ title: "Who speaks", asked: "", reader: "cy", mood: "" },
  tables: [
    {
      ...{ title: "Authors", heads: [] },
      rows: ["Ann", "bo", "Dee"].map((name) => ({ name, facet: "author", cells: [] })),
    },
    {
      ...{ title: "Where", heads: [] },
      rows: [
        { name: "site a.example", facet: "domain", cells: [] },
        { name: "B.example", facet: "domain", cells: [] },
        { name: "ann", facet: "language", cells: [] },
        { name: "a.example", facet: null, cells: [] },
      ],
    },
  ],
};

test("the tables of a page lose people who are gone, and sites of mentions that were deleted", () => {
  const before = [BARE, aMention({ domain: "b.example" })];
  const deleted = [
    { before: BARE, after: null },
    { before: aMention({ domain: "b.example" }), after: aMention({ domain: "b.example" }) },
  ];
  const rows = (view: ReturnType<typeof digestWithout>) =>
    view?.page?.tables.map(({ rows }) => rows.map(({ name }) => name));
  const gone = { authors: ["ann", "@Bo"], hashtags: [] };
  expect(rows(digestWithout(edition({ page: PAGE }), deleted, gone))).toEqual([
    ["Dee"],
    ["B.example", "ann", "a.example"],
  ]);
  const all = before.map((one) => ({ before: one, after: null }));
  expect(rows(digestWithout(edition({ page: PAGE }), all, NOBODY))?.[1]).toEqual(["ann", "a.example"]);
});

test("people are found in the tables of a page, which have no @, and only where people stand", () => {
  const body = edition({ page: PAGE, topAuthors: [], topHashtags: [] });
  expect(shownNames(body, { authors: ["ANN", "@bo", "a.example", "x"], hashtags: ["Dee"] })).toEqual({
    authors: ["ANN", "@bo"],
    hashtags: [],
  });
  const elsewhere = { ...PAGE, tables: PAGE.tables.slice(1) };
  expect(
    shownNames(edition({ page: elsewhere, topAuthors: [] }), { authors: ["ann"], hashtags: [] }),
  ).toEqual(NOBODY);
});
