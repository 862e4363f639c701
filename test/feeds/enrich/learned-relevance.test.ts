import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type JudgedText, learnRelevance } from "../../../src/feeds/enrich/learned-relevance.ts";

/** Of each name forty texts. */
const NAMES = readFileSync(join(import.meta.dirname, "../../fixtures/enrich/two-senses.txt"), "utf8")
  .split(/^# /m)
  .slice(1)
  .map((part) =>
    part
      .split("\n")
      .filter((line) => /^[+-] /.test(line))
      .map((line): JudgedText => ({ text: line.slice(2), isRelevant: line.startsWith("+") })),
  );
const [TEXTS = []] = NAMES;

/** A number that depends on the two alone. */
function draw(index: number, seed: number): number {
  return Math.imul(Math.imul(index * 7919 + seed * 104729, 0x9e3779b1) ^ (index << 7), 0x85ebca6b) >>> 0;
}

function mixed(texts: readonly JudgedText[], seed: number): readonly JudgedText[] {
  return texts
    .map((text, index) => ({ text, key: draw(index, seed) }))
    .sort((a, b) => a.key - b.key)
    .map(({ text }) => text);
}

test("of two senses of a name, thirty judged texts tell the rest apart far better than none", async () => {
  let [right, called, relevant, acts] = [0, 0, 0, 0];
  for (const texts of NAMES)
    for (let seed = 0; seed < 10; seed++) {
      const inOrder = mixed(texts, seed);
      const learned = await learnRelevance(inOrder.slice(0, 30));
      if (learned.outcome !== "Better") continue;
      acts++;
      for (const { text, isRelevant } of inOrder.slice(30)) {
        const isCalled = learned.scoreOf(text).score >= 0.5;
        if (isCalled) called++;
        if (isRelevant) relevant++;
        if (isCalled && isRelevant) right++;
      }
    }
  expect(acts).toBeGreaterThanOrEqual(38);
  // Calling all of them relevant has a precision of 0.5. Words alone have .75, and find .79.
  expect(right / called).toBeGreaterThan(0.8);
  expect(right / relevant).toBeGreaterThan(0.85);
});

test("it says how well it does, and which words speak for a score", async () => {
  const learned = await learnRelevance(TEXTS);
  if (learned.outcome !== "Better") throw new Error(learned.outcome);
  expect(learned.judged).toBe(40);
  expect(learned.without).toBe(0.5);
  expect(learned.precision).toBeGreaterThan(0.75);
  const { score, reason } = learned.scoreOf("certificates by acme.sh on a small server");
  expect(score).toBeLessThan(0.3);
  expect(reason).toMatch(/^like texts that people called not relevant: .*"(acme\.sh|certificates)"/);
});

test("with few judgements of a kind it does not act", async () => {
  expect(await learnRelevance([])).toEqual({ outcome: "TooFew", relevant: 0, others: 0 });
  expect(await learnRelevance(TEXTS.slice(0, 27))).toEqual({ outcome: "TooFew", relevant: 20, others: 7 });
});

test("judgements that no words explain seldom act", async () => {
  let acts = 0;
  for (const texts of NAMES)
    for (let seed = 0; seed < 10; seed++) {
      const byChance = texts.map(({ text }, index) => ({ text, isRelevant: draw(index, seed) >>> 31 === 0 }));
      if ((await learnRelevance(byChance)).outcome === "Better") acts++;
    }
  expect(acts).toBeLessThanOrEqual(4);
});

test("the same judgements give the same scores", async () => {
  const [a, b] = [await learnRelevance(TEXTS), await learnRelevance(TEXTS)];
  if (a.outcome !== "Better" || b.outcome !== "Better") throw new Error("not better");
  for (const { text } of TEXTS) expect(a.scoreOf(text)).toEqual(b.scoreOf(text));
});

test("any text has a score and a short reason", async () => {
  const learned = await learnRelevance(TEXTS);
  if (learned.outcome !== "Better") throw new Error(learned.outcome);
  for (const text of ["", "👍", "constructor __proto__", "x".repeat(100_000), "a ".repeat(50_000)]) {
    const { score, reason } = learned.scoreOf(text);
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
    expect(reason.length).toBeLessThan(200);
  }
});

test.each([
  [
    "Japanese",
    ["着陸", "宇宙船", "飛行士", "打ち上げ", "探査"],
    ["商品", "お菓子", "限定", "発売", "チョコ"],
    (words: readonly string[]) => `アポロの${words.join("と")}についての記事です`,
    /"(着陸|宇宙船|飛行士|打ち上げ|探査)"/,
  ],
  [
    "Thai",
    ["รถยนต์", "ไฟฟ้า", "แบตเตอรี่", "มอเตอร์", "ราคา"],
    ["กาแฟ", "อาหาร", "ร้าน", "ขนม", "เมนู"],
    (words: readonly string[]) => `วันนี้อะโพโลมี${words.join("และ")}ใหม่`,
    /"(รถยนต์|ไฟฟ้า|แบตเตอรี่|มอเตอร์|ราคา)"/,
  ],
])("texts in %s, which writes no blanks, teach, too", async (_, ours, others, textOf, telling) => {
  // Each text has three of the five words.
  const textsOf = (words: readonly string[], isRelevant: boolean) =>
    words.flatMap((a, n) =>
      words.slice(n + 1).map((b) => ({
        ...{ text: textOf(words.filter((word) => word !== a && word !== b)), isRelevant },
      })),
    );
  const learned = await learnRelevance([...textsOf(ours, true), ...textsOf(others, false)]);
  if (learned.outcome !== "Better") throw new Error(learned.outcome);
  expect(learned.precision).toBeGreaterThan(0.9);
  expect(learned.recall).toBeGreaterThan(0.9);
  const { score, reason } = learned.scoreOf(textOf(ours.slice(0, 2)));
  expect(score).toBeGreaterThan(0.5);
  expect(reason).toMatch(telling);
});

test("Korean words are known with other endings", async () => {
  const endings = ["가", "는", "를", "도", "의", "에서", "으로", "와", "만", "까지"];
  let drawn = 0;
  const ended = (word: string) => {
    drawn = (drawn * 7 + 3) % 101;
    return `${word}${endings[drawn % endings.length]}`;
  };
  const textsOf = (words: readonly string[], isRelevant: boolean) =>
    words.flatMap((a, at) =>
      words.slice(at + 1).map((b) => {
        const own = words.filter((word) => word !== a && word !== b).map(ended);
        return { text: `오늘 ${ended("애플")} ${own.join(" ")} 대한 이야기`, isRelevant };
      }),
    );
  const learned = await learnRelevance([
    ...textsOf(["배터리", "자동차", "모델", "가격", "충전"], true),
    ...textsOf(["과일", "주스", "농장", "수확", "사과"], false),
  ]);
  if (learned.outcome !== "Better") throw new Error(learned.outcome);
  expect(learned.precision).toBeGreaterThan(0.9);
  expect(learned.recall).toBeGreaterThan(0.9);
});
