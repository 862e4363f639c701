import type { MentionKey } from "../local-api/store/current-mentions.ts";
import type { Database } from "../local-api/store/database.ts";
import { queueEnrichment, readAbouts } from "../local-api/store/enrichment.ts";
import type { MentionVersion } from "../local-api/store/mention-version.ts";
import { type DetectLanguage, loadLanguageDetector } from "./detect-language.ts";
import type { EnrichConfig } from "./enrich-config.ts";
import { judgeable, LEXICON, textForAnalyser, withSentiment } from "./judgement.ts";
import { type Lexicon, loadLexicon } from "./lexicon.ts";

/** What a feed calls for the mentions that it brings. Nothing here waits for a server. */
export interface Enricher {
  /**
   * The mention with what its text shows at once: its language, and its sentiment if the lexicon tells it. What the
   * source said itself stays. Call it before the queries are matched, because queries have languages.
   */
  enrich(version: MentionVersion): MentionVersion;
  /**
   * Notes which mentions wait for an endpoint. Call it in the transaction that stores them, also when a text has
   * changed; `runEnrichment` does the rest.
   */
  queue(transaction: Database, versions: readonly MentionVersion[]): Promise<void>;
}

/** Loads what the configuration needs; about a second. */
export async function createEnricher(config: EnrichConfig): Promise<Enricher> {
  const detect: DetectLanguage = config.language ? await loadLanguageDetector() : () => null;
  const lexicon: Lexicon = config.sentiment === "lexicon" ? await loadLexicon() : () => null;
  return {
    enrich(version) {
      const { record } = version;
      const text = textForAnalyser({ fields: record, fullText: version.fullText });
      const language = record.language ?? detect(text);
      const withLanguage =
        language === record.language ? version : { ...version, record: { ...record, language } };
      if (text === "" || !judgeable(record)) return withLanguage;
      const sentiment = lexicon(text, language);
      if (sentiment === null) return withLanguage;
      const fields = withSentiment(withLanguage.record, sentiment, LEXICON);
      return { ...withLanguage, record: { ...withLanguage.record, ...fields } };
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

function keyOf({ record: { queryId, resourceId } }: MentionVersion): MentionKey {
  return { queryId, resourceId };
}
