import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireText } from "../list-envelope.ts";
import { parseWireInstant } from "../wire-instant.ts";

const WireInstant = z
  .string()
  .transform((text) => parseWireInstant(text))
  .nullable()
  .catch(null);

export type SourceQuery = z.output<typeof SourceQuery>;
export const SourceQuery = z
  .object({
    id: WireId,
    name: z.string(),
    /** `search string`, `twitter`, …; open. */
    type: WireText,
    creationDate: WireInstant,
    lastModificationDate: WireInstant,
    /** Volumes of a sampled query cannot be computed from its mentions. Not in the specification, seen in life. */
    sampled: z.boolean().catch(false),
    samplePercentage: z.number().nullable().catch(null),
  })
  .transform((query) => ({
    queryId: query.id,
    name: query.name,
    type: query.type,
    createdAt: query.creationDate,
    changedAt: query.lastModificationDate,
    sampled: query.sampled,
    samplePercentage: query.samplePercentage,
  }));

const SourceQueries = listOf(SourceQuery);

export const queries = defineCall({
  name: "queries",
  path: (params: { readonly projectId: string }) =>
    `/projects/${encodeURIComponent(params.projectId)}/queries/summary`,
  read: (json): readonly SourceQuery[] => SourceQueries.parse(json),
});
