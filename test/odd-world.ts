import type { Query } from "../src/monitor/model/query.ts";

/**
 * The world of tests with tables is odd on purpose: what is right only in an even one fails here. The query is half an hour
 * and five hours off UTC, so neither its days nor its hours are those of UTC; and so is the server of the database. `now()`
 * of the database is an hour ahead of the clock of the tests, or an hour behind it.
 */
export const ODD_ZONE = "Asia/Kolkata";

/** A query of the odd world, and what a test says otherwise. */
export function oddQuery(facts: Partial<Query> = {}): Query {
  return {
    ...{ projectId: "p", queryId: "1", name: "Acme", projectName: "Brands", timezone: ODD_ZONE },
    ...facts,
  };
}

/** The schema before all others in the search path of the databases of tests. Which way its clock is off says its name. */
export const ODD_CLOCK = `
create schema odd;
create function odd.ahead() returns interval language sql stable parallel safe
  return case when current_database() like 'test_ahead_%' then interval '1 hour'
    when current_database() like 'test_behind_%' then interval '-1 hour' else interval '0' end;
create function odd.now() returns timestamptz language sql stable parallel safe
  return pg_catalog.now() + odd.ahead();
create function odd.clock_timestamp() returns timestamptz language sql volatile parallel safe
  return pg_catalog.clock_timestamp() + odd.ahead();
`;

/** Of every connection: a database without the schema ignores it. */
export const ODD_PATH = "odd, pg_catalog, public";
