import type { Expression, Term, WordPattern } from "../query-language/expression.ts";
import { CUT, LONGEST_LEXEME, PLACES_LOST, quoted } from "./mention-words.ts";

/** What the index on words can say about a text. */
export interface SearchPlan {
  /** A `tsquery` that every match fits; null where nothing is certain. */
  readonly tsquery: string | null;
  /** What fits it matches, as long as no vector was cut. */
  readonly isExact: boolean;
}

/** PostgreSQL refuses queries of more than some ten thousand words. */
const MOST_TERMS = 5_000;

/**
 * Words, hashtags and names, beginnings of words (`compl*`), and AND, OR, NOT over them are decided by the index.
 * Phrases, NEAR, upper case, accents, signs and fields are narrowed by it and left to the matcher.
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

const NOTHING_CERTAIN: SearchPlan = { tsquery: null, isExact: false };

function planOf(expression: Expression, counter: { terms: number }): SearchPlan {
  switch (expression.kind) {
    case "term":
      counter.terms += Math.max(1, expression.pieces.length);
      return ofTerm(expression);
    case "field":
      return NOTHING_CERTAIN;
    case "not": {
      const inner = planOf(expression.of, counter);
      return inner.isExact && inner.tsquery !== null
        ? { tsquery: `!(${inner.tsquery})`, isExact: true }
        : NOTHING_CERTAIN;
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
  if (certain.length === 0) return NOTHING_CERTAIN;
  return {
    tsquery: certain.map((one) => `(${one})`).join(" & "),
    isExact: parts.every((part) => part.isExact),
  };
}

function either(parts: readonly SearchPlan[]): SearchPlan {
  const certain = parts.flatMap(({ tsquery }) => tsquery ?? []);
  if (certain.length < parts.length || parts.length === 0) return NOTHING_CERTAIN;
  return {
    tsquery: certain.map((one) => `(${one})`).join(" | "),
    isExact: parts.every((part) => part.isExact),
  };
}

function narrowed({ tsquery }: SearchPlan): SearchPlan {
  return { tsquery, isExact: false };
}

function ofTerm({ pieces, lead, trail, where }: Term): SearchPlan {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1 && trail === "" && where === "anywhere") {
    const isSigned = lead === "#" || lead === "@";
    const lexeme = exactLexeme(only.word, isSigned ? lead : "");
    if (lexeme !== undefined && (lead === "" || isSigned)) return { tsquery: lexeme, isExact: true };
  }
  const lexemes = pieces.map(({ word }) => roughLexeme(word));
  const certain = lexemes.flatMap((lexeme) => lexeme ?? []);
  if (certain.length === 0) return NOTHING_CERTAIN;
  const isWhole = certain.length === lexemes.length && certain.length > 1;
  return {
    tsquery: isWhole ? `(${certain.join(" <-> ")}) | ${PLACES_LOST}` : certain.join(" & "),
    isExact: false,
  };
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
