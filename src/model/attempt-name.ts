/** Numbers of reports about a mail start here, above those of any delivery attempt. */
export const FIRST_REPORT = 1_000;

/** `attempt 2`, or `later` for a report that came after the vendor had accepted the mail. */
export function attemptName(attempt: number): string {
  return attempt >= FIRST_REPORT ? "later" : `attempt ${attempt}`;
}
