import fc from "fast-check";
import { expect, test } from "vitest";
import { describeMiss } from "../../../src/monitor/rules/miss.ts";
import { aMention } from "../../mention.ts";
import { aRule } from "./a-rule.ts";

const mention = aMention({
  sentiment: "neutral",
  followers: 1_204,
  reach: 12_000,
  verified: null,
  impact: null,
  language: "en",
  country: null,
  countryCode: null,
  author: "ann",
  authorName: null,
  categories: [],
  tags: ["vip"],
  title: null,
  text: "Where is my refund?",
});
const withheld = { ...mention, text: null };

test.each([
  // A number: the value, the limit, and how far it is off.
  ["{ followers: { atLeast: 50000 } }", "followers: 1,204, at least 50,000 needed: 48,796 short", "TooLow"],
  [
    "{ reach: { atMost: 10000 } }",
    "estimated readers: 12,000, at most 10,000 allowed: 2,000 too many",
    "TooHigh",
  ],
  [
    "{ impact: { atLeast: 40, atMost: 60 } }",
    "points of impact: not known, because the source does not say; the rule wants at least 40 and at most 60",
    "Unknown",
  ],
  // Words: the value, and what the rule wants.
  ["{ sentiment: negative }", "its sentiment is neutral, the rule wants negative", "Different"],
  ["{ language: [de, fr] }", "its language is en, the rule wants de or fr", "Different"],
  [
    "{ country: DEU }",
    "its country is not known: the source does not say, and the rule wants DEU",
    "Unknown",
  ],
  ["{ category: Safety }", "its category: none, the rule wants Safety", "Different"],
  ["{ tag: press }", "its tag is vip, the rule wants press", "Different"],
  ['{ author: ["@reuters", "*news"] }', "its author is ann, the rule wants @reuters or *news", "Different"],
  ["{ verified: true }", "whether the author is verified is not known: the source does not say", "Unknown"],
  ["{ keyword: lawsuit }", 'the keyword "lawsuit" is not in its text', "Different"],
  ["{ keyword: [lawsuit, recall*] }", "none of the 2 keywords is in its text", "Different"],
  ['{ pattern: "order #[0-9]+" }', 'the pattern "order #[0-9]+" is not found in its text', "Different"],
  // Trees: the first of all, the nearest of any, what not excludes.
  [
    "{ sentiment: negative, followers: { atLeast: 50000 }, keyword: refund }",
    "its sentiment is neutral, the rule wants negative; 1 more condition is not met",
    "Different",
  ],
  [
    "{ any: [{ sentiment: negative }, { followers: { atLeast: 1250 } }, { keyword: recall }] }",
    "the nearest of 3 alternatives: followers: 1,204, at least 1,250 needed: 46 short",
    "TooLow",
  ],
  [
    "{ any: [{ sentiment: negative, keyword: recall }, { verified: true }] }",
    "the nearest of 2 alternatives: whether the author is verified is not known: the source does not say",
    "Unknown",
  ],
  ["{ not: { tag: vip } }", 'the rule excludes it: tagged "vip"', "Excluded"],
  [
    "{ not: { any: [{ keyword: refund }, { sentiment: positive }] } }",
    'the rule excludes it: with the keyword "refund"',
    "Excluded",
  ],
])("a mention that does not meet %s is told the first condition and by how much", (when, text, outcome) => {
  const rule = aRule(`when: ${when}`);
  expect(rule.judge(mention).met).toBe(false);
  const miss = rule.when.miss(mention);
  expect(describeMiss(miss)).toBe(text);
  expect(miss.outcome).toBe(outcome);
});

test("a text that the source withholds is said as such", () => {
  for (const when of ["{ keyword: refund }", '{ pattern: "ref" }']) {
    const miss = aRule(`when: ${when}`).when.miss(withheld);
    expect(miss.outcome).toBe("Unknown");
    expect(miss.text).toContain("withheld by the source");
  }
});

test("every mention that a tree of conditions does not match has a miss in words, at a distance", () => {
  const leaf = fc.constantFrom(
    { sentiment: "negative" },
    { sentiment: "neutral" },
    { followers: { atLeast: 5_000 } },
    { followers: { atMost: 5_000 } },
    { reach: { atLeast: 1_000, atMost: 20_000 } },
    { verified: true },
    { keyword: ["refund", "recall*"] },
    { country: "DEU" },
    { tag: "vip" },
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("tree"), { minLength: 1, maxLength: 4 }).map((all) => ({ all })),
      fc.array(tie("tree"), { minLength: 1, maxLength: 4 }).map((any) => ({ any })),
      tie("tree").map((not) => ({ not })),
    ),
  }));
  fc.assert(
    fc.property(tree, (when) => {
      const rule = aRule(`when: ${JSON.stringify(when)}`);
      fc.pre(!rule.judge(mention).met);
      const miss = rule.when.miss(mention);
      expect(describeMiss(miss)).not.toMatch(/undefined|NaN|null/);
      expect(miss.text.length).toBeGreaterThan(5);
      expect(miss.distance).toBeGreaterThan(0);
    }),
  );
});
