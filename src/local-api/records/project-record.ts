import type { StoredProject } from "../store/projects.ts";

export function projectSummaryRecord(project: StoredProject) {
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    billableClientId: project.clientId,
    billableClientName: project.clientName,
    timezone: project.timezone,
    billableClientIsPitch: false,
  };
}

/** The spec leaves the shape of the additions open: the default language by its code, links by what they lead to. */
export function projectRecord(project: StoredProject) {
  return {
    ...projectSummaryRecord(project),
    defaultLanguage: project.defaultLanguage,
    links: { queries: `/projects/${project.id}/queries` },
  };
}
