import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireText } from "../list-envelope.ts";

export type SourceProject = z.output<typeof SourceProject>;
export const SourceProject = z
  .object({
    id: WireId,
    name: z.string(),
    description: WireText,
    timezone: WireText,
    billableClientId: WireId.nullable().catch(null),
  })
  .transform(({ id, ...rest }) => ({ projectId: id, ...rest }));

const SourceProjects = listOf(SourceProject);

export const projects = defineCall({
  name: "projects",
  path: () => "/projects/summary",
  read: (json): readonly SourceProject[] => SourceProjects.parse(json),
});
