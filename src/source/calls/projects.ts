import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireOptionalId, WireText } from "../wire-values.ts";

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
