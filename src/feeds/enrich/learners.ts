import { type Database, type EnrichmentKind, readAnalysedSentiments, textForAnalyser } from "#listening-api";
import type { Instant } from "../../lib/instant.ts";
import { type JudgedText, learnRelevance } from "./learned-relevance.ts";
import { type JudgedSentiment, learnSentiment } from "./learned-sentiment.ts";
import {
  type AnswerBy,
  type Question,
  relevanceChanges,
  sentimentChanges,
  type Waiting,
} from "./run-round.ts";
import { loadSentiment } from "./sentiment/load-sentiment.ts";
import { SENTIMENTS, type Sentiment } from "./sentiment/model-file.ts";

/** What was learnt for a query, in numbers. */
export interface LearnedFigures {
  readonly outcome: "TooFew" | "NotBetter" | "Better";
  /** Texts that people judged. */
  readonly judged: number;
  /** From 0 to 1, of texts that were not learnt from; null: too few were judged for a test. */
  readonly precision: number | null;
  readonly recall: number | null;
  /** The precision without it; null: see above. */
  readonly without: number | null;
}

export interface LearnedQuery {
  readonly figures: LearnedFigures;
  /** What it says of a mention; null: nothing. */
  readonly answerOf: (waiting: Waiting) => AnswerBy | null;
}

interface Query {
  readonly id: number;
  readonly name: string;
}

/** Learns one thing from what people said of the mentions of a query. */
export interface Learner {
  readonly kind: EnrichmentKind;
  /** Nothing that it reads is kept: a text that is deleted or forgotten teaches nothing the next time. */
  learn(db: Database, query: Query, now: Instant): Promise<LearnedQuery>;
  readonly changes: Question["changes"];
}

/** At most so many texts of a query that people judged, the newest first. Read anew: a deleted one teaches nothing. */
export type ReadJudged = (query: Query, most: number) => Promise<readonly JudgedText[]>;

const MOST_JUDGED = 120;
/** Who says what was learnt. */
const PEOPLE = "people";

/** Relevance, from what people did with alerts. */
export function relevanceLearner(judgedOf: ReadJudged): Learner {
  return {
    kind: "relevance",
    changes: relevanceChanges,
    async learn(_db, query) {
      const learned = await learnRelevance(await judgedOf(query, MOST_JUDGED));
      if (learned.outcome === "TooFew") return nothing("TooFew", learned.relevant + learned.others);
      const { outcome, judged, precision, recall, without } = learned;
      const figures = { outcome, judged, precision, recall, without };
      const scoreOf = outcome === "Better" ? learned.scoreOf : null;
      return {
        figures,
        answerOf: ({ text }) => (scoreOf === null ? null : { answer: scoreOf(text), by: PEOPLE }),
      };
    },
  };
}

/** Sentiment, from the sentiments of mentions that people corrected. */
export function sentimentLearner(): Learner {
  return {
    kind: "sentiment",
    changes: sentimentChanges,
    async learn(db, { id }, now) {
      const judge = await loadSentiment();
      const before = (text: string, language: unknown): Sentiment | null =>
        judge(text, typeof language === "string" ? language : null)?.sentiment ?? null;
      const analysed = await readAnalysedSentiments(db, id, MOST_JUDGED, now);
      const judged = analysed.flatMap(({ mention, isCorrected }): JudgedSentiment[] => {
        const text = textForAnalyser(mention);
        const known = SENTIMENTS.find((one) => one === mention.fields["sentiment"]);
        const own = before(text, mention.fields["language"]);
        // An older model said something else of it: nobody has seen what this one says.
        if (known === undefined || own === null || (!isCorrected && own !== known)) return [];
        return [{ text, sentiment: known, before: own, isCorrected }];
      });
      const learned = await learnSentiment(judged);
      if (learned.outcome === "TooFew") return nothing("TooFew", learned.judged);
      const { outcome, precision, recall } = learned;
      const figures = { outcome, judged: learned.judged, precision, recall, without: 0 };
      const change = outcome === "Better" ? learned.change : null;
      return {
        figures,
        answerOf: ({ text, mention }) => {
          const own = before(text, mention.fields["language"]);
          const found = own === null ? null : (change?.(text, own) ?? null);
          if (found === null) return null;
          return {
            answer: found.sentiment,
            by: PEOPLE,
            confidence: rounded(precision),
            reason: found.reason,
          };
        },
      };
    },
  };
}

function nothing(outcome: "TooFew", judged: number): LearnedQuery {
  return {
    figures: { outcome, judged, precision: null, recall: null, without: null },
    answerOf: () => null,
  };
}

function rounded(part: number): number {
  return Math.round(100 * part) / 100;
}
