import type { Expression, Term, WordPattern } from "./expression.ts";

/**
 * A word, or the beginning of one, without case and accents: every word that fits its pattern is it (`isWhole`) or
 * begins with it once it is folded.
 */
export interface RequiredTerm {
  readonly folded: string;
  readonly isWhole: boolean;
}

/** Any text that matches has at least one of these. */
export type Alternatives = readonly RequiredTerm[];

/** More narrows nothing down any further. */
const MOST_CONDITIONS = 20;
const MOST_ALTERNATIVES = 50_000;

/**
 * What any matching text (title and text together) has to contain, in conjunctive form: one of each list. Empty when
 * nothing is certain, as for a query of fields or signs alone.
 */
export function requiredTerms(expression: Expression): readonly Alternatives[] {
  return conditionsOf(expression, { ofTerm, either }).slice(0, MOST_CONDITIONS);
}

/**
 * Conditions that any matching text meets. `ofTerm` gives those of a term, `either` those of an OR from those of its
 * parts; fields and NOT give none.
 */
export function conditionsOf<Condition>(
  expression: Expression,
  ways: {
    readonly ofTerm: (term: Term) => Condition[];
    readonly either: (parts: readonly Condition[][]) => Condition[];
  },
): Condition[] {
  const conditions = (one: Expression): Condition[] => {
    switch (one.kind) {
      case "term":
        return ways.ofTerm(one);
      case "field":
      case "not":
        return [];
      case "all":
        return one.of.flatMap(conditions);
      case "within":
        return one.of.flatMap((each) => conditions(each.expression));
      case "near":
        return [...conditions(one.left), ...conditions(one.right)];
      case "any":
        return ways.either(one.of.map(conditions));
    }
  };
  return conditions(expression);
}

function ofTerm(term: Term): Alternatives[] {
  return term.pieces.flatMap(({ word }) => (word.folded === "" ? [] : [[requiredBy(word)]]));
}

function requiredBy(word: WordPattern): RequiredTerm {
  return { folded: word.folded, isWhole: word.kind !== "glob" };
}

/** Of each alternative the condition that is hardest to meet; none when one of them requires nothing. */
function either(parts: readonly Alternatives[][]): Alternatives[] {
  const together: RequiredTerm[] = [];
  for (const conditions of parts) {
    const hardest = hardestOf(conditions);
    if (hardest === undefined) return [];
    for (const term of hardest) together.push(term);
    if (together.length > MOST_ALTERNATIVES) return [];
  }
  return together.length === 0 ? [] : [together];
}

/** The one with the fewest alternatives; of those, the one whose shortest word is the longest. */
function hardestOf(all: readonly Alternatives[]): Alternatives | undefined {
  return all.reduce<Alternatives | undefined>((best, next) => {
    if (best === undefined || next.length < best.length) return next;
    return next.length === best.length && shortest(next) > shortest(best) ? next : best;
  }, undefined);
}

function shortest(alternatives: Alternatives): number {
  return alternatives.reduce(
    (length, { folded }) => Math.min(length, folded.length),
    Number.POSITIVE_INFINITY,
  );
}
