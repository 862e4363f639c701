import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { createEnricher } from "../../src/feeds/enrich/enrich.ts";
import { EnrichConfig } from "../../src/feeds/enrich/enrich-config.ts";
import type { Sentiment } from "../../src/feeds/enrich/sentiment/model-file.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { readTsv } from "../sentiment/corpora.ts";
import { type LabelledAnswer, type Quality, qualityOf } from "../sentiment/quality.ts";
import { type LabelledText, readShortTexts, readTweets, SHARED } from "./labelled-texts.ts";

// How well sentiment is told, by what a feed calls for its mentions, language and all. A text without a sentiment counts
// as neutral. `--tsv FILE… [--json]`: on files of label, tab, text that are called LANGUAGE-PART.tsv.
// Without: on the tweets of ../shared/data (all English), on short texts in several languages and reviews in four,
// written for this project, beside other libraries. Those were not chosen and are no dependencies:
// `npm install --no-save wink-sentiment vader-sentiment @nlpjs/sentiment @nlpjs/lang-en @nlpjs/lang-de @nlpjs/lang-fr
// @nlpjs/lang-es @nlpjs/lang-it @nlpjs/lang-nl @nlpjs/lang-pt`.

const { values, positionals } = parseArgs({
  options: { tsv: { type: "boolean" }, json: { type: "boolean" } },
  allowPositionals: true,
});

type Judge = (text: string, language: string) => Sentiment | Promise<Sentiment>;
/** Names in variables: what is installed by hand is no dependency of the project. */
const installed: (name: string) => unknown = createRequire(import.meta.url);

const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt"] as const;
const REVIEW_LANGUAGES = ["en", "de", "fr", "nl"] as const;

const CANDIDATES: Readonly<Record<string, () => Promise<Judge>>> = {
  "always negative (majority)": async () => () => "negative",
  "Earshot's model": ours,
  "wink-sentiment": async () => {
    const judge = installed("wink-sentiment") as (text: string) => { score: number };
    return (text) => bySign(judge(text).score, 0);
  },
  "vader-sentiment": async () => {
    const { SentimentIntensityAnalyzer } = installed("vader-sentiment") as {
      SentimentIntensityAnalyzer: { polarity_scores(text: string): { compound: number } };
    };
    // The margin is the one that its documentation gives.
    return (text) => bySign(SentimentIntensityAnalyzer.polarity_scores(text).compound, 0.05);
  },
  "@nlpjs/sentiment": nlpjs,
};

/** The language is detected, as in a feed, and not given. */
async function ours(): Promise<Judge> {
  const { ofText } = await createEnricher(EnrichConfig.parse({}));
  return (text) => ofText(text).sentiment ?? "neutral";
}

async function nlpjs(): Promise<Judge> {
  const { SentimentAnalyzer } = installed("@nlpjs/sentiment") as {
    SentimentAnalyzer: new (
      settings: object,
    ) => {
      process(of: object): Promise<{ sentiment: { vote: Sentiment } }>;
    };
  };
  const { containerBootstrap } = installed("@nlpjs/core") as {
    containerBootstrap(): Promise<{ use(plugin: unknown): void }>;
  };
  const container = await containerBootstrap();
  for (const language of LANGUAGES) {
    const parts = Object.entries(installed(`@nlpjs/lang-${language}`) as object);
    container.use(parts.find(([name]) => /^Lang..$/.test(name))?.[1]);
  }
  const analyzer = new SentimentAnalyzer({ container });
  return async (text, language) => (await analyzer.process({ locale: language, text })).sentiment.vote;
}

function bySign(score: number, margin: number): Sentiment {
  if (score > margin) return "positive";
  return score < -margin ? "negative" : "neutral";
}

interface Measurement extends Quality {
  readonly usEach: number;
}

async function measure(judge: Judge, texts: readonly LabelledText[]): Promise<Measurement> {
  const begin = monotonicMs();
  const answers: LabelledAnswer[] = [];
  for (const { text, language, sentiment } of texts)
    answers.push({ is: sentiment, said: await judge(text, language) });
  const usEach = (1_000 * (monotonicMs() - begin)) / texts.length;
  return { ...qualityOf(answers), usEach };
}

if (values.tsv === true) await judgeFiles(positionals);
else await compare();

async function judgeFiles(files: readonly string[]): Promise<void> {
  const judge = await ours();
  const rows: (Quality & { readonly file: string; readonly language: string; readonly texts: number })[] = [];
  for (const file of files) {
    const language = basename(file).replace(/-.*$/, "");
    const texts = readTsv(file, language);
    const { usEach: _, ...quality } = await measure(judge, texts);
    rows.push({ file, language, texts: texts.length, ...quality });
  }
  if (values.json === true) return console.log(JSON.stringify(rows, null, 2));
  console.log("| language | texts | accuracy | macro-F1 | negatives found | negatives called positive |");
  console.log("|---|--:|--:|--:|--:|--:|");
  for (const { language, texts, ...row } of rows) console.log(`| ${language} | ${texts} | ${cells(row)} |`);
  const mean = (of: keyof Quality) => rows.reduce((sum, row) => sum + (row[of] ?? 0), 0) / rows.length;
  const whole = {
    accuracy: mean("accuracy"),
    macroF1: mean("macroF1"),
    negativesFound: mean("negativesFound"),
    negativeCalledPositive: mean("negativeCalledPositive"),
  };
  console.log(`| mean | | ${cells(whole)} |`);
}

function cells({ accuracy, macroF1, negativesFound, negativeCalledPositive }: Quality): string {
  return [
    percent(accuracy),
    macroF1.toFixed(1),
    percent(negativesFound),
    percent(negativeCalledPositive),
  ].join(" | ");
}

async function compare(): Promise<void> {
  const fixtures = join(import.meta.dirname, "../fixtures/enrich");
  const tweets = readTweets(10_000) ?? [];
  const short = readShortTexts(join(fixtures, "short-texts.txt"));
  const reviews = readShortTexts(join(fixtures, "reviews.txt"));
  if (tweets.length === 0) console.log(`No tweets: ${SHARED} is absent.\n`);
  console.log(`${tweets.length} tweets; short texts and reviews: accuracy / negatives called positive\n`);
  const heads = [
    ...LANGUAGES.map((one) => `short ${one}`),
    ...REVIEW_LANGUAGES.map((one) => `reviews ${one}`),
  ];
  console.log(
    `| | tweets: accuracy | macro-F1 | negatives found | negatives called positive | µs a text | ${heads.join(" | ")} |`,
  );
  console.log(`|---|--:|--:|--:|--:|--:|${heads.map(() => "--:|").join("")}`);
  for (const [name, load] of Object.entries(CANDIDATES)) {
    const judge = await load().catch(() => null);
    if (judge === null) {
      console.log(`| ${name} | not installed |`);
      continue;
    }
    const onTweets = tweets.length === 0 ? null : await measure(judge, tweets);
    const sets = [
      ...LANGUAGES.map((language) => short.filter((text) => text.language === language)),
      ...REVIEW_LANGUAGES.map((language) => reviews.filter((text) => text.language === language)),
    ];
    const others: string[] = [];
    for (const texts of sets) {
      const { accuracy, negativeCalledPositive } = await measure(judge, texts);
      others.push(`${percent(accuracy)} / ${percent(negativeCalledPositive)}`);
    }
    const left = onTweets === null ? " | | | | " : `${cells(onTweets)} | ${onTweets.usEach.toFixed(0)}`;
    console.log(`| ${name} | ${left} | ${others.join(" | ")} |`);
  }
}

function percent(part: number | null): string {
  return part === null ? "–" : `${(100 * part).toFixed(1)} %`;
}
