import type { Migration } from "./migration.ts";

export const record: Migration = {
  name: "020-record",
  statements: `
  -- Null: as the client's tag says.
  alter table local_api.project add column data_policy text;
  -- What part of the mentions that match is kept.
  alter table local_api.query add column sample_percentage double precision not null default 100
    check (sample_percentage > 0 and sample_percentage <= 100);
  -- The full text as a JSON string, only where full_text could not keep it as it was found.
  alter table local_api.mention add column exact_text text;
`,
};
