import { print, printJson } from "../print.ts";
/** One row of a table, by column. Lists are joined; null is empty. */
export type Row = Readonly<Record<string, unknown>>;

/** Prints a table for people, or one JSON document on one line for programs. */
export async function printRows(
  rows: readonly Row[],
  options: { readonly json: boolean; readonly none: string },
): Promise<void> {
  if (options.json) printJson(rows);
  else if (rows.length === 0) print(options.none);
  else for (const line of await tableLines(rows)) print(line);
}

/** Prints a sentence for people, or the outcome as JSON for programs. */
export function printOutcome(outcome: object, sentence: string, { json }: { readonly json: boolean }): void {
  print(json ? JSON.stringify(outcome) : sentence);
}

async function tableLines(rows: readonly Row[]): Promise<string[]> {
  const { cutToWidth, padToWidth, textWidth } = await import("../text-width.ts");
  const columns = Object.keys(rows[0] ?? {});
  const cells = [
    columns,
    ...rows.map((row) => columns.map((column) => cutToWidth(cell(row[column]), LONGEST))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => textWidth(line[at] ?? ""))));
  return cells.map((line) =>
    line
      .map((text, at) => padToWidth(text, widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const LONGEST = 60;

/** Names are user input: removes control characters. */
function cell(value: unknown): string {
  const text = Array.isArray(value)
    ? value.map(cell).join(", ")
    : value === null || value === undefined
      ? ""
      : typeof value === "object"
        ? Object.entries(value)
            .map(([name, held]) => `${name}=${cell(held)}`)
            .join(", ")
        : String(value);
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, " ");
}
