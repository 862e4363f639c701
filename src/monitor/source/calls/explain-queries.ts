import { z } from "zod";
import type { Mention } from "../../model/mention.ts";
import { type Call, defineCall } from "../define-call.ts";
import { parseWhole } from "../parse-json.ts";
import { toMention } from "../to-mention.ts";
import { listInside, WireId, WireInstant, WireText } from "../wire-values.ts";

/** What is asked about: a mention by its id or address, or a text that is no mention. */
export interface ExplainParams {
  readonly projectId: string;
  readonly resourceId?: string;
  readonly url?: string;
  readonly text?: string;
}

const ExplainedQuery = z
  .object({
    id: WireId,
    name: z.string(),
    /** `InQuery`, `Delayed`, `Matches`, `TextDiffers`, …; open. */
    outcome: z.string(),
    message: z.string().catch(""),
    added: WireInstant,
    visibleAt: WireInstant,
    miss: z.object({ part: z.string() }).nullable().catch(null),
  })
  .transform(({ id, added, miss, ...query }) => ({
    ...query,
    queryId: id,
    addedAt: added,
    part: miss?.part ?? null,
  }));
export type ExplainedQuery = z.output<typeof ExplainedQuery>;

const ExplainedQueries = z.object({
  known: z.boolean(),
  resourceId: WireText,
  /** Fields that the data policy withholds for the mention's content source. */
  withheld: listInside(z.string()),
  queries: listInside(ExplainedQuery),
});
export type ExplainedQueries = z.output<typeof ExplainedQueries>;

/** An extension of Earshot's own local API: why the queries of a project have a mention, or a text, or do not. */
export const explainQueries = defineCall({
  name: "explain-queries",
  places: ({ projectId }: ExplainParams) => ({ projectId }),
  body: ({ projectId: _, ...asked }: ExplainParams) => asked,
  read: (json): ExplainedQueries => ExplainedQueries.parse(json),
});

export interface FindMentionParams {
  readonly projectId: string;
  readonly queryId: string;
  readonly resourceId?: string;
  readonly url?: string;
}

/** An extension of the live service: one mention of a query. A query that does not have it answers 404. */
export const findMention: Call<FindMentionParams, Mention | null> = {
  name: "mention-find",
  path: ({ projectId, queryId, resourceId, url }) => {
    const subject = resourceId === undefined ? { url: url ?? "" } : { resourceId };
    const [project, query] = [projectId, queryId].map(encodeURIComponent);
    return `/projects/${project}/query/${query}/mentionfind?${new URLSearchParams(subject)}`;
  },
  read: (answer) => {
    const { mention } = z.object({ mention: z.unknown() }).parse(parseWhole(answer.body));
    return toMention(mention).mention;
  },
};
