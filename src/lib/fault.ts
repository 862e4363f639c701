/** A fault in a file that a person wrote. Lines and columns count from 1. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What was probably meant. */
  readonly suggestion?: string;
}

/** A fault before its position in the file is known: `path` leads to the value, or to the key itself. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly suggestion?: string;
  readonly at?: "key";
}

/** `rules/crisis.yaml:7:3 unknown key "sentimnt" — did you mean "sentiment"?` */
export function describeFault(fault: Fault): string {
  return `${fault.file}:${fault.line}:${fault.column} ${fault.message}${didYouMean(fault.suggestion)}`;
}

/** ` — did you mean "volume"?`, to append to a message; empty if no known word is close. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? "" : ` — did you mean "${word}"?`;
}
