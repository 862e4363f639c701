import { expect, test } from "vitest";
import { isEdited, withoutMentions } from "../../../src/monitor/alerts/without-mentions.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";
import { NO_EXPLANATION } from "./no-explanation.ts";

const told = (facts: Partial<Mention>, story: string) => ({ mention: aMention(facts), story });

const GONE = told(
  {
    ...{ author: "Ann", authorName: "Ann Smith", domain: "ann.example", url: "https://ann.example/1" },
    ...{ repostOf: "r1", hashtags: ["Broken", "#Bag"], title: "Broken strap", text: "My bag is torn" },
  },
  "s1",
);
const OTHER = told({ author: "bo", domain: "bo.example", hashtags: ["bag"], text: "A torn ticket" }, "s2");

const labelled = (labels: Record<string, string>, rest = [OTHER], gone = [GONE]) =>
  withoutMentions({ labels, explanation: null }, gone, rest).labels;

test.each<[string, string, boolean]>([
  ["author", "ann", true],
  ["author", "ANN SMITH", true],
  ["author", "bo", false],
  ["domain", "ann.example", true],
  ["source", "https://ann.example/1", true],
  ["source", "r1", true],
  ["hashtag", "#broken", true],
  // Another mention has it, too.
  ["hashtag", "#bag", false],
  ["story", "s1", true],
  ["story", "s2", false],
  ["story", "ann", false],
  ["author", "s1", false],
  ["author", "", false],
  // Words of the configuration, even if somebody is called so.
  ["query", "ann", false],
  ["category", "ann", false],
  ["country", "ann", false],
])("of a deleted mention, the label %s: %s goes: %s", (name, value, goes) => {
  expect(labelled({ [name]: value })).toEqual({ [name]: goes ? "deleted" : value });
});

test("a story that another mention is part of stays", () => {
  expect(labelled({ story: "s1" }, [told({}, "s1")])).toEqual({ story: "s1" });
});

test("a name that was cut in the label is recognised", () => {
  const long = `${"x".repeat(199)}yz`;
  const gone = [told({ author: long }, "s1")];
  expect(labelled({ author: long.slice(0, 200) }, [], gone)).toEqual({ author: "deleted" });
  expect(labelled({ author: long.slice(0, 199) }, [], gone)).toEqual({ author: long.slice(0, 199) });
});

test("an explanation loses the names and words that no other mention has, and keeps its numbers", () => {
  const explanation = {
    ...NO_EXPLANATION,
    authors: {
      count: 2,
      loudest: [
        { name: "Ann", mentions: 1 },
        { name: "bo", mentions: 1 },
      ],
    },
    domains: [
      { name: "ann.example", now: 1, before: 0 },
      { name: "bo.example", now: 1, before: 0 },
    ],
    words: ["strap", "Bag", "torn", "ticket"],
  };
  const { explanation: after } = withoutMentions({ labels: {}, explanation }, [GONE], [OTHER]);
  expect(after).toMatchObject({
    authors: { count: 2, loudest: [{ name: "bo" }] },
    domains: [{ name: "bo.example" }],
    words: ["torn", "ticket"],
  });
});

test("a word goes with the one mention of several that had it", () => {
  const explanation = { ...NO_EXPLANATION, words: ["strap"] };
  const gone = [GONE, told({ text: "nothing" }, "s3")];
  expect(
    withoutMentions({ labels: {}, explanation }, gone, [OTHER, told({}, "s4")]).explanation,
  ).toMatchObject({
    words: [],
  });
  expect(
    withoutMentions({ labels: {}, explanation }, gone, [OTHER, told({ title: "Straps" }, "s4")]).explanation,
  ).toMatchObject({ words: ["strap"] });
});

test("an explanation that cannot be read is dropped, and none stays none", () => {
  expect(withoutMentions({ labels: {}, explanation: { words: 5 } }, [GONE], []).explanation).toBe(null);
  expect(withoutMentions({ labels: {}, explanation: null }, [GONE], []).explanation).toBe(null);
});

test.each<[Partial<Mention>, boolean]>([
  [{}, false],
  [{ followers: 5, sentiment: "negative", reposts: 3 }, false],
  [{ text: "other" }, true],
  [{ title: "other" }, true],
  [{ author: "cy" }, true],
  [{ hashtags: ["b", "a"] }, true],
  [{ hashtags: ["a"] }, true],
])("a mention that now has %j was edited: %s", (change, edited) => {
  const before = aMention({ text: "a", hashtags: ["a", "b"] });
  expect(isEdited(before, { ...before, ...change })).toBe(edited);
});
