import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mention } from "../../../../src/monitor/model/mention.ts";
import { explainChange } from "../../../../src/monitor/notify/view/explain-change.ts";
import {
  type ExpectedBucket,
  largestSince,
  onsetOf,
  windowBars,
} from "../../../../src/monitor/notify/view/explain-counts.ts";
import { risenWords } from "../../../../src/monitor/notify/view/risen-words.ts";
import { aMention } from "../../../mention.ts";
import { runs } from "../../../runs.ts";

const BUCKET = 300_000;

let next = 0;
const say = (text: string, more: Partial<Mention> = {}): Mention =>
  aMention({ resourceId: `r${next++}`, text, author: `author ${next}`, ...more });

const THINGS = ["seat", "lunch", "crew", "gate", "bag", "window", "ticket", "coffee", "screen", "pillow"];
/** People who write about different things. */
const usual = (count: number): Mention[] =>
  Array.from({ length: count }, (_, i) =>
    say(`my ${THINGS[i % 10]} on this trip was thing number ${i} of many`),
  );
const angry = (count: number): Mention[] =>
  Array.from({ length: count }, (_, i) => say(`flight ${i} cancelled, ${i} hours on hold to rebook it now`));

describe("new words", () => {
  it("are words that many stories use now and few used before", async () => {
    const words = await risenWords([...angry(20), ...usual(10)], usual(200));
    expect(words).toEqual(expect.arrayContaining(["cancelled", "hold", "rebook"]));
    expect(words).not.toContain("trip");
  });

  it("are whole words of Hindi too, whose vowels are signs", async () => {
    const now = Array.from({ length: 20 }, (_, i) => say(`${i} यहाँ पानी नहीं है`, { language: "hi" }));
    expect(await risenWords([...now, ...usual(10)], usual(200))).toEqual(["पानी"]);
    const untold = now.map((mention) => ({ ...mention, language: null }));
    expect(await risenWords([...untold, ...usual(10)], usual(200))).toEqual(["पानी"]);
  });

  it.each([
    ["ja", "店員に牛乳が腐っていると言われました、スターバックスで", ["スターバックス", "牛乳"]],
    ["zh", "今天买的牛奶变质了", ["牛奶", "变质"]],
    ["th", "นมบูดที่ร้านสะดวกซื้อ", ["สะดวก"]],
  ] as const)("are words of texts without blanks, in %s", async (language, text, expected) => {
    const usualHere = Array.from({ length: 200 }, (_, i) =>
      say(`${i} ${["今日は天気がいいです", "我们今天去公园", "วันนี้อากาศดี"][i % 3]} ${i}`),
    );
    for (const told of [language, null]) {
      const now = Array.from({ length: 20 }, (_, i) => say(`${i}${text}${i} 号${i}`, { language: told }));
      expect(await risenWords([...now, ...usualHere.slice(0, 10)], usualHere)).toEqual(
        expect.arrayContaining([...expected]),
      );
    }
  });

  it("are Korean words by what stands before their endings", async () => {
    const endings = ["가", "는", "를", "도", "의", "에서", "로", "와", "만", "까지"];
    const say10 = (texts: readonly string[]) =>
      endings.map((ending, i) => say(`${i} ${texts.map((text) => `${text}${ending}`).join(" ")} ${i}`));
    const before = Array.from({ length: 20 }, () => say10(["날씨", "공원"])).flat();
    expect(await risenWords([...say10(["배터리", "폭발"]), ...before.slice(0, 5)], before)).toEqual(
      expect.arrayContaining(["배터리", "폭발"]),
    );
    // They were usual with other endings.
    expect(await risenWords([...say10(["날씨", "배터리"])], before)).toEqual(["배터리"]);
  });

  it("keep a hashtag whole", async () => {
    const now = Array.from({ length: 20 }, (_, i) => say(`${i} #牛乳回収 ${i}`));
    expect(await risenWords([...now, ...usual(10)], usual(200))).toEqual(["#牛乳回収"]);
  });

  it("are not words that one text in twenty has anyway, however often they occur now", async () => {
    const before = Array.from({ length: 200 }, (_, i) =>
      say(`note ${i} ${i % 15 === 0 ? "they are" : "it is"} fine`),
    );
    const now = Array.from({ length: 30 }, (_, i) => say(`note ${i} they are stranded`));
    expect(await risenWords(now, before)).toEqual(["stranded"]);
  });

  it("are not the short forms of stop words", async () => {
    const now = Array.from({ length: 20 }, (_, i) =>
      say(`I'm at gate ${i}, they don't answer, Acme's phone rings`),
    );
    const words = await risenWords([...now, ...usual(10)], usual(200));
    expect(words).toContain("acme's");
    expect(words).not.toContain("i'm");
    expect(words).not.toContain("don't");
  });

  it("are not the stop words of their language, which may be words of another language", async () => {
    const rare = Array.from({ length: 200 }, (_, i) => say(`note ${i} ${i === 7 ? "are" : "is"} fine`));
    const now = (text: string) => Array.from({ length: 30 }, (_, i) => say(`note ${i} ${text}`));
    expect((await risenWords(now("we are so sorry, they fire us"), rare)).sort()).toEqual(["fire", "sorry"]);
    expect((await risenWords(now("die Bahn und der Bus sind bei uns ausgefallen"), rare)).sort()).toEqual([
      "ausgefallen",
      "bahn",
      "bus",
    ]);
    expect(await risenWords(now("people will die of this"), rare)).toContain("die");
  });

  it("are not those of one text, however often it is repeated, nor links, handles and numbers", async () => {
    const bot = Array.from({ length: 100 }, () =>
      say("buy cheap watches now and here at our shop https://spam.example @acme"),
    );
    expect(await risenWords([...bot, ...usual(20)], usual(200))).toEqual([]);
  });

  it("are none if there are few earlier mentions", async () => {
    expect(await risenWords(angry(20), [])).toEqual([]);
  });

  it("accept any text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary" }), { maxLength: 30 }), async (texts) => {
        const mentions = texts.map((text) => say(text));
        expect((await risenWords(mentions, usual(20))).length).toBeLessThanOrEqual(6);
      }),
      { numRuns: runs(50) },
    );
  });
});

describe("what changed", () => {
  const rated = (mentions: readonly Mention[], negative: number): Mention[] =>
    mentions.map((mention, i) => ({ ...mention, sentiment: i < negative ? "negative" : "neutral" }));

  it("names topics, mood, people and repeated texts, with what is usual", async () => {
    const category = (name: string) => ({
      categories: [{ id: name, name, parentId: null, parentName: null }],
    });
    const now = rated(
      angry(20).map((mention, i) => ({
        ...mention,
        ...category(i < 15 ? "Cancelled" : "Late"),
        ...(i < 6 && { author: "one" }),
      })),
      16,
    );
    const before = rated(
      usual(40).map((mention, i) => ({ ...mention, ...category(i < 4 ? "Cancelled" : "Late") })),
      10,
    );
    const change = await explainChange({ slice: now, sliceBefore: before, now, before });
    expect(change.topics).toEqual([{ name: "Cancelled", now: 0.75, before: 0.1 }]);
    expect(change.negative).toEqual({ now: 0.8, before: 0.25 });
    expect(change.authors).toEqual({ count: 15, loudest: [{ name: "one", mentions: 6 }] });
    expect(change.looked).toEqual({ now: 20, before: 40 });
  });

  it("says which part repeats a text", async () => {
    const same = Array.from({ length: 30 }, () =>
      say("RT @x: the very same long text that everybody passes on"),
    );
    const change = await explainChange({ slice: same, sliceBefore: usual(20), now: same, before: [] });
    expect(change.reposts.now).toBeCloseTo(29 / 30);
    expect(change.reposts.before).toBe(0);
    expect(change.negative).toBeNull();
  });

  it("is the same in whatever order mentions come", async () => {
    const [now, before] = [[...angry(15), ...usual(5)], usual(50)];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(now, { minLength: now.length }), async (shuffled) => {
        const changeOf = (slice: readonly Mention[]) =>
          explainChange({ slice, sliceBefore: before, now: slice, before });
        expect(await changeOf(shuffled)).toEqual(await changeOf(now));
      }),
      { numRuns: 20 },
    );
  });
});

describe("how big", () => {
  const buckets = (counts: readonly number[]): ExpectedBucket[] =>
    counts.map((count, i) => ({ at: i * BUCKET, count, expected: 2 }));

  it("began where counts left the usual, small lulls included", async () => {
    const counts = [2, 1, 2, 3, 1, 2, 9, 12, 3, 14, 20, 22];
    expect(onsetOf(buckets(counts), counts.length * BUCKET)).toBe(6 * BUCKET);
    expect(onsetOf(buckets([2, 2, 2, 1]), 4 * BUCKET)).toBeNull();
  });

  it("is the largest since the end of the newest window that held as many", async () => {
    const counts = [0, 30, 30, 0, 0, 25, 25, 0, 0, 0, 0, 26, 26];
    const before = 11 * BUCKET;
    expect(largestSince(buckets(counts), 2, 52, before)).toEqual({ since: 3 * BUCKET, knownFrom: 0 });
    expect(largestSince(buckets(counts), 2, 45, before)).toEqual({ since: 7 * BUCKET, knownFrom: 0 });
    expect(largestSince(buckets(counts), 2, 70, before)).toEqual({ since: null, knownFrom: 0 });
    expect(largestSince([], 2, 70, before)).toBeNull();
  });

  it("agrees with a plain search", async () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 60 }),
        (counts, width, observed) => {
          let expected: number | null = null;
          for (let i = 0; i + width <= counts.length; i++) {
            const sum = counts.slice(i, i + width).reduce((a, b) => a + b, 0);
            if (sum >= observed) expected = (i + width) * BUCKET;
          }
          expect(largestSince(buckets(counts), width, observed, counts.length * BUCKET)?.since).toBe(
            expected,
          );
        },
      ),
    );
  });
});

describe("the bars of a chart", () => {
  const START = Date.UTC(2026, 1, 20);
  const buckets = (number: number): ExpectedBucket[] =>
    Array.from({ length: number }, (_, i) => ({ at: START + i * 300_000, count: i % 7, expected: 3 }));
  const windows = [1, 3, 6, 12, 24, 60, 288];

  it("are as wide as the window, and one of them is the window itself", async () => {
    const all = buckets(30 * 288 + 5);
    for (const width of windows) {
      for (const after of [0, 1, 17, 100]) {
        const windowTo = START + (all.length - after) * 300_000;
        const inWindow = all.slice(all.length - after - width, all.length - after);
        const bars = windowBars(all, windowTo, width);
        const bar = bars.find(({ at }) => at === windowTo - width * 300_000);
        expect(bar?.count).toBe(inWindow.reduce((sum, { count }) => sum + count, 0));
        expect(bar?.expected).toBe(3 * width);
        expect(new Set(bars.slice(1).map(({ at }, i) => at - (bars[i]?.at ?? 0)))).toEqual(
          new Set([width * 300_000]),
        );
        expect((bars.at(-1)?.at ?? 0) + width * 300_000).toBeLessThanOrEqual(START + all.length * 300_000);
      }
    }
  });

  it("show a day, at least 24 of them, and never more than can be distinguished", async () => {
    const lengths = windows.map(
      (width) => windowBars(buckets(40 * 288), START + 40 * 86_400_000, width).length,
    );
    expect(lengths).toEqual([144, 96, 48, 24, 24, 24, 24]);
    expect(windowBars(buckets(10), START + 3_000_000, 6)).toHaveLength(1);
    expect(windowBars([], START, 6)).toEqual([]);
  });
});
