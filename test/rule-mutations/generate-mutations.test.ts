import { expect, test } from "vitest";
import { generateMutations } from "./generate-mutations.ts";

const RULE = `title: Anything
severity:
  info: always
  warning: { atLeast: 40, within: 30m }
when:
  keyword: [sue, recall*]
share:
  of: { sentiment: negative }
  atLeast: 15%
for: 2h
`;

test("each number, word, entry and key of a rule is changed, by itself", () => {
  const names = generateMutations(RULE).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "severity.warning.atLeast: 40 → 44",
      "severity.warning.atLeast: 40 → 36",
      "severity.warning.within: 30m → 35m",
      "severity.warning.within: 30m → 25m",
      "severity.info → critical",
      "without severity.warning",
      "when.keyword: without sue",
      "when.keyword.2: recall* → recall",
      "share.of.sentiment: negative → positive",
      "share.of.sentiment: negative → neutral",
      "share.atLeast: 15% → 17%",
      "for: 2h → 135m",
      "without for",
    ]),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name.includes("title"))).toEqual([]);
});

test("what is changed is changed, and nothing else", () => {
  const text = (name: string) => generateMutations(RULE).find((one) => one.name === name)?.text;
  expect(text("when.keyword: without sue")).toBe(RULE.replace("[sue, recall*]", "[ recall* ]"));
  expect(text("severity.info → critical")).toBe(
    RULE.replace("info: always", "critical: always").replace("[sue, recall*]", "[ sue, recall* ]"),
  );
});
