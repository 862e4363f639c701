import { type RawBuilder, sql } from "kysely";
import type { Expression, Term, WordPattern } from "../query-language/expression.ts";
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
const LONGEST_LEXEME = 250;
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
function quoted(lexeme: string): string {
  return /['\\]/.test(lexeme) ? `'${lexeme.replaceAll(/['\\]/g, "$&$&")}'` : `'${lexeme}'`;
}

/** Whether the words of a mention fit, by the index on them. */
export function wordsSql(tsquery: string): RawBuilder<boolean> {
  return sql<boolean>`words @@ ${tsquery}::tsquery`;
}

/** What the index on words can say about a text. */
interface SearchPlan {
  /** A `tsquery` that every match fits; null where nothing is certain. */
  readonly tsquery: string | null;
  /** A `tsquery` that nothing but matches fits. Null: whatever fits the other one has to be looked at. */
  readonly strict: string | null;
  /** The two differ in mentions of which not every place of a word is kept. */
  readonly needsPlaces: boolean;
}

/** PostgreSQL refuses queries of more than some ten thousand words. */
const MOST_TERMS = 5_000;

/**
 * Words, hashtags and names, beginnings of words (`compl*`), phrases of these, and AND, OR, NOT over them are decided
 * by the index. NEAR, upper case, accents, signs and fields are narrowed by it and left to the matcher.
 */
export function searchPlan(expression: Expression): SearchPlan {
  const counter = { terms: 0 };
  const plan = planOf(expression, counter);
  return counter.terms > MOST_TERMS ? NOTHING_CERTAIN : plan;
}

/** Every match fits it, and so does every mention whose vector was cut. */
export function narrowing({ tsquery }: SearchPlan): string | null {
  return tsquery === null ? null : `(${tsquery}) | ${CUT}`;
}

const NOTHING_CERTAIN: SearchPlan = { tsquery: null, strict: null, needsPlaces: false };

function planOf(expression: Expression, counter: { terms: number }): SearchPlan {
  switch (expression.kind) {
    case "term":
      counter.terms += Math.max(1, expression.pieces.length);
      return ofTerm(expression);
    case "field":
      return NOTHING_CERTAIN;
    case "not": {
      const { tsquery, strict, needsPlaces } = planOf(expression.of, counter);
      if (tsquery === null || strict === null) return NOTHING_CERTAIN;
      return { tsquery: `!(${strict})`, strict: `!(${tsquery})`, needsPlaces };
    }
    case "all":
      return both(expression.of.map((part) => planOf(part, counter)));
    case "any":
      return either(expression.of.map((part) => planOf(part, counter)));
    case "near":
      return narrowed(both([planOf(expression.left, counter), planOf(expression.right, counter)]));
    case "within":
      return narrowed(both(expression.of.map((part) => planOf(part.expression, counter))));
  }
}

function both(parts: readonly SearchPlan[]): SearchPlan {
  const certain = parts.flatMap(({ tsquery }) => tsquery ?? []);
  return certain.length === 0 ? NOTHING_CERTAIN : joined(certain, parts, " & ");
}

function either(parts: readonly SearchPlan[]): SearchPlan {
  const certain = parts.flatMap(({ tsquery }) => tsquery ?? []);
  return certain.length < parts.length || parts.length === 0
    ? NOTHING_CERTAIN
    : joined(certain, parts, " | ");
}

function joined(certain: readonly string[], parts: readonly SearchPlan[], operator: string): SearchPlan {
  const strict = parts.flatMap((part) => part.strict ?? []);
  const join = (queries: readonly string[]) => queries.map((one) => `(${one})`).join(operator);
  return {
    tsquery: join(certain),
    strict: strict.length === parts.length ? join(strict) : null,
    needsPlaces: parts.some((part) => part.needsPlaces),
  };
}

function narrowed({ tsquery }: SearchPlan): SearchPlan {
  return { tsquery, strict: null, needsPlaces: false };
}

function ofTerm({ pieces, lead, trail, where }: Term): SearchPlan {
  const isPlain = trail === "" && where === "anywhere" && pieces.every(({ signs }) => signs === "");
  const isSigned = lead === "#" || lead === "@";
  if (isPlain && (lead === "" || (isSigned && pieces.length === 1))) {
    const exact = pieces.flatMap(({ word }) => exactLexeme(word, lead) ?? []);
    if (exact.length === pieces.length && exact.length > 0) return decided(exact);
  }
  const lexemes = pieces.map(({ word }) => roughLexeme(word));
  const certain = lexemes.flatMap((lexeme) => lexeme ?? []);
  if (certain.length === 0) return NOTHING_CERTAIN;
  const isWhole = certain.length === lexemes.length && certain.length > 1;
  return narrowed(isWhole ? decided(certain) : { ...NOTHING_CERTAIN, tsquery: certain.join(" & ") });
}

/** Words next to each other. Of a text that is too long for the index their places may be lost. */
function decided(lexemes: readonly string[]): SearchPlan {
  const strict = lexemes.join(" <-> ");
  if (lexemes.length === 1) return { tsquery: strict, strict, needsPlaces: false };
  return { tsquery: `(${strict}) | ${PLACES_LOST}`, strict: `(${strict})`, needsPlaces: true };
}

/** What decides about a word, under the sign in front of it. */
function exactLexeme(word: WordPattern, sign: string): string | undefined {
  if (word.folded === "" || word.folded.length >= LONGEST_LEXEME) return undefined;
  if (word.kind === "plain") return quoted(sign + word.folded);
  if (word.kind === "glob" && word.form === "folded" && word.glob === `${word.folded}*`)
    return `${quoted(sign + word.folded)}:*`;
  return undefined;
}

/** What every word has that fits. */
function roughLexeme(word: WordPattern): string | undefined {
  if (word.folded === "" || word.folded.length >= LONGEST_LEXEME) return undefined;
  return word.kind === "glob" ? `${quoted(word.folded)}:*` : quoted(word.folded);
}
