// The door: what other rooms use of feeds, a line for each file. Code stands behind it.

export { canonicalUrl } from "./common/canonical-url.ts";
export type { ProposedBrand } from "./common/define-feed.ts";
export { feedStatus, gapText } from "./common/feed-status.ts";
export { checkListen, type FeedConfig, ListenConfig } from "./common/listen-config.ts";
export { type PlannedFeed, planFeeds } from "./common/plan-feeds.ts";
export type { PushEndpoint } from "./common/push-endpoint.ts";
export type { FeedEnricher } from "./common/store-items.ts";
export { type FeedTry, tryFeed } from "./common/try-feed.ts";
export { userAgent } from "./common/user-agent.ts";
export type { HubEndpoint } from "./common/web-sub.ts";
export { createEnricher, type Enricher, type MeantQuery } from "./enrich/enrich.ts";
export { EnrichConfig } from "./enrich/enrich-config.ts";
export { describeLearned, type LearnedRow, learns, nameLearned, readLearned } from "./enrich/read-learned.ts";
export { createEnrichment } from "./enrich/run-enrichment.ts";
export type { Judged } from "./enrich/start-enrichment.ts";
export type { FeedView, ShownFeed, ShownTry } from "./feed-view.ts";
export { isStream, kindOf, kinds } from "./kinds.ts";
export {
  loadEnrich,
  loadEnrichment,
  loadFeedView,
  loadReadFeeds,
  loadStartListening,
  openSummarizer,
} from "./on-demand.ts";
export { brandQuery } from "./setup/brand-query.ts";
export { aboutOf, groupSenses, type Sense, type Senses } from "./setup/group-senses.ts";
