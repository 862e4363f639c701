import type { FeedEnricher } from "../../src/feeds/run/store-items.ts";
import { noEnrichment } from "../../src/feeds/run/to-arrived.ts";

/** Texts show nothing by themselves, and nothing waits for an endpoint. */
export const noEnricher: FeedEnricher = { ofText: noEnrichment, queue: async () => {} };
