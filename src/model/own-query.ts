import { ALL_PROJECTS } from "./digest-edition.ts";
import type { Query } from "./query.ts";

/** The query to which alerts about Earshot itself belong. No source has it, and nobody polls it. */
export const OWN_QUERY: Query = {
  projectId: ALL_PROJECTS,
  queryId: "earshot:itself",
  name: "Earshot",
  projectName: "Earshot itself",
  timezone: "UTC",
};
