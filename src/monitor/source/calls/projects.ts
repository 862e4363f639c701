import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireInstant, WireOptionalId, WireText } from "../wire-values.ts";

const WireProject = z.object({
  id: WireId,
  name: z.string(),
  description: WireText,
  timezone: WireText,
  billableClientId: WireOptionalId,
  billableClientName: WireText,
});

export type SourceProject = z.output<typeof SourceProject>;
export const SourceProject = WireProject.transform(({ id, ...rest }) => ({ projectId: id, ...rest }));

const SourceProjects = listOf(SourceProject);

export const projects = defineCall({
  name: "projects",
  read: (json): readonly SourceProject[] => SourceProjects.parse(json),
});

/** A project with what the summary leaves out. The specification mentions the default language, not its field. */
export type DetailedProject = z.output<typeof DetailedProject>;
export const DetailedProject = WireProject.extend({
  defaultLanguage: WireText,
  defaultLangauge: WireText,
}).transform(({ id, defaultLanguage, defaultLangauge: misspelled, ...rest }) => ({
  projectId: id,
  ...rest,
  defaultLanguage: defaultLanguage ?? misspelled,
}));

const DetailedProjects = listOf(DetailedProject);

export const detailedProjects = defineCall({
  name: "projects-detailed",
  read: (json): readonly DetailedProject[] => DetailedProjects.parse(json),
});

export const project = defineCall({
  name: "project",
  places: ({ projectId }: { readonly projectId: string }) => ({ projectId }),
  read: (json): DetailedProject => DetailedProject.parse(json),
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

/** The types of the specification; the live service has other words for some of them. */
export type QueryType = "search string" | "twitter" | "facebook" | "instagram" | (string & {});

/** The queries of one type, or of all. Its records are not specified; they are read like those of the summary. */
export const detailedQueries = defineCall({
  name: "queries-detailed",
  places: ({ projectId }: { readonly projectId: string; readonly type?: QueryType }) => ({ projectId }),
  parameters: ({ type }) => (type === undefined ? [] : [["type", type]]),
  read: (json): readonly SourceQuery[] => SourceQueries.parse(json),
});
