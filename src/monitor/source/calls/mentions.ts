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
import { listInside, listOf, WireNumber, WireText } from "../wire-values.ts";

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

/** One hashtag, with how often it was found. */
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

export const hashtags = defineCall({
  name: "hashtags",
  places: ({ projectId }: ScopeParams) => ({ projectId }),
  parameters: scopeParameters,
  read: (json): Insights => Insights.parse(json),
});
