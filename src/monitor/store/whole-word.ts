/** A pattern of PostgreSQL that finds a text as it is, and not inside a longer word. */
export function wholeWord(text: string): string {
  return `(?<![[:alnum:]_])@?${text.replaceAll(/[^\p{L}\p{N}_\s]/gu, "\\$&")}(?![[:alnum:]_])`;
}
