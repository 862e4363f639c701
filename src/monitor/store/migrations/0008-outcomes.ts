import { type Kysely, sql } from "kysely";

/** Outcomes have one spelling, in code and in tables. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table earshot.rule_tests drop constraint rule_tests_outcome_check`.execute(db);
  await sql`update earshot.rule_tests set outcome = initcap(outcome)`.execute(db);
  await sql`alter table earshot.rule_tests
    add constraint rule_tests_outcome_check check (outcome in ('Passed', 'Failed', 'Broken'))`.execute(db);
  await sql`alter table earshot.outages drop constraint outages_outcome_check`.execute(db);
  await sql`update earshot.outages set outcome = initcap(outcome)`.execute(db);
  await sql`alter table earshot.outages
    add constraint outages_outcome_check check (outcome in ('Away', 'Emptied'))`.execute(db);
  await sql`update earshot.count_checks set outcome = initcap(outcome)`.execute(db);
}
