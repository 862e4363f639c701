import type { Migration } from "./migration.ts";

/** Counts leave deleted mentions out; with the type in it, the index on dates still answers them alone. */
export const deletedLeave: Migration = {
  name: "085-deleted-leave",
  statements: `
  drop index local_api.mention_by_date;
  create index mention_by_date on local_api.mention (query_id, date, resource_id)
    include (visible_at, superseded_at, id, resource_type);
`,
};
