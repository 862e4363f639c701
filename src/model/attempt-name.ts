/** Reports about a mail come in after all attempts at it, however many there were: they are numbered from here. */
export const FIRST_REPORT = 1_000;

/** `attempt 2`, or `later` for what was reported when the vendor had taken it. */
export function attemptName(attempt: number): string {
  return attempt >= FIRST_REPORT ? "later" : `attempt ${attempt}`;
}
