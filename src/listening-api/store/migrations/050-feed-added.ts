import type { Migration } from "./migration.ts";

/** Since when the configuration has a feed: one that was never heard is silent since then. */
export const feedAdded: Migration = {
  name: "050-feed-added",
  statements: `
  alter table local_api.feed add column added_at timestamptz not null default now();
`,
};
