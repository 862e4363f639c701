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

/** The spec leaves the shape of the additions open: the default language by its code (under the name
 * that clients of the live service know too), links by what they lead to.
 */
export function projectRecord(project: StoredProject) {
  return {
    ...projectSummaryRecord(project),
    defaultLanguage: project.defaultLanguage,
    defaultLangCodes: [project.defaultLanguage],
    links: { queries: `/projects/${project.id}/queries` },
  };
}
