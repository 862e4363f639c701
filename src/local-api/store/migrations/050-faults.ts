import type { Migration } from "./migration.ts";

export const faults: Migration = {
  name: "050-faults",
  statements: `
  -- What goes wrong on request, in every process that serves these tables.
  create table local_api.fault (
    id bigint generated always as identity primary key,
    kind text not null,
    path text,
    probability double precision not null default 1,
    amount bigint,
    -- How often it still happens; null: until it is cleared.
    remaining integer,
    applied bigint not null default 0
  );
  -- What all processes have to agree on: the secret that signs cursors, the sample account.
  create table local_api.setting (
    name text primary key,
    value jsonb not null
  );
`,
};
