import { expect, test } from "vitest";
import { brandQuery } from "../../../src/feeds/setup/brand-query.ts";
import { aboutOf, groupSenses, type Sense } from "../../../src/feeds/setup/group-senses.ts";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import { explainMiss } from "../../../src/listening-api/query-language/explain-miss.ts";
import { searchableMention } from "../../../src/listening-api/query-language/search-text.ts";
import { acmeTexts, CARTOONS, CERTIFICATES, KETTLES } from "./acme-texts.ts";

const MEANINGS = [KETTLES, CARTOONS, CERTIFICATES];
const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 1);

/** As many texts of each meaning as `sizes` says, mixed. */
function texts(sizes: readonly number[], seed: number) {
  return sizes
    .flatMap((size, at) =>
      acmeTexts(size, MEANINGS[at] ?? [], seed * 97 + at).map((title) => ({ title, at })),
    )
    .sort((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ title, at }) => ({ title, text: "", at }));
}

const sensesOf = (sizes: readonly number[], seed: number): readonly Sense[] => {
  const found = groupSenses(texts(sizes, seed), ["acme"]);
  return found.outcome === "Several" ? found.senses : [];
};

test.each([[[30, 20]], [[12, 8]], [[20, 20, 15]], [[40, 12, 10]]])(
  "texts of %j are told apart, and the words that leave one meaning out keep the others",
  (sizes) => {
    let right = 0;
    const [out, kept] = [
      { of: 0, all: 0 },
      { of: 0, all: 0 },
    ];
    for (const seed of SEEDS) {
      const senses = sensesOf(sizes, seed);
      if (senses.length !== sizes.length) continue;
      right++;
      for (const sense of senses) {
        expect(sense.examples).toHaveLength(3);
        const hits = MEANINGS.map((words) => sense.words.filter((word) => words.includes(word)).length);
        const at = hits.indexOf(Math.max(...hits));
        for (const one of texts(sizes, seed)) {
          const isLeftOut = sense.not.some((word) => one.title.split(" ").includes(word));
          const sum = one.at === at ? out : kept;
          sum.all++;
          if (isLeftOut === (one.at === at)) sum.of++;
        }
      }
    }
    expect(right).toBeGreaterThanOrEqual(18);
    expect(out.of / out.all).toBeGreaterThan(0.75);
    expect(kept.of / kept.all).toBeGreaterThan(0.99);
  },
);

test("texts of one meaning do not fall apart", () => {
  for (const size of [15, 40, 100])
    for (const seed of SEEDS)
      expect(groupSenses(texts([size], seed), ["acme"])).toEqual({ outcome: "One", texts: size });
});

test("few texts, and the same ones again, are too few", () => {
  const few = texts([6, 5], 1);
  expect(groupSenses([...few, ...few], ["acme"])).toEqual({ outcome: "TooFew", texts: 11 });
  expect(groupSenses([], ["acme"])).toEqual({ outcome: "TooFew", texts: 0 });
});

test("the same texts give the same meanings, and hostile ones act nowhere", () => {
  expect(sensesOf([30, 20], 3)).toEqual(sensesOf([30, 20], 3));
  const bad = texts([20, 20], 1).map((one, index) => ({
    ...one,
    title: index % 2 === 0 ? `${one.title}\u001b[31m\u202e OR "${"$"}{X}" __proto__ constructor` : one.title,
  }));
  const found = groupSenses(bad, ["acme"]);
  if (found.outcome !== "Several") throw new Error(found.outcome);
  for (const { words, not, examples } of found.senses) {
    for (const word of [...words, ...not]) expect(word).toMatch(/^[\p{L}\p{M}\p{N}]{3,30}$/u);
    for (const one of examples) expect(one).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

test("what a query means is said in words of the meanings, in 500 characters", () => {
  const [kettles, cartoons] = sensesOf([30, 20], 1);
  if (kettles === undefined || cartoons === undefined) throw new Error("there are two");
  expect(aboutOf("acme", [kettles], [cartoons])).toMatch(
    /^acme, as in texts about .*kettle.*; not about .*coyote/,
  );
  const long = { words: Array.from({ length: 6 }, (_, n) => `${n}`.repeat(30)) };
  expect(aboutOf("x".repeat(100), [long, long], [long, long]).length).toBeLessThanOrEqual(500);
});

test.each([
  [
    "Japanese",
    "アポロ",
    ["着陸", "宇宙船", "飛行士", "打ち上げ", "探査"],
    ["商品", "お菓子", "限定", "発売", "チョコ"],
    (words: readonly string[]) => `アポロの${words.join("と")}についての記事です`,
  ],
  [
    "Chinese",
    "小米",
    ["手机", "汽车", "发布", "销量", "芯片"],
    ["粮食", "营养", "早餐", "种植", "农民"],
    (words: readonly string[]) => `今天的小米，${words.join("，")}的消息`,
  ],
  [
    "Korean",
    "애플",
    ["배터리", "자동차", "모델", "가격", "충전"],
    ["과일", "주스", "농장", "수확", "사과"],
    ([a, b, c]: readonly string[]) => `오늘 애플이 ${a}는 ${b}${b?.length === 3 ? "의" : "까지"} ${c}에서`,
  ],
])("meanings in %s are told apart", (_, name, one, other, textOf) => {
  // Each text has three of the five words.
  const some = (words: readonly string[]) =>
    words.flatMap((a, n) => words.slice(n + 1).map((b) => words.filter((word) => word !== a && word !== b)));
  const textsOf = (words: readonly string[]) => some(words).map((own) => ({ title: textOf(own), text: "" }));
  const found = groupSenses([...textsOf(one), ...textsOf(other)], [name]);
  const senses = found.outcome === "Several" ? found.senses : [];
  const isOfOne = (word: string) => one.some((known) => known.startsWith(word.replace("*", "")));
  expect(senses.map(({ texts: n, words }) => [n, words.every(isOfOne)])).toEqual([
    [10, true],
    [10, false],
  ]);
  // The query finds the words that it leaves out.
  const [, left] = senses;
  expect(left?.not.length).toBeGreaterThan(0);
  for (const text of textsOf(other).map(({ title }) => title)) {
    const { text: query } = brandQuery([name], left?.not);
    expect([text, matches(query, text)]).toEqual([
      text,
      !left?.not.some((word) => text.includes(word.replace("*", ""))),
    ]);
  }
  for (const { title } of textsOf(one)) expect(matches(brandQuery([name], left?.not).text, title)).toBe(true);
});

function matches(query: string, text: string): boolean {
  const compiled = compile(query);
  if (!compiled.ok) throw new Error(query);
  return explainMiss(compiled.query, searchableMention({}, text)) === undefined;
}
