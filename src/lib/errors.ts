/** A fault in what a person wrote (configuration, rule, template, flag): told without a stack, with what to do. */
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
