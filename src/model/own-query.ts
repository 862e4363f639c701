import { ALL_PROJECTS } from "./digest-edition.ts";
import type { Query } from "./query.ts";

/** The query of alerts about Earshot itself. No source has it, and it is never polled. */
export const OWN_QUERY: Query = {
  projectId: ALL_PROJECTS,
  queryId: "earshot:itself",
  name: "Earshot",
  projectName: "Earshot itself",
  timezone: "UTC",
};
