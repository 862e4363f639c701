/**
 * Text as words are compared in Earshot: lower case, accents of European scripts gone, compatibility forms (full width,
 * ligatures) made plain, invisible characters removed, typographic apostrophes straight, white space single.
 */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase().replaceAll(BLANKS, " ").trim();
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]|\p{Cf}/gu, "")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'")
    .replaceAll(BLANKS, " ")
    .trim();
}

/** Most text is ASCII, for which the long way changes nothing. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
const BLANKS = /\s+/g;
