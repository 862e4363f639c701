import { toUSVString } from "node:util";

const UNSTORABLE_OR_PAIR = /[\0\ud800-\udfff]/;

/**
 * Text that PostgreSQL accepts: U+0000 and halves of surrogate pairs become U+FFFD, everything else is unchanged. For
 * most texts one scan is enough.
 */
export function storableText(text: string): string {
  return UNSTORABLE_OR_PAIR.test(text) ? toUSVString(text).replaceAll("\0", "\ufffd") : text;
}
