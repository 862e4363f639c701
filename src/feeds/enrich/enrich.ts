import {
  type Database,
  judgeable,
  LOCAL,
  type MentionKey,
  type MentionVersion,
  putAbout,
  queueEnrichment,
  queueUnjudged,
  readAbouts,
  sentimentConfidence,
  type TextFacts,
  textForAnalyser,
  withSentiment,
} from "#listening-api";
import { decideLanguage } from "./decide-language.ts";
import { type LanguageDetector, loadLanguageDetector } from "./detect-language.ts";
import type { EnrichConfig } from "./enrich-config.ts";
import type { JudgeSentiment } from "./sentiment/judge.ts";
import { loadSentiment } from "./sentiment/load-sentiment.ts";

/** What a feed calls for the mentions that it brings. Nothing here waits for a server. */
export interface Enricher {
  /**
   * What a text shows at once: its language, and its sentiment if the model of this machine judges it. Call it before
   * the queries are matched, because queries have languages.
   */
  ofText(text: string, language?: string | null): TextFacts;
  /**
   * Notes which mentions wait for an endpoint. Call it in the transaction that stores them, also when a text has
   * changed; `runEnrichment` does the rest.
   */
  queue(transaction: Database, versions: readonly MentionVersion[]): Promise<void>;
}

/** Loads what the configuration needs; about a second. */
export async function createEnricher(config: EnrichConfig): Promise<Enricher> {
  const detector: LanguageDetector = config.language ? await loadLanguageDetector() : KNOWS_NONE;
  const judge: JudgeSentiment = isJudgedHere(config) ? await loadSentiment() : () => null;
  function ofText(text: string, given: string | null = null): TextFacts {
    const language = decideLanguage(text, given, detector);
    // Words of another language are mostly unknown: a wrong guess does little harm here.
    const judgement = text === "" ? null : judge(text, language ?? detector.detect(text, "guess"));
    if (judgement === null) return { language, ...NONE };
    const { sentiment, confidence } = judgement;
    const { classifications } = withSentiment(NONE, sentiment, LOCAL, confidence);
    return { language, sentiment, classifications };
  }
  const { sentiment: endpoint } = config;
  return {
    ofText,
    async queue(transaction, versions) {
      const withText = versions.filter(
        ({ record, fullText }) => textForAnalyser({ fields: record, fullText }) !== "",
      );
      if (typeof endpoint === "object")
        await queueEnrichment(
          transaction,
          "sentiment",
          withText.filter(({ record }) => isAskedAbout(record, endpoint)).map(keyOf),
        );
      if (endpoint === "learned") await queueEnrichment(transaction, "sentiment", withText.map(keyOf));
      if (config.categories === "learned")
        await queueEnrichment(transaction, "category", withText.map(keyOf));
      if (config.relevance === undefined) return;
      if (config.relevance === "learned")
        return queueEnrichment(transaction, "relevance", withText.map(keyOf));
      const abouts = await readAbouts(
        transaction,
        withText.map(({ record }) => record.queryId),
      );
      const meant = withText.filter(({ record }) => abouts.has(record.queryId));
      await queueEnrichment(transaction, "relevance", meant.map(keyOf));
    },
  };
}

const KNOWS_NONE: LanguageDetector = { detect: () => null, knows: () => false };

function isJudgedHere({ sentiment }: EnrichConfig): boolean {
  return typeof sentiment === "object" ? sentiment.ask === "unsure" : sentiment !== "off";
}

/** Less sure than this, the model of this machine is wrong in about every second text: docs/enrich.md. */
const SURE = 0.6;

function isAskedAbout(
  record: MentionVersion["record"],
  { ask }: { readonly ask: "all" | "unsure" },
): boolean {
  return judgeable(record) && (ask === "all" || (sentimentConfidence(record) ?? 0) < SURE);
}

/** A query with what it means. */
export interface MeantQuery {
  readonly id: number;
  /** What it means in plain words; null: its text says it all. */
  readonly about: string | null;
}

/** The newest mentions that are judged later. A query may look back over years, and a call may cost money. */
const LATER = { most: 1_000, days: 7 };

/**
 * Stores what queries mean, and queues their mentions of late that nobody was asked about: what a new query found in the
 * past, all of a query that means something else now. Doing it again changes nothing.
 */
export async function prepareQueries(
  db: Database,
  config: EnrichConfig,
  queries: readonly MeantQuery[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const changed = new Set<number>();
    for (const { id, about } of queries) if (await putAbout(transaction, id, about)) changed.add(id);
    const ids = queries.map(({ id }) => id);
    if (typeof config.sentiment === "object")
      await queueUnjudged(transaction, "sentiment", ids, { ...LATER, again: false });
    if (typeof config.relevance !== "object") return;
    const meant = queries.flatMap(({ id, about }) => (about === null ? [] : [id]));
    for (const again of [true, false]) {
      const which = meant.filter((id) => changed.has(id) === again);
      await queueUnjudged(transaction, "relevance", which, { ...LATER, again });
    }
  });
}

const NONE = { sentiment: null, classifications: [] };

function keyOf({ record: { queryId, resourceId } }: MentionVersion): MentionKey {
  return { queryId, resourceId };
}
