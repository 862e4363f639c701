import type { Migration } from "./migration.ts";

/**
 * Counts leave deleted mentions out. The index on dates answers counts, the plainest charts and the bounds of an order alone:
 * so it has the type, and what those ask for. The rows themselves are wide.
 */
export const deletedLeave: Migration = {
  name: "085-deleted-leave",
  statements: `
  drop index local_api.mention_by_date;
  create index mention_by_date on local_api.mention (query_id, date, resource_id)
    include (visible_at, superseded_at, id, added, updated, resource_type, sentiment, page_type);
`,
};
