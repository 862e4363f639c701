import type { Expression, Term, WordPattern } from "../query-language/expression.ts";
import { CUT, LONGEST_LEXEME, PLACES_LOST, quoted } from "./mention-words.ts";

/** What the index on words can say about a text. */
export interface SearchPlan {
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
