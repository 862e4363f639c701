/** Far more than a post or an article has; longer text was made to keep its reader busy. */
export const LONGEST_TEXT = 20_000;

/**
 * The beginning of a text that is too long, ended by `…`: it shows that something is missing, and no pattern takes the
 * cut for the end. Never splits a surrogate pair.
 */
export function cutText(text: string, most = LONGEST_TEXT): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 2);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHalf ? most - 2 : most - 1)}…`;
}
