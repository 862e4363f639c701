import type pg from "pg";
import type { DescribedColumn } from "./describe-statement.ts";

/**
 * Which columns of a statement may be null, as far as PostgreSQL shows it: columns of tables without NOT NULL, columns
 * of the optional side of an outer join, and aggregates over what may be no rows. Of other expressions it says nothing.
 */
export async function readNullable(client: pg.Client) {
  const { rows } = await client.query<{ table: number; column: number }>(`
    select attrelid::int as table, attnum::int as column from pg_attribute
    join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('earshot', 'feeds', 'local_api') and attnum > 0 and not attisdropped and not attnotnull`);
  const nullable = new Set(rows.map(({ table, column }) => `${table}.${column}`));
  return async (text: string) => {
    // The rows of a cursor are those of its statement.
    if (/^\s*fetch\b/.test(text)) return () => false;
    const plan = await planOf(client, text);
    const optional = optionalIn(plan);
    const outputs = plan.Output ?? [];
    return ({ table, column }: DescribedColumn, position: number): boolean => {
      const output = outputs[position] ?? "";
      const isOptional = optional.has(/^(\w+)\./.exec(output)?.[1] ?? "");
      const isEmptyAggregate = plan["Group Key"] === undefined && /^(?:max|min|sum|avg)\(/.test(output);
      return isOptional || isEmptyAggregate || nullable.has(`${table}.${column}`);
    };
  };
}

interface Plan {
  readonly Output?: readonly string[];
  readonly Alias?: string;
  readonly "Group Key"?: readonly string[];
  readonly "Join Type"?: string;
  readonly "Parent Relationship"?: string;
  readonly Plans?: readonly Plan[];
}

async function planOf(client: pg.Client, text: string): Promise<Plan> {
  const { rows } = await client.query(`explain (generic_plan, verbose, format json) ${text}`);
  return rows[0]["QUERY PLAN"][0].Plan;
}

/** Names of tables and subqueries that an outer join fills with nulls. */
function optionalIn(plan: Plan): ReadonlySet<string> {
  const { Plans: inner = [], "Join Type": join } = plan;
  const filled = inner.filter(({ "Parent Relationship": side }) =>
    side === "Inner" ? join === "Left" || join === "Full" : join === "Right" || join === "Full",
  );
  return new Set([
    ...filled.flatMap((one) => [...aliasesIn(one)]),
    ...inner.flatMap((one) => [...optionalIn(one)]),
  ]);
}

function aliasesIn({ Alias, Plans = [] }: Plan): ReadonlySet<string> {
  return new Set([...(Alias === undefined ? [] : [Alias]), ...Plans.flatMap((one) => [...aliasesIn(one)])]);
}
