import type { FeedEnricher } from "../../src/feeds/run/store-items.ts";
import type { Enrich } from "../../src/feeds/run/to-arrived.ts";

/** Knows nothing: rules on sentiment and language do not match then. */
export const noEnrichment: Enrich = (_text, language) => ({ language, sentiment: null, classifications: [] });

/** Texts show nothing by themselves, and nothing waits for an endpoint. */
export const noEnricher: FeedEnricher = { ofText: noEnrichment, queue: async () => {} };
