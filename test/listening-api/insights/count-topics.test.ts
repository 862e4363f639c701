import { describe, expect, test } from "vitest";
import {
  chooseTopics,
  MAX_CHARACTERS,
  type TopicCounts,
  type TopicKind,
  topicsOf,
} from "../../../src/listening-api/insights/count-topics.ts";

describe("the topics of a text", () => {
  const topics = (text: string, ...kinds: TopicKind[]) => [
    ...topicsOf({ text, hashtags: ["#Tea"] }, kinds.length === 0 ? ["words", "phrases"] : kinds).keys(),
  ];

  test("are those of the kinds that are asked for", () => {
    const text = "hot water boils";
    expect(topics(text, "hashtags")).toEqual(["#tea"]);
    expect(topics(text, "words")).toEqual(["hot", "water", "boils"]);
    expect(topics(text, "phrases")).toEqual(["hot water", "hot water boils", "water boils"]);
    expect(topics(text, "hashtags", "words")).toEqual(["#tea", "hot", "water", "boils"]);
    expect(topics(text)).toHaveLength(6);
    expect(topics("a b c d", "phrases")).toEqual([]);
  });

  test("have three words at most, and begin and end with one that means something", () => {
    expect(topics("kettle boils cold water", "phrases")).not.toContain("kettle boils cold water");
    expect(topics("a cup of tea and milk", "phrases")).toEqual(["cup of tea", "tea and milk"]);
  });

  test.each(["hot. water", "hot, water", "hot\nwater", "ساخن؟ ماء", "ساخن، ماء", "गरम। पानी", "hot… water"])(
    "do not go past the end of a sentence: %j",
    (text) => {
      expect(topics(text, "phrases")).toEqual([]);
    },
  );

  test("are no addresses, hashtags, names, numbers, letters, and no words without an end", () => {
    const word = "w".repeat(40);
    expect(topics(`https://a.example/hot-water @ann_b #hot ml 2024 x y1 w${word} ${word}`, "words")).toEqual([
      "ml",
      "y1",
      word,
    ]);
    // What was taken out is no space between two words.
    expect(topics("hot @ann water", "phrases")).toEqual([]);
  });

  test.each([
    ["アクメの電池が燃えた。電池は危険です", ["アクメ", "電池", "危険"]],
    ["这款咖啡的价格太高", ["咖啡", "价格"]],
    ["แบตเตอรี่ของโทรศัพท์ไหม้", ["แบตเตอรี่", "โทรศัพท์", "ไหม้"]],
    ["Acme の battery life は高価", ["acme", "battery", "life", "高価"]],
  ])("are words where no blanks stand between them, too: %s", (text, words) => {
    expect(topics(text, "words").sort()).toEqual(expect.arrayContaining(words));
    for (const topic of topics(text, "words")) expect(topic).not.toMatch(/^(?:.|です|ของ)$/u);
  });

  test("are no phrases across words between which no blanks stand", () => {
    expect(topics("Acme から battery life", "phrases")).toEqual(["battery life"]);
    expect(topics("Acme 電池 battery, แบตเตอรี่ของโทรศัพท์", "phrases")).toEqual([]);
  });

  test("are of its beginning, if it is very long", () => {
    const spaces = " ".repeat(MAX_CHARACTERS - 3);
    expect(topics(`hot${spaces.slice(3)}tea water`, "words")).toEqual(["hot", "tea"]);
  });

  test("are shown as they are written, with even spaces", () => {
    const text = "Hot  WATER, hot\u00a0steam, Tee kochen";
    expect([...topicsOf({ text, hashtags: [] }, ["phrases"])]).toEqual([
      ["hot water", "Hot WATER"],
      ["hot steam", "hot steam"],
      ["tee kochen", "Tee kochen"],
    ]);
  });
});

describe("of topics that were counted", () => {
  const counted = (texts: number, counts: Record<string, number>): TopicCounts => ({
    texts,
    counts: new Map(Object.entries(counts)),
  });
  const chosen = (here: Record<string, number>, there?: Record<string, number>, limit = 10) =>
    chooseTopics(counted(100, here), there ? counted(400, there) : counted(0, {}), limit);
  const keys = (...given: Parameters<typeof chosen>) => chosen(...given).map(({ key }) => key);

  test("the most frequent are chosen, without others to compare with; once is never", () => {
    expect(chosen({ once: 1, tea: 2, milk: 5 })).toEqual([
      { key: "milk", volume: 5, score: 5 },
      { key: "tea", volume: 2, score: 2 },
    ]);
    expect(keys({ tea: 2, milk: 5, water: 3 }, undefined, 2)).toEqual(["milk", "water"]);
    expect(keys({ tea: 2 }, undefined, 0)).toEqual([]);
  });

  test("the score is the ratio of likelihoods, and negative where it is rarer", () => {
    const [tea] = chosen({ tea: 10 }, { tea: 20 });
    // Of 30 in 500 texts 6 and 24 were to be expected.
    expect(tea?.score).toBeCloseTo(2 * (10 * Math.log(10 / 6) + 20 * Math.log(20 / 24)), 10);
    const [milk] = chosen({ milk: 10 }, { tea: 20 });
    expect(milk?.score).toBeCloseTo(2 * 10 * Math.log(10 / 2), 10);
    expect(keys({ little: 3 }, { little: 10 })).toEqual(["little"]);
    expect(chosen({ as: 10, rarer: 9 }, { as: 40, rarer: 40 })).toEqual([]);
  });

  test("each word more counts three tenths more; of equals the more frequent one comes first, then the alphabet", () => {
    expect(chosen({ "hot water": 10, steam: 13 })).toEqual([
      { key: "steam", volume: 13, score: 13 },
      { key: "hot water", volume: 10, score: 13 },
    ]);
    expect(chosen({ "a hot tea": 10 })[0]?.score).toBe(16);
    expect(keys({ tea: 4, milk: 4, water: 4 })).toEqual(["milk", "tea", "water"]);
    expect(keys({ water: 4, milk: 4, tea: 4 })).toEqual(["milk", "tea", "water"]);
  });

  test("a part of a longer one is left out, unless it is at least twice as frequent", () => {
    expect(keys({ "hot water": 6, hot: 11 })).toEqual(["hot"]);
    expect(keys({ "hot water": 6, hot: 12 })).toEqual(["hot", "hot water"]);
    expect(keys({ "hot water": 10, hot: 11 })).toEqual(["hot water"]);
    // Not part of a word.
    expect(keys({ hotel: 6, hot: 6 })).toEqual(["hot", "hotel"]);
  });
});
