import type { Migration } from "./migration.ts";

export const queryText: Migration = {
  name: "060-query-text",
  statements: `
  -- The Boolean text of a query of type "search string". Null: it has the mentions that were put into it by name.
  alter table local_api.query add column boolean_text text
    check (boolean_text is null or type = 'search string');
`,
};
