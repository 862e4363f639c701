import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireInstant, WireText } from "../wire-values.ts";

export type SourceQuery = z.output<typeof SourceQuery>;
export const SourceQuery = z
  .object({
    id: WireId,
    name: z.string(),
    /** `search string`, `twitter`, …; open. */
    type: WireText,
    creationDate: WireInstant,
    lastModificationDate: WireInstant,
    lastModifiedUsername: WireText,
    lockedQuery: z.boolean().nullable().catch(null),
    lockedByUsername: WireText,
    createdByWizard: z.boolean().nullable().catch(null),
    /**
     * Volumes of a sampled query cannot be computed from its mentions. Not in the specification, observed on the live
     * service.
     */
    sampled: z.boolean().catch(false),
    samplePercentage: z.number().nullable().catch(null),
  })
  .transform((query) => ({
    queryId: query.id,
    name: query.name,
    type: query.type,
    createdAt: query.creationDate,
    changedAt: query.lastModificationDate,
    changedBy: query.lastModifiedUsername,
    locked: query.lockedQuery,
    lockedBy: query.lockedByUsername,
    createdByWizard: query.createdByWizard,
    sampled: query.sampled,
    samplePercentage: query.samplePercentage,
  }));

const SourceQueries = listOf(SourceQuery);

export const queries = defineCall({
  name: "queries",
  places: ({ projectId }: { readonly projectId: string }) => ({ projectId }),
  read: (json): readonly SourceQuery[] => SourceQueries.parse(json),
});

/** The types of the specification; the live service has other words for some of them. */
export type QueryType = "search string" | "twitter" | "facebook" | "instagram" | (string & {});

/** The queries of one type, or of all. Its records are not specified; they are read like those of the summary. */
export const detailedQueries = defineCall({
  name: "queries-detailed",
  places: ({ projectId }: { readonly projectId: string; readonly type?: QueryType }) => ({ projectId }),
  parameters: ({ type }) => (type === undefined ? [] : [["type", type]]),
  read: (json): readonly SourceQuery[] => SourceQueries.parse(json),
});
