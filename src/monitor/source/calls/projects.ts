import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireText } from "../wire-values.ts";

export type SourceProject = z.output<typeof SourceProject>;
const SourceProject = z
  .object({ id: WireId, name: z.string(), timezone: WireText })
  .transform(({ id, ...rest }) => ({ projectId: id, ...rest }));

const SourceProjects = listOf(SourceProject);

export const projects = defineCall({
  name: "projects",
  read: (json): readonly SourceProject[] => SourceProjects.parse(json),
});

export type SourceQuery = z.output<typeof SourceQuery>;
const SourceQuery = z
  .object({ id: WireId, name: z.string() })
  .transform(({ id, name }) => ({ queryId: id, name }));

const SourceQueries = listOf(SourceQuery);

export const queries = defineCall({
  name: "queries",
  places: ({ projectId }: { readonly projectId: string }) => ({ projectId }),
  read: (json): readonly SourceQuery[] => SourceQueries.parse(json),
});
