import { z } from "zod";
import { defineCall } from "../define-call.ts";
import { listOf, WireId, WireOptionalId, WireText } from "../list-envelope.ts";

export const WireProject = z.object({
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
