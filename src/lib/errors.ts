/** A fault in what a person wrote (configuration, rule, template, flag): shown without a stack, with what to do. */
export class UserError extends Error {
  override readonly name = "UserError";
  /** More lines, one fault each. */
  readonly details: readonly string[];
  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

/** The message of anything that was thrown, with its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` (${describeError(error.cause)})`;
  return `${error.message || error.name}${cause}`;
}

/** The code that Node, PostgreSQL or a library gives an error (`ENOENT`, `23505`); null if it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** Why a file could not be read, and what to check. */
export function whyUnread(error: unknown): string {
  return UNREAD[codeOf(error) ?? ""] ?? describeError(error);
}

const UNREAD: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not read it",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is no folder",
};

/** Too much is asked of us at the moment; the same may work a little later. */
export class BusyError extends Error {
  override readonly name = "BusyError";
}

/** A fault in a file that a person wrote. Lines and columns count from 1. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What was probably meant. */
  readonly suggestion?: string | undefined;
}

/** A fault before its position in the file is known: `path` leads to the value, or to the key itself. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly suggestion?: string | undefined;
  readonly at?: "key";
  /** The value could not be read: what else is wrong with what stands in its place is no fault. */
  readonly isUnread?: boolean;
}

/** `rules/crisis.yaml:7:3 unknown key "sentimnt" — did you mean "sentiment"?` */
export function describeFault(fault: Fault): string {
  return `${fault.file}:${fault.line}:${fault.column} ${fault.message}${didYouMean(fault.suggestion)}`;
}

/** ` — did you mean "volume"?`, to append to a message; empty if no known word is close. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? "" : ` — did you mean "${word}"?`;
}
