import type { MentionRecord } from "../local-api/records/mention-record.ts";
import type { MentionKey } from "../local-api/store/current-mentions.ts";
import type { Database } from "../local-api/store/database.ts";
import { queueEnrichment, readAbouts } from "../local-api/store/enrichment.ts";
import type { MentionVersion } from "../local-api/store/mention-version.ts";
import { type DetectLanguage, loadLanguageDetector } from "./detect-language.ts";
import type { EnrichConfig } from "./enrich-config.ts";
import { judgeable, LEXICON, textForAnalyser, withSentiment } from "./judgement.ts";
import { type Lexicon, loadLexicon, type Sentiment } from "./lexicon.ts";

/** What a feed calls for the mentions that it brings. Nothing here waits for a server. */
export interface Enricher {
  /**
   * The mention with what its text shows at once: its language, and its sentiment if the lexicon tells it. What the
   * source said itself stays. Call it before the queries are matched, because queries have languages.
   */
  enrich(version: MentionVersion): MentionVersion;
  /** The same for a text that is no mention yet. `language`: what the source says. */
  ofText(text: string, language?: string | null): TextFacts;
  /**
   * Notes which mentions wait for an endpoint. Call it in the transaction that stores them, also when a text has
   * changed; `runEnrichment` does the rest.
   */
  queue(transaction: Database, versions: readonly MentionVersion[]): Promise<void>;
}

/** What a text shows by itself: fields of a mention, and of a line of an import. */
export interface TextFacts {
  readonly language: string | null;
  readonly sentiment: Sentiment | null;
  /** Who said the sentiment. */
  readonly classifications: MentionRecord["classifications"];
}

/** Loads what the configuration needs; about a second. */
export async function createEnricher(config: EnrichConfig): Promise<Enricher> {
  const detect: DetectLanguage = config.language ? await loadLanguageDetector() : () => null;
  const lexicon: Lexicon = config.sentiment === "lexicon" ? await loadLexicon() : () => null;
  function ofText(text: string, given: string | null = null): TextFacts {
    const language = given ?? detect(text);
    const sentiment = text === "" ? null : lexicon(text, language);
    const { classifications } = sentiment === null ? NONE : withSentiment(NONE, sentiment, LEXICON);
    return { language, sentiment, classifications };
  }
  return {
    ofText,
    enrich(version) {
      const { record, fullText } = version;
      const text = textForAnalyser({ fields: record, fullText });
      const { language, sentiment } = ofText(text, record.language);
      const fields = sentiment !== null && judgeable(record) ? withSentiment(record, sentiment, LEXICON) : {};
      return { ...version, record: { ...record, language, ...fields } };
    },
    async queue(transaction, versions) {
      const withText = versions.filter(
        ({ record, fullText }) => textForAnalyser({ fields: record, fullText }) !== "",
      );
      if (typeof config.sentiment === "object")
        await queueEnrichment(
          transaction,
          "sentiment",
          withText.filter(({ record }) => judgeable(record)).map(keyOf),
        );
      if (config.relevance === undefined) return;
      const abouts = await readAbouts(
        transaction,
        withText.map(({ record }) => record.queryId),
      );
      const meant = withText.filter(({ record }) => abouts.has(record.queryId));
      await queueEnrichment(transaction, "relevance", meant.map(keyOf));
    },
  };
}

const NONE = { sentiment: null, classifications: [] };

function keyOf({ record: { queryId, resourceId } }: MentionVersion): MentionKey {
  return { queryId, resourceId };
}
