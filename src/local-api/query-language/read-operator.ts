import type { Lexeme } from "./lexeme.ts";
import type { Problems, Span } from "./problem.ts";

/**
 * The operator that a word is, or undefined if it is a word to search for; one that looks like an operator is reported.
 */
export function readOperator(word: string, { start, end }: Span, problems: Problems): Lexeme | undefined {
  const kind = Object.hasOwn(OPERATORS, word) ? OPERATORS[word] : undefined;
  if (kind !== undefined) return { kind, start, end };
  const [, digits, forward] = /^NEAR\/(\d{1,9})(f?)$/.exec(word) ?? [];
  if (digits !== undefined) {
    return { kind: "near", distance: Number(digits), forward: forward === "f", start, end };
  }
  if (/^NEAR(?:\/|$)/.test(word)) {
    problems.add(
      "error",
      "near-distance",
      { start, end },
      "NEAR needs a number of words; write NEAR/5, or NEAR/5f when the left one comes first.",
    );
    return { kind: "near", distance: 0, forward: false, start, end };
  }
  if (/^(?:and|or|not|near\/\d+f?)$/i.test(word)) {
    problems.add(
      "warning",
      "lower-case-operator",
      { start, end },
      `This is searched as a word, because operators count in upper case only; write ${word.toUpperCase().replace(/F$/, "f")}, or put it in quotes.`,
    );
  }
  return undefined;
}

const OPERATORS: Readonly<Record<string, "and" | "or" | "not">> = { AND: "and", OR: "or", NOT: "not" };
