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
  path: (params) => addressOf("mentions", { projectId: params.projectId }, mentionsParameters(params)),
  read: ({ body, header }) => toPage(body, readBudget(header), header("date"), header("x-query-revision")),
};

const TopAuthor = z
  .object({ name: WireText, volume: WireNumber, data: z.unknown().optional() })
  .transform(({ name, volume, data }) => {
    const inner = Nested.safeParse(data);
    const more = inner.success ? inner.data : NOTHING;
    return {
      name: name ?? more.authorName,
      volume: volume ?? more.volume,
      negative: more.sentiment?.negative ?? null,
    };
  });
const Nested = z.object({
  authorName: WireText,
  volume: WireNumber,
  sentiment: z.object({ negative: WireNumber }).nullable().catch(null),
});
const NOTHING = Nested.parse({});

export type TopAuthor = z.output<typeof TopAuthor>;
const TopAuthors = listOf(TopAuthor);

/** An extension of the live service. One author may appear more than once. */
export const topAuthors = defineCall({
  name: "top-authors",
  places: ({ projectId }: ScopeParams) => ({ projectId }),
  parameters: (params: ScopeParams & { readonly limit: number }) => [
    ...scopeParameters(params),
    ["limit", String(params.limit)],
  ],
  read: (json): readonly TopAuthor[] => TopAuthors.parse(json),
});

const WireInsight = z.object({
  name: z.union([z.string(), z.number().transform(String)]),
  volume: WireNumber,
});

export type Hashtag = z.output<typeof WireInsight>;
const Insights = z
  .object({ results: z.array(z.unknown()) })
  .transform(({ results }) => listInside(WireInsight).parse(results));

export const hashtags = defineCall({
  name: "hashtags",
  places: ({ projectId }: ScopeParams) => ({ projectId }),
  parameters: scopeParameters,
  read: (json): readonly Hashtag[] => Insights.parse(json),
});
