import type { DescribedColumn } from "./describe-statement.ts";
import type { Column } from "./find-statements.ts";

/** What the code gets for the values of a type. */
export type ValueTypes = ReadonlyMap<number, string>;

/**
 * How the rows of a statement differ from those that the code expects.
 *
 * @param mayBeNull names of columns that are null for some rows
 */
export function findRowFaults(
  expected: readonly Column[],
  described: readonly DescribedColumn[],
  valueTypes: ValueTypes,
  mayBeNull: (column: DescribedColumn, position: number) => boolean,
): string[] {
  const faults: string[] = [];
  const columns = new Map(described.map((column, position) => [column.name, { column, position }]));
  for (const { name, types } of expected) {
    const found = columns.get(name);
    if (found === undefined) {
      if (!types.has("undefined")) faults.push(`the code reads ${name}, and the rows have no such column`);
      continue;
    }
    const is = valueTypes.get(found.column.type) ?? "string";
    if (!fits(types, is))
      faults.push(`${name} is ${is}, and the code takes it for ${[...types].join(" | ")}`);
    const takesNull = types.has("null") || types.has("any");
    if (!takesNull && mayBeNull(found.column, found.position))
      faults.push(`${name} may be null, and the code takes it for ${[...types].join(" | ")}`);
  }
  return faults;
}

function fits(types: ReadonlySet<string>, is: string): boolean {
  // What stands in JSON is not in the schema: its writer and its reader share a type.
  return is === "any" || types.has("any") || types.has(is);
}
