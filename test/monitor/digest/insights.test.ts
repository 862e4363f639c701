import { expect, test } from "vitest";
import { joinInsights, rankStories } from "../../../src/monitor/digest/insights.ts";
import type { PeriodStory } from "../../../src/monitor/model/digest.ts";
import { aMention } from "../../mention.ts";

const story = (id: string, given: Partial<PeriodStory> = {}): PeriodStory => ({
  ...{ story: id, topMention: aMention({ resourceId: id }), mentions: 10, negative: 0 },
  ...{ distinctAuthors: 10, audience: 0, firstAt: 5, ...given },
});
const ranked = (...stories: PeriodStory[]) => rankStories(stories, 0).map((one) => one.story);

test.each<[string, Partial<PeriodStory>, Partial<PeriodStory>]>([
  ["of more authors", { distinctAuthors: 11 }, { distinctAuthors: 10, mentions: 100 }],
  [
    "that is all negative, before half as many authors and a few",
    { negative: 10, distinctAuthors: 10 },
    { distinctAuthors: 19 },
  ],
  ["of twice as many authors and one, before an all negative one", { distinctAuthors: 21 }, { negative: 10 }],
  // A hundred thousand readers weigh as much as all authors again.
  ["that 99,999 may have read", { audience: 99_999 }, { distinctAuthors: 19 }],
  [
    "of twice as many authors and one, before one that 99,999 may have read",
    { distinctAuthors: 21 },
    { audience: 99_999 },
  ],
  ["that is older", { firstAt: 4 }, {}],
])("a story %s comes first", (_, first, second) => {
  expect(ranked(story("b", first), story("a", second))).toEqual(["b", "a"]);
  expect(ranked(story("a", second), story("b", first))).toEqual(["b", "a"]);
});

test("stories that are alike come in the order of their mentions, whichever was read first", () => {
  expect(ranked(story("b"), story("a"), story("c"))).toEqual(["a", "b", "c"]);
});

test("a story that nobody reads is worth its authors, even without a mention", () => {
  expect(ranked(story("a", { mentions: 0, negative: 0 }), story("b", { distinctAuthors: 11 }))).toEqual([
    "b",
    "a",
  ]);
});

test("the same name in two projects is one author, the most active first, then by name", () => {
  const author = (name: string, mentions: number, negative: number | null = 0) => ({
    name,
    mentions,
    negative,
  });
  const joined = joinInsights([
    {
      authors: [author("Bo", 3, 1), author("cy", 5), author("Al", 5, 2)],
      hashtags: [{ name: "x", mentions: 1 }],
    },
    {
      authors: [author("bo", 4, 2), author("al", 0, null)],
      hashtags: [
        { name: "X", mentions: 2 },
        { name: "y", mentions: 9 },
      ],
    },
  ]);
  expect(joined).toEqual({
    authors: [author("Bo", 7, 3), author("Al", 5, null), author("cy", 5)],
    hashtags: [
      { name: "y", mentions: 9 },
      { name: "x", mentions: 3 },
    ],
  });
});
