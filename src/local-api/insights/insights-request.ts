import type { ParameterReader } from "../parameters/parameter-reader.ts";

const INSIGHT_ORDERS = ["volume", "tweets", "retweets", "impressions", "name"] as const;

export interface InsightOrder {
  readonly orderBy: (typeof INSIGHT_ORDERS)[number];
  readonly orderDirection: "asc" | "desc";
}

export interface InsightsRequest extends InsightOrder {
  readonly limit: number;
}

const MAX_ITEMS = 1_000;

/** `orderBy`, `orderDirection`, `limit`: volume, desc and as many as there are at most. */
export function readInsightsRequest(parameters: ParameterReader): InsightsRequest {
  return {
    orderBy: parameters.oneOf("orderBy", INSIGHT_ORDERS) ?? "volume",
    orderDirection: parameters.oneOf("orderDirection", ["asc", "desc"] as const) ?? "desc",
    limit: parameters.integer("limit", { min: 0, max: MAX_ITEMS }) ?? MAX_ITEMS,
  };
}
