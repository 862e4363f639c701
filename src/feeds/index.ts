// The door: what other rooms use of feeds, a line for each file. Code stands behind it.

export { canonicalUrl } from "./common/canonical-url.ts";
export type { ProposedBrand } from "./common/define-feed.ts";
export { createEnricher, type Enricher } from "./enrich/enrich.ts";
export { EnrichConfig } from "./enrich/enrich-config.ts";
export { describeLearned, learns, nameLearned, readLearned } from "./enrich/read-learned.ts";
export { createEnrichment } from "./enrich/run-enrichment.ts";
export type { ReadJudgedMentions } from "./enrich/start-enrichment.ts";
export { kindOf, kinds } from "./kinds/all-kinds.ts";
export { feedStatus, gapText } from "./run/feed-status.ts";
export type { FeedView, ShownFeed, ShownTry } from "./run/feed-view.ts";
export { checkListen, type FeedConfig, ListenConfig } from "./run/listen-config.ts";
export {
  loadEnrich,
  loadEnrichment,
  loadFeedView,
  loadReadFeeds,
  loadStartListening,
  openSummarizer,
} from "./run/on-demand.ts";
export { planFeeds } from "./run/plan-feeds.ts";
export type { PushEndpoint } from "./run/push-endpoint.ts";
export { type FeedTry, tryFeed } from "./run/try-feed.ts";
export { userAgent } from "./run/user-agent.ts";
export type { HubEndpoint } from "./run/web-sub.ts";
export { brandQuery } from "./setup/brand-query.ts";
export { aboutOf, groupSenses, type Sense, type Senses } from "./setup/group-senses.ts";
export { type FeedRow, listFeeds } from "./store/feeds.ts";
export { migrateFeeds } from "./store/migrate-feeds.ts";
