import type { Migration } from "./migration.ts";

/**
 * What of a feed is being read, and how often that has begun without an end: it may have ended the process. And what
 * the last fetch has left out.
 */
export const feedReadings: Migration = {
  name: "060-feed-readings",
  statements: `
  alter table local_api.feed add column reading text, add column readings integer not null default 0,
    add column left_out text;
`,
};
