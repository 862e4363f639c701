import { z } from "zod";
import { type Call, defineCall } from "../define-call.ts";
import { listInside, WireNumber, WireText } from "../list-envelope.ts";
import { type ScopeParams, scopeParameters } from "../mention-params.ts";

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
