import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sentiment } from "../../src/feeds/enrich/sentiment/model-file.ts";

/** The labelled tweets. They may not be part of the project; they lie beside it, or the benchmark does without. */
export const SHARED = join(import.meta.dirname, "../../../shared/data/airline-tweets.jsonl");

export interface LabelledText {
  readonly language: string;
  readonly sentiment: Sentiment;
  readonly text: string;
}

const SIGNS: Readonly<Record<string, Sentiment>> = { "+": "positive", "-": "negative", "=": "neutral" };

/** `## de` begins a language, `- text` is a negative text in it. */
export function readShortTexts(file: string): readonly LabelledText[] {
  let language = "";
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("## ")) language = line.slice(3);
      const sentiment = line.charAt(1) === " " ? SIGNS[line.charAt(0)] : undefined;
      return sentiment === undefined ? [] : [{ language, sentiment, text: line.slice(2) }];
    });
}

/** At most so many, evenly spread over the eight days; null without the file. */
export function readTweets(most: number): readonly LabelledText[] | null {
  if (!existsSync(SHARED)) return null;
  const all = readFileSync(SHARED, "utf8").trim().split("\n");
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, index) => {
    const { text, sentiment } = JSON.parse(all[Math.floor(index * step)] ?? "") as LabelledText;
    return { language: "en", sentiment, text };
  });
}
