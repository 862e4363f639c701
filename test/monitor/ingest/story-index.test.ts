import fc from "fast-check";
import { expect, test } from "vitest";
import { createStoryIndex, MOST_TEXTS } from "../../../src/monitor/ingest/story-index.ts";
import { agreement, BINS, packSketch, sketchOf, WORDS } from "../../../src/monitor/model/sketch.ts";
import { storyOf } from "../../../src/monitor/model/story.ts";
import { aMention } from "../../mention.ts";
import { runs } from "../../runs.ts";

const storyIn = (text: string, resourceId = text) => storyOf(aMention({ text, resourceId }));
const NEWS =
  "Northwind Airlines will cancel two hundred flights this weekend because of a shortage of pilots, the carrier said on Friday.";

test.each([
  ["its link and hashtags", `${NEWS} https://t.example/other #northwind #fail`],
  ["a word", NEWS.replace("shortage", "lack")],
  ["some words", NEWS.replace("this weekend", "on Saturday").replace("Friday", "Thursday")],
  ["a number and its end", NEWS.replace("two hundred", "200").replace(" on Friday.", ", reports Reuters")],
  ["a word before it", `BREAKING: ${NEWS}`],
])("a text that changes %s belongs to the same story", (_what, changed) => {
  const index = createStoryIndex();
  const first = index.find(storyIn(NEWS));
  expect(index.find(storyIn(changed))).toBe(first);
  // Its exact copies are known by their key from then on.
  expect(index.find(storyIn(changed, "a copy"))).toBe(first);
});

test.each([
  [
    "about something else",
    "Northwind Airlines has opened a new lounge in Denver with showers, a bar and a view of the runway, and it is lovely.",
  ],
  [
    "that begins alike",
    "Northwind Airlines will cancel my trust for good if nobody picks up the phone today, I have been waiting for three hours now.",
  ],
  ["too short to be compared", "Northwind Airlines will cancel flights"],
])("a text %s is a story of its own", (_what, other) => {
  const index = createStoryIndex();
  expect(index.find(storyIn(other))).not.toBe(index.find(storyIn(NEWS)));
});

test("a query in another script folds near-identical texts, too", () => {
  const index = createStoryIndex();
  const text =
    "ノースウィンド航空は操縦士の不足を理由に今週末の二百便を欠航にすると金曜日に発表し、乗客に払い戻しを約束した";
  expect(index.find(storyIn(text.replace("金曜日", "木曜日")))).toBe(index.find(storyIn(text)));
});

const word = fc.constantFrom(
  ..."late bag lost crew gate plane seat food wifi delay phone help angry happy never again flight agent desk queue hour night morning staff kind rude fast slow".split(
    " ",
  ),
);
const texts = fc.array(
  fc.array(word, { minLength: 6, maxLength: 24 }).map((words) => words.join(" ")),
  {
    minLength: 1,
    maxLength: 60,
  },
);

test("the same order gives the same stories, in one go or page by page through the tables", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 12 }), (all, pageSize) => {
      const atOnce = createStoryIndex();
      const expected = all.map((text) => atOnce.find(storyIn(text)));
      const learned = [];
      const inPages: string[] = [];
      for (let i = 0; i < all.length; i += pageSize) {
        const index = createStoryIndex();
        index.learn(learned);
        inPages.push(...all.slice(i, i + pageSize).map((text) => index.find(storyIn(text))));
        learned.push(...index.news());
      }
      expect(inPages).toEqual(expected);
    }),
    { numRuns: runs(60) },
  );
});

test("a text that is read again belongs to the same story", () => {
  fc.assert(
    fc.property(texts, (all) => {
      const index = createStoryIndex();
      const first = all.map((text) => index.find(storyIn(text)));
      expect(all.map((text) => index.find(storyIn(text)))).toEqual(first);
    }),
    { numRuns: runs(60) },
  );
});

/** The bins that are equal, counted one by one. */
function equalBins(a: Uint8Array, b: Uint8Array): number {
  return a.filter((bin, at) => bin === b[at]).length;
}

test("packed sketches agree in as many bins as their bytes do", () => {
  const bins = fc.uint8Array({ minLength: BINS, maxLength: BINS });
  fc.assert(
    fc.property(bins, bins, fc.array(fc.nat(BINS - 1)), (a, b, copied) => {
      for (const at of copied) b[at] = a[at] ?? 0;
      const packed = new Int32Array(3 * WORDS);
      packSketch(a, packed, 0);
      packSketch(b, packed, 2);
      expect(agreement(packed, 0, packed, 2)).toBe(equalBins(a, b));
    }),
    { numRuns: runs(300) },
  );
});

/** The index in the plainest way: a list of texts, and all bands of all of them. */
function plainIndex(most: number) {
  let texts: { key: string; story: string; sketch: Uint8Array | null }[] = [];
  const first = new Map<string, (typeof texts)[number]>();
  const bandsOf = (sketch: Uint8Array | null) =>
    sketch === null
      ? []
      : Array.from({ length: 8 }, (_, band) => `${band} ${sketch.slice(3 * band, 3 * band + 3)}`);
  return ({ key, sketch }: { key: string; sketch: Uint8Array | null }): string => {
    const known = texts.findLast((one) => one.key === key);
    if (known !== undefined) return known.story;
    if (sketch === null) return key;
    const candidates = bandsOf(sketch).flatMap((band) => first.get(band) ?? []);
    const alike = candidates.filter((one) => equalBins(one.sketch ?? sketch, sketch) >= 18);
    const [near] = alike.toSorted(
      (a, b) => equalBins(b.sketch ?? sketch, sketch) - equalBins(a.sketch ?? sketch, sketch),
    );
    const learned = { key, story: near?.story ?? key, sketch: near === undefined ? sketch : null };
    const isFree = bandsOf(learned.sketch).filter((band) => !first.has(band));
    texts.push(learned);
    const [oldest] = texts;
    if (texts.length > most && oldest !== undefined) {
      texts = texts.slice(1);
      for (const band of bandsOf(oldest.sketch)) if (first.get(band) === oldest) first.delete(band);
    }
    for (const band of isFree) first.set(band, learned);
    return learned.story;
  };
}

test("it finds what the plainest index finds, however many texts it holds", () => {
  const bins = fc.uint8Array({ minLength: BINS, maxLength: BINS, max: 2 });
  const text = fc.record({ key: fc.integer({ max: 400 }).map(String), sketch: fc.option(bins) });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (all, most) => {
      const index = createStoryIndex(most);
      expect(all.map(index.find)).toEqual(all.map(plainIndex(most)));
    }),
    { numRuns: runs(200) },
  );
});

test("the sketches of two texts agree about as much as the texts do", () => {
  const grams = (text: string) =>
    new Set(Array.from({ length: text.length - 4 }, (_, i) => text.slice(i, i + 5)));
  let error = 0;
  let pairs = 0;
  fc.assert(
    fc.property(
      fc.string({ minLength: 80, maxLength: 120 }),
      fc.integer({ min: 0, max: 79 }),
      fc.string({ minLength: 1, maxLength: 30 }),
      (text, at, other) => {
        const changed = text.slice(0, at) + other + text.slice(at + other.length);
        const [a, b] = [grams(text), grams(changed)];
        const common = [...a].filter((gram) => b.has(gram)).length;
        error += equalBins(sketchOf(text), sketchOf(changed)) / BINS - common / (a.size + b.size - common);
        pairs += 1;
      },
    ),
    { numRuns: runs(300), seed: 1 },
  );
  expect(Math.abs(error / pairs)).toBeLessThan(0.02);
});

test("it forgets the oldest texts, and grows no further", () => {
  const index = createStoryIndex();
  const first = index.find(storyIn(NEWS));
  for (let i = 0; i < MOST_TEXTS; i++)
    index.find({ key: `key ${i}`, sketch: sketchOf(`${i} ${i * 7919} ${"x".repeat(i % 40)} ${i ** 2}`) });
  index.news();
  const changed = storyIn(NEWS.replace("shortage", "lack"));
  expect(index.find(changed)).not.toBe(first);
});
