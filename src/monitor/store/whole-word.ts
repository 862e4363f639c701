import { UNSPACED } from "../../lib/unspaced-scripts.ts";

/**
 * A pattern of PostgreSQL that finds a text as it is, and not inside a longer word. Chinese, Japanese, Thai and others write
 * no blank before or behind a name, and Korean none behind it; there a name of one character would be found everywhere.
 */
export function wholeWord(text: string): string {
  const escaped = text.replaceAll(/[^\p{L}\p{N}_\s]/gu, "\\$&");
  const isLong = [...text].length > 1;
  const before = isLong && NO_BLANK_BEFORE.test(text) ? "" : "(?<![[:alnum:]_])";
  const behind = isLong && NO_BLANK_BEHIND.test(text) ? "" : "(?![[:alnum:]_])";
  return `${before}@?${escaped}${behind}`;
}

const NO_BLANK_BEFORE = new RegExp(`^[${UNSPACED}]`, "u");
const NO_BLANK_BEHIND = new RegExp(`[${UNSPACED}\\p{sc=Hangul}\\u30fc]$`, "u");
