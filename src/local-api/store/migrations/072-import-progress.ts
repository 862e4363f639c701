import type { Migration } from "./migration.ts";

export const importProgress: Migration = {
  name: "072-import-progress",
  statements: `
  -- How far the import of a file has come that did not reach its end.
  create table local_api.import_progress (
    -- A hash of project, file and options.
    key bytea primary key,
    lines bigint not null,
    at timestamptz not null default clock_timestamp()
  );
`,
};
