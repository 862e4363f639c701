import { expect, test } from "vitest";
import { missOf } from "../../src/rules/combine-predicates.ts";
import { aMention } from "../mention.ts";
import { aRule } from "./a-rule.ts";

const mention = aMention({ sentiment: "neutral", followers: 1_200, verified: null });

test.each([
  [
    "{ sentiment: negative, followers: { atLeast: 50000 } }",
    "neutral, not negative, 1,200 followers (limit 50,000)",
  ],
  ["{ sentiment: neutral, followers: { atLeast: 50000 } }", "1,200 followers (limit 50,000)"],
  [
    "{ any: [{ sentiment: negative }, { followers: { atLeast: 50000 } }] }",
    "neutral, not negative and 1,200 followers (limit 50,000)",
  ],
])("a mention that does not fit %s is explained by what it has instead", (when, expected) => {
  const rule = aRule(`when: ${when}`);
  expect(rule.judge(mention).met).toBe(false);
  expect(missOf(rule.when, mention)).toBe(expected);
});
