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

/** Why a file could not be read, and what to check. */
export function whyUnread(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return UNREAD[code] ?? describeError(error);
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
