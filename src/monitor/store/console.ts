import { createConsoleAlerts } from "./console/alerts.ts";
import { createConsoleCoverage, createConsoleWarmUp } from "./console/coverage.ts";
import { createConsoleDigests } from "./console/digests.ts";
import { createConsoleIncidents } from "./console/incidents.ts";
import { createConsoleMentions } from "./console/mentions.ts";
import { createConsoleMetrics } from "./console/metrics.ts";
import { createConsoleNotifications } from "./console/notifications.ts";
import { createConsoleResponse } from "./console/response.ts";
import { createConsoleStories } from "./console/stories.ts";
import { createConsoleVersions } from "./console/versions.ts";
import type { Db } from "./database.ts";

export type ConsoleFacts = ReturnType<typeof createConsoleStore>;

/**
 * What the console reads. Nothing here writes, every answer has a limit, and every statement uses an index: a page
 * opened in a crisis must not slow the crisis down.
 */
export function createConsoleStore(db: Db, options: { readonly searchTakesMs?: number } = {}) {
  return {
    ...createConsoleMentions(db, options.searchTakesMs),
    ...createConsoleAlerts(db),
    ...createConsoleIncidents(db),
    ...createConsoleNotifications(db),
    ...createConsoleCoverage(db),
    ...createConsoleWarmUp(db),
    ...createConsoleDigests(db),
    ...createConsoleMetrics(db),
    ...createConsoleResponse(db),
    ...createConsoleStories(db),
    ...createConsoleVersions(db),
  };
}
