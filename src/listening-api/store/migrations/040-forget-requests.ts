import type { Migration } from "./migration.ts";

/** Whose mentions are refused when they come only after somebody asked to forget them. */
export const forgetRequests: Migration = {
  name: "040-forget-requests",
  statements: `
  create table local_api.forget_request (
    -- Of an author or an address, with a secret of these tables.
    asked bytea primary key,
    -- Mentions from before this moment are meant.
    at timestamptz not null
  );
`,
};
