import type { Migration } from "./migration.ts";

export const streamHours: Migration = {
  name: "004-stream-hours",
  statements: `
  -- The hours of a generated stream that are in the mention table already.
  create table local_api.stream_hour (
    project_id bigint not null references local_api.project,
    seed text not null,
    hour timestamptz not null,
    primary key (project_id, seed, hour)
  );
`,
};
