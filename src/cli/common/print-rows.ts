import type { Row } from "./format-table.ts";
import { print, printJson } from "./print.ts";

/** Prints a table for people, or one JSON document on one line for programs. */
export async function printRows(
  rows: readonly Row[],
  options: { readonly json: boolean; readonly none: string },
): Promise<void> {
  if (options.json) return printJson(rows);
  if (rows.length === 0) return print(options.none);
  const { formatTable } = await import("./format-table.ts");
  print(formatTable(rows, Object.keys(rows[0] ?? {})));
}

/** Prints a sentence for people, or the outcome as JSON for programs. */
export function printOutcome(outcome: object, sentence: string, { json }: { readonly json: boolean }): void {
  print(json ? JSON.stringify(outcome) : sentence);
}
