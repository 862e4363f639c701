import type { EnrichConfig } from "../enrich/enrich-config.ts";
import type { SummarizerParts } from "../enrich/summarize.ts";

/** What a process that only polls an account does not read: it would cost it half of its start. */

/** Reads the feeds of a configuration. The kinds bring their parsers along. */
export const loadReadFeeds = () => import("./read-feeds.ts");
/** Opens the Listening API of the feeds, and fetches them. */
export const loadStartListening = () => import("./start-listening.ts");
/** Finds language and sentiment by lists of words. */
export const loadEnrich = () => import("../enrich/enrich.ts");
/** Asks the endpoints about mentions that wait. */
export const loadEnrichment = () => import("../enrich/start-enrichment.ts");
/** Asks the chat API what an incident is about; null where none is configured. */
export async function openSummarizer(chat: EnrichConfig["chat"], ...parts: SummarizerParts) {
  return chat === undefined
    ? null
    : (await import("../enrich/summarize.ts")).createSummarizer(chat, ...parts);
}
/** Shows the feeds, and tries them. */
export const loadFeedView = () => import("./feed-view.ts");
