import type { Sentiment } from "../../src/feeds/enrich/sentiment/model-file.ts";
import { groupBy } from "../../src/lib/group-by.ts";
import type { LabelledText } from "./corpora.ts";
import { randomFrom } from "./random.ts";

/** How long texts are made: of each part, how probable it is that it says the opposite, or nothing. */
const OPPOSITE = 0.2;
const NEUTRAL = 0.25;
const FEWEST_PARTS = 3;
const MOST_PARTS = 10;

/**
 * So many texts of each language, each made of several short ones, most of which agree. Posts are short and articles and
 * reviews are not: without these, a model of posts calls most long texts positive or neutral.
 */
export function makeLongTexts(
  texts: readonly LabelledText[],
  each: number,
  seed: number,
): readonly LabelledText[] {
  const random = randomFrom(seed);
  const pools = groupBy(texts, ({ language, sentiment }) => `${language} ${sentiment}`);
  const languages = [...new Set(texts.map(({ language }) => language))];
  return languages.flatMap((language) =>
    Array.from({ length: each }, (_, index): LabelledText => {
      const [sentiment, opposite]: readonly [Sentiment, Sentiment] =
        index % 2 === 0 ? ["negative", "positive"] : ["positive", "negative"];
      const parts = FEWEST_PARTS + Math.floor(random() * (MOST_PARTS - FEWEST_PARTS + 1));
      const chosen = Array.from({ length: parts }, () => {
        const chance = random();
        const which = chance < OPPOSITE ? opposite : chance < OPPOSITE + NEUTRAL ? "neutral" : sentiment;
        const pool = pools.get(`${language} ${which}`) ?? pools.get(`${language} ${sentiment}`) ?? [];
        return pool[Math.floor(random() * pool.length)]?.text ?? "";
      });
      return { language, sentiment, text: chosen.join(" ") };
    }),
  );
}
