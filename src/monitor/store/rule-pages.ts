import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { RuleEdit, RuleTestRecord } from "../model/rule-page.ts";
import { at, type Db } from "./database.ts";

/** Last results of rule tests, and changes of rules on the console. */
export function createRulePageStore(db: Db) {
  return {
    /** Notes the results of a run. Results of tests that are gone remain, with their age. */
    async noteTests(records: readonly RuleTestRecord[]): Promise<void> {
      for (const { rule, test, outcome, detail, ruleVersion, ranAt, tookMs } of records)
        await sql`
          insert into earshot.rule_tests (rule, test, outcome, detail, rule_version, ran_at, took_ms)
          values (${rule}, ${test}, ${outcome}, ${detail}, ${ruleVersion}, ${at(ranAt)}, ${Math.round(tookMs)})
          on conflict (rule, test) do update set outcome = excluded.outcome, detail = excluded.detail,
            rule_version = excluded.rule_version, ran_at = excluded.ran_at, took_ms = excluded.took_ms
        `.execute(db);
    },

    /** The last result of every test. */
    async tests(): Promise<RuleTestRecord[]> {
      const { rows } = await sql<RuleTestRecord>`
        select rule, test, outcome, detail, rule_version as "ruleVersion", ran_at as "ranAt", took_ms as "tookMs"
        from earshot.rule_tests order by rule, test limit 5000
      `.execute(db);
      return rows;
    },

    /** Makes others who change rules wait for the end of this transaction. */
    async lock(): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtext('earshot-rules'))`.execute(db);
    },

    /** Returns its id. */
    async noteEdit({ rule, at: moment, actor, before, after }: RuleEdit): Promise<number> {
      const { rows } = await sql<{ id: number }>`
        insert into earshot.rule_edits (rule, at, actor, before, after)
        values (${rule}, ${at(moment)}, ${storableJson(actor)}::jsonb, ${before}, ${after})
        returning id
      `.execute(db);
      const [row] = rows;
      if (row === undefined) throw new Error("the change of a rule was not stored");
      return row.id;
    },

    /** For a change that was not written. */
    async forgetEdit(id: number): Promise<void> {
      await sql`delete from earshot.rule_edits where id = ${id}`.execute(db);
    },

    /** Newest first. */
    async edits(rule: string, limit: number): Promise<RuleEdit[]> {
      const { rows } = await sql<RuleEdit>`
        select rule, at, actor, before, after from earshot.rule_edits where rule = ${rule} order by id desc limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}
