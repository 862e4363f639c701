import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closestWord, editDistance } from "../../src/lib/closest-word.ts";
import { formatMinutes } from "../../src/lib/duration.ts";
import { canonicalJson, type JsonValue, stableHash } from "../../src/lib/json.ts";
import {
  countedSubject,
  formatExpected,
  formatNumber,
  formatShare,
  inPercent,
} from "../../src/lib/numbers.ts";
import { fitsGlob } from "../../src/lib/patterns.ts";
import { foldText } from "../../src/lib/text.ts";

describe("canonicalJson", () => {
  it("does not depend on the order of keys and reads back as the same value", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false } as object), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(stableHash(JSON.parse(text))).toBe(stableHash(value as JsonValue));
      }),
    );
  });
});

describe("closestWord", () => {
  it("finds what was meant, and nothing where nothing is near", () => {
    const words = ["sentiment", "severity", "followers"];
    expect(closestWord("sentimnet", words)).toBe("sentiment");
    expect(closestWord("Follower", words)).toBe("followers");
    expect(closestWord("colour", words)).toBeUndefined();
    expect(closestWord("spiek", ["volume", "spike"])).toBe("spike");
    expect(closestWord("x".repeat(1_000_000), words)).toBeUndefined();
  });

  it("counts insertions, deletions, replacements and swaps", () => {
    expect([editDistance("", "abc"), editDistance("abc", "abc"), editDistance("abcd", "acbd")]).toEqual([
      3, 0, 1,
    ]);
    expect(editDistance("kitten", "sitting")).toBe(3);
  });
});

describe("fitsGlob", () => {
  it("gives the answer of the expression that it replaces", () => {
    const letters = fc
      .array(fc.constantFrom("a", "b", "*", "?"), { maxLength: 8 })
      .map((parts) => parts.join(""));
    const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 10 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(letters, text, (glob, candidate) => {
        const expression = new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`);
        expect(fitsGlob(glob, candidate)).toBe(expression.test(candidate));
      }),
    );
  });
});

describe("foldText", () => {
  it.each([
    ["Crème  BRÛLÉE\n", "creme brulee"],
    ["ﬁne Ｆｕｌｌ", "fine full"],
    ["I can’t", "i can't"],
    ["re\u200bcall \u202e", "recall"],
    ["が", "が"],
  ])("folds %j", (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it("changes nothing the second time", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, (any) => {
        expect(foldText(foldText(any))).toBe(foldText(any));
      }),
    );
  });
});

describe("numbers and times in sentences", () => {
  it.each([
    [1698, "1,698"],
    [1234567.8, "1,234,568"],
    [84.7, "85"],
    [9.96, "10"],
    [2.94, "2.9"],
    [2.01, "2"],
    [999.7, "1,000"],
    [-3.21, "-3.2"],
    [0, "0"],
    [0.0496, "0.05"],
    [0.002, "0.002"],
  ])("formats %d as %s", (value, text) => expect(formatNumber(value)).toBe(text));

  it.each([
    [1, "mentions", "1 mention"],
    [1, "different stories", "1 story"],
    [
      1,
      'authors of negative mentions in category "Stories"',
      '1 author of negative mentions in category "Stories"',
    ],
    [62, "negative mentions", "62 negative mentions"],
    [0, "different authors", "0 different authors"],
  ])("counts %d of %j as %j", (n, subject, text) => expect(countedSubject(n, subject)).toBe(text));

  it.each([
    [13_733_888, "13,700,000"],
    [1_234.5, "1,230"],
    [847.3, "847"],
    [84.7, "85"],
  ])("formats %d as %s if it was computed", (value, text) => expect(formatExpected(value)).toBe(text));

  it.each([
    [300_000, "5 min"],
    [3_600_000, "1 h"],
    [5_400_000, "1 h 30 min"],
    [86_400_000, "24 h"],
    [172_800_000, "2 days"],
  ])("formats %d ms as %s", (ms, text) => expect(formatMinutes(ms)).toBe(text));

  it("says none and all of none and all only", () =>
    expect([0, 0.004, 0.005, 0.5714, 0.995, 0.996, 1].map(formatShare)).toEqual([
      "0%",
      "under 1%",
      "1%",
      "57%",
      "over 99%",
      "over 99%",
      "100%",
    ]));
  it("repeats a share that people set as they wrote it", () =>
    expect([0.125, 0.07, 0.00125, 1].map(inPercent)).toEqual(["12.5", "7", "0.125", "100"]));
});
