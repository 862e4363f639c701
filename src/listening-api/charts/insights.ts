import { parseUrl } from "../../lib/parse-url.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { FieldOf } from "../records/mention-fields.ts";

/** One of the breakdowns of what mentions carry in their text. */
export interface InsightKind {
  /** Mentions are counted for each value of these fields. */
  readonly fields: readonly FieldOf<"texts">[];
  /** Values that differ only in case are one. */
  readonly foldsCase: boolean;
  /** The field of the wire record from which the values could be read, for the data policy. */
  readonly recordField: string;
  labelOf(name: string): string | null;
}

/**
 * Documented for hashtags: `name` with its sign, `label` null. The shape of the other items is not; chosen: the same,
 * with `name` the emoji or emoticon as written in the text, the whole address of the link (labelled with its site), the
 * author's name with its sign. Hashtags and author names are folded to lower case, as the network itself does.
 */
export const INSIGHT_KINDS = {
  hashtags: { fields: ["insightsHashtag"], foldsCase: true, recordField: "insightsHashtag", labelOf: none },
  emoticons: {
    fields: ["insightsEmoji", "insightsEmoticon"],
    foldsCase: false,
    recordField: "snippet",
    labelOf: none,
  },
  sharedsites: {
    fields: ["insightsSharedSite"],
    foldsCase: true,
    recordField: "expandedUrls",
    labelOf: none,
  },
  urls: { fields: ["insightsUrl"], foldsCase: false, recordField: "expandedUrls", labelOf: siteOf },
  mentionedauthors: {
    fields: ["insightsMentioned"],
    foldsCase: true,
    recordField: "insightsMentioned",
    labelOf: none,
  },
} as const satisfies Readonly<Record<string, InsightKind>>;

function none(): null {
  return null;
}

function siteOf(address: string): string | null {
  return parseUrl(address)?.hostname.replace(/^www\./, "") || null;
}

const INSIGHT_ORDERS = ["volume", "tweets", "retweets", "impressions", "name"] as const;

interface InsightOrder {
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
interface InsightsEnvelope {
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
