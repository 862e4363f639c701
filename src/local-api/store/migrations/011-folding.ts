import type { Migration } from "./migration.ts";

export const folding: Migration = {
  name: "011-folding",
  statements: `
  -- Capitals are alike in every language and on every server: by the rules of Unicode where PostgreSQL brings them
  -- (17 and later) or ICU does, else for the letters of ASCII alone.
  do $$
  declare
    source text;
  begin
    select collname into source from pg_collation
      where collnamespace = 'pg_catalog'::regnamespace and collname in ('pg_c_utf8', 'und-x-icu', 'C')
      and collencoding in (-1, (select encoding from pg_database where datname = current_database()))
      order by array_position(array['pg_c_utf8', 'und-x-icu', 'C'], collname::text) limit 1;
    execute format('create collation if not exists local_api.folding from pg_catalog.%I', source);
  end $$;
`,
};
