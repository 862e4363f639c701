import { describe, expect, it } from "vitest";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { mentionConditions } from "../../../src/monitor/rules/conditions.ts";
import { aMention, aQuery } from "./a-mention.ts";
import { aRule } from "./a-rule.ts";

const SAFETY = [{ id: "12", name: "Injury", parentId: "1", parentName: "Safety" }];

const MATCHES: [when: string, mention: Partial<Mention>, because: string][] = [
  ["sentiment: negative", { sentiment: "negative" }, "negative"],
  ["sentiment: [neutral, negative]", { sentiment: "Neutral" }, "neutral"],
  ["category: safety", { categories: SAFETY }, 'in category "safety"'],
  ["category: injury", { categories: SAFETY }, 'in category "injury"'],
  ["category: [x, 12]", { categories: SAFETY }, 'in category "12"'],
  ["category: '1'", { categories: SAFETY }, 'in category "1"'],
  ["keyword: recall", { text: "A RECALL, at last" }, 'with the keyword "recall"'],
  ["keyword: recall", { title: "Recall" }, 'with the keyword "recall"'],
  ["keyword: [class action, recall*]", { text: "they recalled it" }, 'with the keyword "recall*"'],
  ["keyword: class action", { text: "Class\n  action" }, 'with the keyword "class action"'],
  ["keyword: cafe", { text: "un Café noir" }, 'with the keyword "cafe"'],
  ["keyword: Süß", { text: "SÜẞ" }, 'with the keyword "Süß"'],
  ["keyword: can't", { text: "I can’t" }, `with the keyword "can't"`],
  ["keyword: recall", { text: "re\u200bcall \uff52ecall" }, 'with the keyword "recall"'],
  ["keyword: リコール", { text: "製品リコールのお知らせ" }, 'with the keyword "リコール"'],
  ["keyword: पानी", { text: "यहाँ पानी नहीं है" }, 'with the keyword "पानी"'],
  ["keyword: acme", { text: "❤\ufe0facme 1\ufe0f\u20e3" }, 'with the keyword "acme"'],
  ["keyword: C++", { text: "in C++." }, 'with the keyword "C++"'],
  ['keyword: "#fail"', { text: "so #fail" }, 'with the keyword "#fail"'],
  ["pattern: 'order #[0-9]{3}'", { text: "my Order #123" }, 'matching the pattern "order #[0-9]{3}"'],
  ["author: '@Reuters'", { author: "reuters" }, 'by an author on the list ("@Reuters")'],
  ["author: '*news'", { authorName: "Daily News" }, 'by an author on the list ("*news")'],
  ["verified: true", { verified: true }, "by a verified author"],
  ["verified: false", { verified: false }, "by an author who is not verified"],
  ["followers: { atLeast: 10000 }", { followers: 120_000 }, "with 120,000 followers (limit 10,000)"],
  ["reach: { atMost: 5 }", { reach: 5 }, "with 5 estimated readers (limit at most 5)"],
  ["impact: { atLeast: 40.5 }", { impact: 61.2 }, "with 61 points of impact (limit 41)"],
  ["relevance: { atLeast: 0.6 }", { relevance: 0.65 }, "with 0.65 relevance (limit 0.6)"],
  ["language: [EN, de]", { language: "de" }, "in language de"],
  ["country: [DEU, Österreich]", { country: "osterreich" }, "from Österreich"],
  ["country: DEU", { countryCode: "DEU", country: "Germany" }, "from DEU"],
  ["pageType: news", { pageType: "news" }, "on news"],
  ["tag: VIP", { tags: ["a", "vip"] }, 'tagged "VIP"'],
  [
    "{ sentiment: negative, verified: true, followers: { atLeast: 10000 } }",
    { sentiment: "negative", verified: true, followers: 120_000 },
    "negative, by a verified author, with 120,000 followers (limit 10,000)",
  ],
  [
    "any: [{ verified: true }, { followers: { atLeast: 5 } }, { tag: x }]",
    { verified: true, followers: 7 },
    "by a verified author and with 7 followers (limit 5)",
  ],
  ["{ not: { sentiment: positive }, tag: x }", { tags: ["x"] }, 'tagged "x"'],
  ["not: { sentiment: positive }", { sentiment: "negative" }, "not positive"],
];

/** The rows of one condition; none of them may match a mention without the field that it reads. */
const SINGLE_MATCHES = MATCHES.filter(([when]) => /^(?!all|any|not)\w+:/.test(when));

const MISSES: [when: string, mention: Partial<Mention>][] = [
  ["keyword: recall", { text: "recalls recall2 recallé" }],
  // A vowel sign of Hindi goes on with the word: पान is a leaf, पानी water, and पानीपत a town.
  ["keyword: पान", { text: "पानी" }],
  ["keyword: पानी", { text: "पानीपत" }],
  ["keyword: recall", { author: "recall" }],
  ["keyword: a.b", { text: "axb" }],
  ["category: safety", { categories: [{ id: "1", name: null, parentId: null, parentName: null }] }],
  ["pattern: '^order'", { text: "an order" }],
  ["author: reuters", { author: "reuters2" }],
  ["followers: { atLeast: 10, atMost: 20 }", { followers: 21 }],
  ["relevance: { atLeast: 0.6 }", { relevance: 0.59 }],
  ["relevance: { atMost: 0.2 }", {}],
  ["all: [{ tag: a }, { tag: b }]", { tags: ["a"] }],
  ["not: { any: [{ tag: a }, { tag: b }] }", { tags: ["b"] }],
];

describe("a rule on single mentions", () => {
  it.each(MATCHES)("%s matches and says why", (when, known, because) => {
    expect(aRule(`when:\n  ${when}`).judge(aMention(known))).toEqual({ met: true, because });
  });

  it.each(MISSES)("%s does not match %j", (when, known) => {
    expect(aRule(`when:\n  ${when}`).judge(aMention(known))).toEqual({ met: false });
  });

  it.each(mentionConditions)("has a row above for the condition $type", ({ type }) => {
    const rows = SINGLE_MATCHES.filter(([when]) => when.startsWith(`${type}:`));
    expect(rows.length, `Add a row that begins with "${type}:" to MATCHES.`).toBeGreaterThan(0);
  });

  it("finds nothing in a mention of which nothing is known, and its opposite matches", () => {
    for (const [when] of SINGLE_MATCHES) {
      expect(aRule(`when:\n  ${when}`).judge(aMention()).met, when).toBe(false);
      expect(aRule(`when: { not: { ${when} } }`).judge(aMention()).met, when).toBe(true);
    }
  });

  it("never repeats a word of the mention", () => {
    const hostile = aMention({ text: "recall <!channel>", author: "<!channel>", sentiment: "negative" });
    const verdict = aRule("when: { keyword: recall*, author: '*', sentiment: negative }").judge(hostile);
    expect(verdict.because).toBe('with the keyword "recall*", by an author on the list ("*"), negative');
  });

  it("is not slowed by hostile text", () => {
    const rule = aRule(
      "when: { any: [{ keyword: [a b, a*] }, { pattern: '(a+)+$' }, { author: '*a*a*a*b' }] }",
    );
    const long = "a".repeat(20_000);
    expect(rule.judge(aMention({ text: `${long} `.repeat(5), author: long })).met).toBe(true);
    expect(rule.judge(aMention({ text: `${"ba ".repeat(30_000)}!`, author: long })).met).toBe(false);
  });

  it("applies to queries by name, id and wildcard", () => {
    const rule = aRule("when: { tag: x }\nqueries: [acme, 'Beta*', 77]");
    const applies = (known: object) => rule.appliesTo(aQuery(known));
    expect(applies({ name: "ACME" })).toBe(true);
    expect(applies({ name: "Beta Two" })).toBe(true);
    expect(applies({ name: "Other", queryId: "77" })).toBe(true);
    expect(applies({ name: "Acme Two", queryId: "7" })).toBe(false);
  });

  it("groups by what the file says, and always by query", () => {
    const rule = aRule("when: { tag: x }\ngroupBy: [author, category, country]");
    expect(rule.labels(aMention({ categories: SAFETY, author: "someone" }), aQuery())).toEqual({
      query: "Acme",
      author: "someone",
      category: "Injury",
      country: "unknown",
    });
  });

  it("calls copies of one text one story", () => {
    const rule = aRule("when: { tag: x }\ngroupBy: story");
    const story = (known: Partial<Mention>) => rule.labels(aMention(known), aQuery())["story"];
    const original = story({ text: "The brakes of the new model fail in the rain" });
    expect(
      story({ resourceId: "2", text: "RT @x: the BRAKES of the new model fail in the rain! https://t.co/1" }),
    ).toBe(original);
    expect(story({ text: "The brakes of the old model hold in the rain" })).not.toBe(original);
    expect(story({ resourceId: "1", text: "ok" })).not.toBe(story({ resourceId: "2", text: "ok" }));
  });
});
