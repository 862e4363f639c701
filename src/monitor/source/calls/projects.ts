import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireInstant, WireOptionalId, WireText } from "../wire-values.ts";

export type SourceProject = z.output<typeof SourceProject>;
export const SourceProject = z
  .object({
    id: WireId,
    name: z.string(),
    description: WireText,
    timezone: WireText,
    billableClientId: WireOptionalId,
    billableClientName: WireText,
  })
  .transform(({ id, ...rest }) => ({ projectId: id, ...rest }));

const SourceProjects = listOf(SourceProject);

export const projects = defineCall({
  name: "projects",
  read: (json): readonly SourceProject[] => SourceProjects.parse(json),
});

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
