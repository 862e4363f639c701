import type { Migration } from "./migration.ts";

/** When a stored item is asked for again, for sources that do not say that it was deleted. */
export const recheck: Migration = {
  name: "020-recheck",
  statements: `
  -- How the item is asked for, where that is not by its id.
  alter table local_api.heard_item add column reference text;
  -- Null: it is not asked for again.
  alter table local_api.heard_item add column check_at timestamptz;
  create index heard_item_by_check on local_api.heard_item (project_id, feed_key, check_at)
    where check_at is not null and deleted_at is null;
`,
};
