import { z } from "zod";
import { readBudget } from "../budget.ts";
import { addressOf, type Call, defineCall } from "../define-call.ts";
import {
  type MentionsParams,
  mentionsParameters,
  type ScopeParams,
  scopeParameters,
} from "../mention-params.ts";
import { type Page, toPage } from "../to-page.ts";
import { listInside, listOf, WireNumber, WireOptionalId, WireText } from "../wire-values.ts";

export const mentions: Call<MentionsParams, Page> = {
  name: "mentions",
  path: (params) =>
    addressOf(
      params.fullText === true ? "mentions-fulltext" : "mentions",
      { projectId: params.projectId },
      mentionsParameters(params),
    ),
  read: ({ body, header }) => toPage(body, readBudget(header), header("date"), header("x-query-revision")),
};

/** An extension of the live service: how many mentions there are. */
export const mentionCount = defineCall({
  name: "mention-count",
  places: ({ projectId }: ScopeParams) => ({ projectId }),
  parameters: scopeParameters,
  read: (json): number => z.object({ mentionsCount: z.int().min(0) }).parse(json).mentionsCount,
});

export interface ChartParams extends ScopeParams {
  /** `volume`, `authors`, `reachEstimate`, `impressions`, `netSentiment`, …; open. */
  readonly aggregate: string;
  /** `days`, `queries`, `sentiment`, …; open. */
  readonly dimension1: string;
  readonly dimension2: string;
  /** Narrow a dimension to these of its values. */
  readonly dimension1Args?: readonly string[];
  readonly dimension2Args?: readonly string[];
}

const ChartValue = z.object({ id: WireOptionalId, name: WireOptionalId, value: WireNumber });
const ChartRow = z.object({ id: WireOptionalId, name: WireOptionalId, values: listInside(ChartValue) });

export type ChartRow = z.output<typeof ChartRow>;
const ChartRows = listOf(ChartRow);

/**
 * An extension of the live service: an aggregate over two dimensions. The id of a time dimension is the start of the
 * bucket, and rows come in no order.
 */
export const chart = defineCall({
  name: "chart",
  places: ({ projectId, aggregate, dimension1, dimension2 }: ChartParams) => ({
    projectId,
    aggregate,
    dimension1,
    dimension2,
  }),
  parameters: (params) => [
    ...scopeParameters(params),
    ...(params.dimension1Args ?? []).map((value) => ["dim1Args", value] as const),
    ...(params.dimension2Args ?? []).map((value) => ["dim2Args", value] as const),
  ],
  read: (json): readonly ChartRow[] => ChartRows.parse(json),
});

const TopAuthor = z
  .object({ name: WireText, volume: WireNumber, data: z.unknown().optional() })
  .transform(({ name, volume, data }) => {
    const inner = Nested.safeParse(data);
    const more = inner.success ? inner.data : NOTHING;
    return {
      name: name ?? more.authorName,
      domain: more.domain,
      countryCode: more.countryCode,
      volume: volume ?? more.volume,
      reach: more.reachEstimate,
      impressions: more.impressions,
      sentiment: more.sentiment,
    };
  });
const Nested = z.object({
  authorName: WireText,
  domain: WireText,
  countryCode: WireText,
  volume: WireNumber,
  reachEstimate: WireNumber,
  impressions: WireNumber,
  sentiment: z
    .object({ positive: WireNumber, neutral: WireNumber, negative: WireNumber })
    .nullable()
    .catch(null),
});
const NOTHING = Nested.parse({});

export type TopAuthor = z.output<typeof TopAuthor>;
const TopAuthors = listOf(TopAuthor);

/** An extension of the live service. One author may appear more than once. */
export const topAuthors = defineCall({
  name: "top-authors",
  places: ({ projectId }: ScopeParams) => ({ projectId }),
  parameters: (params: ScopeParams & { readonly limit?: number }) => [
    ...scopeParameters(params),
    ...(params.limit === undefined ? [] : [["limit", String(params.limit)] as const]),
  ],
  read: (json): readonly TopAuthor[] => TopAuthors.parse(json),
});

/** One hashtag, emoticon, address or author, with how often it was found. Only hashtags are specified. */
const WireInsight = z.object({
  name: z.union([z.string(), z.number().transform(String)]),
  label: WireText,
  volume: WireNumber,
  tweets: WireNumber,
  retweets: WireNumber,
  impressions: WireNumber,
});

export type Insights = z.output<typeof Insights>;
export const Insights = z
  .object({ results: z.array(z.unknown()), orderBy: WireText, orderDirection: WireText })
  .transform(({ results, ...order }) => ({ items: listInside(WireInsight).parse(results), ...order }));

export const hashtags = defineInsight("hashtags");
export const emoticons = defineInsight("emoticons");
export const urls = defineInsight("urls");
export const mentionedAuthors = defineInsight("mentioned-authors");

function defineInsight(
  name: "hashtags" | "emoticons" | "urls" | "mentioned-authors",
): Call<ScopeParams, Insights> {
  return defineCall({
    name,
    places: ({ projectId }: ScopeParams) => ({ projectId }),
    parameters: scopeParameters,
    read: (json) => Insights.parse(json),
  });
}
