/** Maps a vendor's answer to one of a few words: a label must not get a new value for each answer. */
export function deliveryReason(detail: string): string {
  if (detail === "") return "none";
  for (const [pattern, word] of PATTERNS) {
    const found = pattern.exec(detail);
    if (found !== null) return found[1] === undefined ? word : `${word}${found[1].toLowerCase()}`;
  }
  return "other";
}

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/refused the message: ([a-z][a-z0-9_]{1,40})\b/, ""],
  [/rate limit/i, "rate_limited"],
  [/HTTP (\d{3})\b/, "http_"],
  [/refused the login/, "login_refused"],
  [/mail server answered (\d{3})\b/, "smtp_"],
  [/cannot be reached/, "unreachable"],
  [/no receiver /, "not_configured"],
  [/stored no longer/, "gone"],
  [/not readable/, "unreadable_answer"],
];
