import type { InsightKind } from "./insight-kinds.ts";
import type { InsightOrder } from "./insights-request.ts";

export interface InsightCount {
  readonly name: string;
  readonly volume: number;
  readonly tweets: number;
  readonly retweets: number;
  readonly impressions: number;
}

/**
 * The answer to an insights call. `volume` counts mentions that carry the value, each once; `tweets` are those that
 * are posts of their own, `retweets` those that repeat another, so the two make the volume; `impressions` is summed
 * over all of them.
 */
export interface InsightsEnvelope {
  readonly results: readonly (InsightCount & { readonly label: string | null })[];
  readonly orderBy: string;
  readonly orderDirection: string;
}

export function insightsEnvelope(
  kind: InsightKind,
  counts: readonly InsightCount[],
  order: InsightOrder,
): InsightsEnvelope {
  return {
    results: counts.map(({ name, volume, tweets, retweets, impressions }) => ({
      name,
      label: kind.labelOf(name),
      volume,
      tweets,
      retweets,
      impressions,
    })),
    orderBy: order.orderBy,
    orderDirection: order.orderDirection,
  };
}
