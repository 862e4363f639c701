import {
  type MatchPosition,
  matchedBy,
  matchedByInSteps,
  matches,
  matchesInSteps,
  matchPositions,
} from "./evaluate.ts";
import type { Expression } from "./expression.ts";
import { readLexemes } from "./lexemes.ts";
import { lintExpression } from "./lint-expression.ts";
import { parse } from "./parse.ts";
import { createProblems, type Problem } from "./problem.ts";
import { type Alternatives, requiredTerms } from "./required-terms.ts";
import type { Searchable } from "./search-text.ts";

/** A Boolean query text, ready to be matched. */
export interface CompiledQuery {
  readonly text: string;
  readonly expression: Expression;
  /** Warnings and notes of the linter, in the order of the text. */
  readonly problems: readonly Problem[];
  /**
   * What the folded text (`foldText` of title and text) of any matching mention contains: one term of each list, as a
   * part of it. Good for a first, rough filter elsewhere, such as in SQL: what passes has to be matched still. Where
   * the text is not folded, let every text through that is not plain ASCII; the others fold to their lower case.
   * Empty when nothing is certain.
   */
  readonly required: readonly Alternatives[];
  matches(mention: Searchable): boolean;
  /** Why it matches: words of the text (not of the title), the first two hundred. Empty when it does not. */
  positions(mention: Searchable): MatchPosition[];
  /** Both, step by step, for texts and queries that may be long; null when it does not match. */
  matchInSteps(mention: Searchable): Generator<void, MatchPosition[] | null>;
}

type CompileResult =
  | { readonly ok: true; readonly query: CompiledQuery }
  /** At least one of the problems is an error. */
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Longer query texts are refused unread: reading one holds the whole server, at some 10 ms for 1,000 characters. */
const LONGEST = 50_000;

/**
 * Reads a Boolean query text: `compile(text)`. Never throws, whatever the text; time grows with its length. Match
 * with `query.matches(searchableMention({ … }))`; for many queries against a stream see `createQueryIndex`.
 */
export function compile(text: string): CompileResult {
  const problems = createProblems();
  const expression = text.length > LONGEST ? undefined : parse(readLexemes(text, problems), problems);
  if (text.length > LONGEST) {
    const span = { start: LONGEST, end: text.length };
    problems.add("error", "too-long", span, `A query has at most ${LONGEST} characters; make several of it.`);
  } else if (expression === undefined && !problems.hasErrors()) {
    const message = "The query is empty; write what is looked for, such as a name.";
    problems.add("error", "empty", { start: 0, end: text.length }, message);
  }
  if (expression !== undefined && !problems.hasErrors()) lintExpression(expression, problems);
  const sorted = [...problems.all].sort((a, b) => a.start - b.start || a.end - b.end);
  if (expression === undefined || problems.hasErrors()) return { ok: false, problems: sorted };
  return {
    ok: true,
    query: {
      text,
      expression,
      problems: sorted,
      required: requiredTerms(expression),
      matches: (mention) => matches(expression, mention),
      positions: (mention) => matchPositions(matchedBy(expression, mention) ?? [], mention.text.text),
      *matchInSteps(mention) {
        if (!(yield* matchesInSteps(expression, mention))) return null;
        return matchPositions((yield* matchedByInSteps(expression, mention)) ?? [], mention.text.text);
      },
    },
  };
}

/** Where a text is used: a few fields work in searches inside results only. */
export type QueryPlace = "query" | "search";

/** All problems of a query text, in the order of the text. Never throws. */
export function lint(text: string, place: QueryPlace = "query"): readonly Problem[] {
  const compiled = compile(text);
  const problems = compiled.ok ? compiled.query.problems : compiled.problems;
  return place === "query" ? problems : problems.filter(({ rule }) => rule !== "field-place");
}
