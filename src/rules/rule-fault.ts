/** Something wrong with a rule file. Lines and columns count from 1. */
export interface RuleFault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What was probably meant. */
  readonly suggestion?: string;
}

/** A fault before its place in the file is known: `path` leads to the value, or to the key itself. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly suggestion?: string;
  readonly at?: "key";
}

/** `rules/crisis.yaml:7:3 unknown key "sentimnt" — did you mean "sentiment"?` */
export function describeRuleFault(fault: RuleFault): string {
  const hint = fault.suggestion === undefined ? "" : ` — did you mean "${fault.suggestion}"?`;
  return `${fault.file}:${fault.line}:${fault.column} ${fault.message}${hint}`;
}
