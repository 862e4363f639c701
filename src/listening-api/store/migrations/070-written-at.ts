import type { Migration } from "./migration.ts";

/** The newest moment at which mentions of a project were written, and the newest one whose state a page was promised. */
export const writtenAt: Migration = {
  name: "070-written-at",
  statements: `
  alter table local_api.project add column written_at timestamptz not null default 'epoch',
    add column promised_at timestamptz not null default 'epoch';
`,
};
