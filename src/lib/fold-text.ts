/**
 * Normalises text for comparisons of words: lower case, accents of European scripts removed, compatibility forms (full
 * width, ligatures) made plain, invisible characters removed, typographic apostrophes straight, white space single.
 */
export function foldText(text: string): string {
  return foldLetters(text).replaceAll(BLANKS, " ").trim();
}

function foldLetters(text: string): string {
  // Most text is ASCII, for which the long way changes nothing; most other text can be folded letter by letter.
  if (PLAIN.test(text)) return text.toLowerCase();
  if (!NOT_SIMPLE.test(text)) return text.replaceAll(FOLDED_ALONE, foldAlone).toLowerCase();
  return foldWhole(text);
}

function foldWhole(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]|\p{Cf}/gu, "")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'");
}

const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
/** Any white space but a single space; most texts have no other. */
const BLANKS = / \s+|[^\S ]\s*/g;

/**
 * Anything but Latin letters, typographic marks, and emoji, which stay unchanged: none of these affects its neighbours.
 */
const NOT_SIMPLE = /[^\0-\u{24f}\u{2000}-\u{206f}\u{1f300}-\u{1faff}]/u;
const FOLDED_ALONE = /[\x80-\u024f\u2000-\u206f]/g;

const foldedAlone = new Map<string, string>();

function foldAlone(letter: string): string {
  const known = foldedAlone.get(letter);
  if (known !== undefined) return known;
  const folded = foldWhole(letter);
  foldedAlone.set(letter, folded);
  return folded;
}
