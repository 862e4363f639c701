import { type RawBuilder, sql } from "kysely";
import { splitWords } from "../query-language/split-words.ts";

/**
 * The words of a mention as PostgreSQL's `tsvector`, made by the tokeniser of the query language, so that both decide
 * alike. Hashtags and names are included with their sign. Positions are those of the words in title and text, with a
 * gap between the two.
 */
export function wordsVector(title: string | null, text: string | null): string {
  const places = new Map<string, number[]>();
  let bytes = 0;
  let stored = 0;
  let isCut = false;
  let isPlaceLost = false;

  function add(lexeme: string, place: number): void {
    const known = places.get(lexeme);
    if (known === undefined) {
      if (lexeme.length > LONGEST_LEXEME || bytes > MOST_CHARACTERS) {
        isCut = true;
        return;
      }
      bytes += lexeme.length;
      places.set(lexeme, [place]);
      return;
    }
    if (place > LAST_PLACE || known.length >= MOST_PLACES || stored > MOST_STORED) isPlaceLost = true;
    else {
      known.push(place);
      stored++;
    }
  }

  let place = 0;
  for (const source of [title ?? "", text ?? ""]) {
    for (const { start, folded } of splitWords(source)) {
      if (++place > LAST_PLACE) isPlaceLost = true;
      if (folded === "") continue;
      add(folded, Math.min(place, LAST_PLACE));
      const sign = signBefore(source, start);
      if (sign !== "") add(sign + folded, Math.min(place, LAST_PLACE));
    }
    place++;
  }
  const lexemes = [...places].map(([lexeme, at]) => `${quoted(lexeme)}:${at.join(",")}`);
  if (isCut) lexemes.push(CUT);
  if (isCut || isPlaceLost) lexemes.push(PLACES_LOST);
  return lexemes.join(" ");
}

/** In the vector of a text of which not every word, or not every place of a word, is kept. No words of any text. */
export const CUT = "'!words'";
export const PLACES_LOST = "'!places'";

/** The limits of PostgreSQL are 2 kB a word, 255 places of a word, the place 16,383, and 1 MB in all. */
export const LONGEST_LEXEME = 250;
const MOST_PLACES = 255;
const LAST_PLACE = 16_383;
const MOST_CHARACTERS = 150_000;
const MOST_STORED = 100_000;

/** As `#tag` and `@name` are found: no part of a word or an email address. */
function signBefore(source: string, start: number): string {
  const sign = source[start - 1] ?? "";
  if (sign !== "#" && sign !== "@") return "";
  return start === 1 || !/[\p{L}\p{N}_]/u.test(source[start - 2] ?? "") ? sign : "";
}

/** A word as `tsvector` and `tsquery` read it, whatever is in it. */
export function quoted(lexeme: string): string {
  return /['\\]/.test(lexeme) ? `'${lexeme.replaceAll(/['\\]/g, "$&$&")}'` : `'${lexeme}'`;
}

/** Whether the words of a mention fit, by the index on them. */
export function wordsSql(tsquery: string): RawBuilder<boolean> {
  return sql<boolean>`words @@ ${tsquery}::tsquery`;
}
