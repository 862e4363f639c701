import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { MentionsQuestion, searchOf } from "../../../src/console/pages/mentions.ts";
import { findMentions } from "../../../src/console/search/find-mentions.ts";
import { asksForText, ruleOfSearch } from "../../../src/console/search/rule-of-search.ts";
import type { ListedAuthor } from "../../../src/monitor/model/author-list.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import { aMention } from "../../mention.ts";
import { runs } from "../../runs.ts";

const NOW = Date.UTC(2026, 2, 3, 14, 5);
const LISTED = ["reuters", "ap", "bbc"].map(
  (author, n): ListedAuthor => ({
    ...{ id: String(n), list: n < 2 ? "Press" : "vip", author, name: null, site: null, note: "", at: NOW },
    actor: { via: "page", login: "ann", typed: null },
  }),
);

function made(asked: Record<string, string>, listed: readonly ListedAuthor[] = LISTED) {
  const searched = searchOf({ question: MentionsQuestion.parse(asked), me: "me" }, NOW);
  expect(asksForText(searched)).toBe(true);
  const { content, notes } = ruleOfSearch(searched, { queryNames: [], listed });
  return { when: content?.["when"] ?? null, content, notes: notes.map(({ part }) => part), searched };
}

test("the rule is for the queries that were chosen", () => {
  const searched = searchOf({ question: MentionsQuestion.parse({ contains: "fire" }), me: "me" }, NOW);
  const queries = (queryNames: string[]) =>
    ruleOfSearch(searched, { queryNames, listed: [] }).content?.["queries"];
  expect([queries([]), queries(["Acme"]), queries(["Acme", "Globex"])]).toEqual([
    undefined,
    "Acme",
    ["Acme", "Globex"],
  ]);
});

/** Of a rule file that is read as any other. */
function predicateOf(content: unknown): (mention: Mention) => boolean {
  const read = parseRule("found", "found.yaml", stringify(content));
  if (!("rule" in read) || read.rule.kind !== "mention") throw new Error(JSON.stringify(read));
  return read.rule.when.matches;
}

test.each([
  ["battery fire", { all: [{ keyword: "battery*" }, { keyword: "fire*" }] }, ["battery fire"]],
  ["battery", { keyword: "battery*" }, ["battery"]],
  ["battery AND (fire OR smoke)", { all: [{ keyword: "battery" }, { keyword: ["fire", "smoke"] }] }, []],
  ["fire NOT advert", { keyword: "fire", not: { keyword: "advert" } }, []],
  [`"recall notice"`, { keyword: "recall notice" }, [`"recall notice"`]],
  ["पानी AND आग", { all: [{ keyword: "पानी" }, { keyword: "आग" }] }, []],
  ["batt* OR #fire", { keyword: ["batt*", "#fire"] }, []],
  ["organi?ation AND fire", { pattern: "\\borgani\\wation\\b", keyword: "fire" }, []],
  ["title:recall AND {BT}", { all: [{ keyword: "recall" }, { keyword: "BT" }] }, ["title:recall", "{BT}"]],
  ["fire NEAR/5 battery", { all: [{ keyword: "fire" }, { keyword: "battery" }] }, ["fire NEAR/5 battery"]],
  [`"battery fire"~5`, { all: [{ keyword: "battery" }, { keyword: "fire" }] }, [`"battery fire"~5`]],
  ["fire AND site:news.example", { keyword: "fire" }, ["site:news.example"]],
  ["fire OR rating:[1 TO 2]", { keyword: "fire" }, ["rating:[1 TO 2]"]],
  [
    "language:de AND country:deu AND author:smith AND authorVerified:true AND authorFollowers:[5 TO 70]",
    {
      ...{ language: "de", country: "deu", author: "*smith*", verified: true },
      followers: { atLeast: 5, atMost: 70 },
    },
    ["author:smith"],
  ],
  ["fire AND list:press", { keyword: "fire*", author: ["reuters", "ap"] }, ["fire", "list: press"]],
  ["list:nobody AND (fire)", { keyword: "fire" }, ["list: nobody"]],
  [
    "fire AND status:done AND assignee:me AND tag:x",
    { keyword: "fire*", tag: "x" },
    ["fire", "tag: x", "assignee and status"],
  ],
])("the search %s is a rule, and says what is not in it", (contains, when, notes) => {
  const found = made({ contains });
  expect(found.when).toEqual(when);
  expect(found.notes).toEqual(notes);
  predicateOf(found.content);
});

test("what was chosen beside the words is in the rule; a site, a time and an alert are named as left out", () => {
  const alert = "019d495b-b480-7628-99d1-68d7410255a9";
  const { content, notes } = made({
    ...{ contains: "fire OR smoke", sentiment: "negative", language: "de", type: "news", category: "Safety" },
    ...{ country: "Germany", author: "@reuters", domain: "news.example", last: "7d", alert, story: "s" },
  });
  expect(content).toEqual({
    description: "Mentions like those found: fire OR smoke, negative, @reuters, Safety",
    severity: "warning",
    when: {
      ...{ keyword: ["fire", "smoke"], sentiment: "negative", author: "@reuters", language: "de" },
      ...{ pageType: "news", category: "Safety", country: "Germany" },
    },
  });
  expect(notes).toEqual(["site: news.example", "the story", "the alert", "the time"]);
  expect(made({ contains: "site:news.example" })).toMatchObject({ when: null, notes: ["site:news.example"] });
  expect(made({ language: "pt-br" })).toMatchObject({ when: null, notes: ["language: pt-br"] });
});

test("a list that nobody could read stays out", () => {
  const many = Array.from({ length: 201 }, (_, n) => ({ ...LISTED[0], author: `a${n}` }) as ListedAuthor);
  expect(made({ list: "press", contains: "fire" }, many)).toMatchObject({
    when: { keyword: "fire*" },
    notes: ["fire", "list: press"],
  });
});

test("a query whose rule needs no note finds the same mentions", async () => {
  const WORDS = ["battery", "fire", "smoke", "café", "#recall", "batteries", "50%", "don't", "Müller"];
  const leaf = fc.oneof(
    fc.constantFrom("battery", "fire", "smoke", "#recall", "batt*", "don't", "b?ttery", "fi*e"),
    fc.constantFrom(
      "language:de",
      "language:en",
      "country:deu",
      "authorVerified:true",
      "authorVerified:false",
    ),
    fc.constantFrom("authorFollowers:[5 TO 70]", "authorFollowers:[0 TO 9]"),
  );
  const { query } = fc.letrec<{ query: string }>((tie) => ({
    query: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.tuple(tie("query"), tie("query")).map(([a, b]) => `(${a}) AND (${b})`),
      fc.tuple(tie("query"), tie("query"), leaf).map(([a, b, c]) => `(${a}) OR (${b}) OR ${c}`),
      fc.tuple(leaf, tie("query")).map(([a, b]) => `${a} AND NOT (${b})`),
    ),
  }));
  const mention = fc
    .record({
      text: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(" ")),
      title: fc.option(fc.constantFrom(...WORDS)),
      language: fc.constantFrom("de", "en", null),
      countryCode: fc.constantFrom("DEU", "USA", null),
      verified: fc.constantFrom(true, false, null),
      followers: fc.constantFrom(null, 0, 5, 9, 70, 71),
    })
    .map((facts) => aMention(facts));
  await fc.assert(
    fc.asyncProperty(query, fc.array(mention, { minLength: 1, maxLength: 5 }), async (typed, mentions) => {
      const contains = `(${typed}) AND NOT absent`;
      const { content, notes, searched } = made({ contains });
      // Words of the query language with a sign inside are several: that is said.
      expect(notes.every((part) => /^\(*don't\)*$/.test(part))).toBe(true);
      const shown = mentions.map((one) => ({ mention: one, eventAt: NOW }));
      const listing = { mentions: shown, next: null, stoppedEarly: false, scanned: shown.length } as never;
      const found = await findMentions(
        { mentions: async () => listing },
        searched.filter,
        searched.search,
        null,
        50,
      );
      const matches = predicateOf(content);
      expect(mentions.filter(matches)).toEqual(found.mentions.map((one) => one.mention));
    }),
    { numRuns: runs(300) },
  );
});
