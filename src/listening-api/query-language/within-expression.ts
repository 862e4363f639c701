import type { Expression, Term, Within } from "./expression.ts";
import type { TextForm } from "./lexemes.ts";
import type { Problems, Span } from "./problem.ts";

/** What `expression~5` means: its words, or the operands of its AND, within that many words of each other. */
export function withinExpression(
  expression: Expression,
  form: TextForm | "group",
  tilde: Span & { readonly distance: number },
  problems: Problems,
): Expression {
  const span = { start: expression.start, end: tilde.end };
  if (form === "group") return withinGroup(expression, tilde.distance, span, problems);
  if (expression.kind === "term" && expression.pieces.length > 1 && form !== "word") {
    return { kind: "within", of: wordsOf(expression), distance: tilde.distance, ...span };
  }
  problems.add(
    "warning",
    "tilde-single-word",
    span,
    form === "word"
      ? 'After a single word ~ is an inexact search on the live service, and is ignored here; write "two words"~5.'
      : 'On a single word ~ has no effect; write "two words"~5.',
  );
  return { ...expression, ...span };
}

function withinGroup(expression: Expression, distance: number, span: Span, problems: Problems): Expression {
  if (isTooNested(expression, 0)) {
    problems.add(
      "error",
      "tilde-nesting",
      span,
      "Brackets with ~ take one more level of brackets and no NEAR or ~ inside; write NEAR/5 instead.",
    );
  }
  if (expression.kind === "all") return within(expression.of, distance, span);
  if (expression.kind !== "any") return { ...expression, ...span };
  const of = expression.of.map((each) => (each.kind === "all" ? within(each.of, distance, each) : each));
  return { kind: "any", of, ...span };
}

function within(of: readonly Expression[], distance: number, { start, end }: Span): Expression {
  const near = of.filter((each) => each.kind !== "not").map((expression) => ({ expression, times: 1 }));
  const rest = of.filter((each) => each.kind === "not");
  const together: Within = { kind: "within", of: near, distance, start, end };
  return rest.length === 0 ? together : { kind: "all", of: [together, ...rest], start, end };
}

function isTooNested(expression: Expression, depth: number): boolean {
  switch (expression.kind) {
    case "term":
    case "field":
      return false;
    case "not":
      return isTooNested(expression.of, depth);
    case "near":
    case "within":
      return true;
    case "all":
    case "any":
      return depth >= 2 || expression.of.some((each) => isTooNested(each, depth + 1));
  }
}

/** Each word of the phrase alone; a word that occurs in it twice is required twice. */
function wordsOf(phrase: Term): Within["of"] {
  const words = new Map<string, { expression: Term; times: number }>();
  phrase.pieces.forEach((piece, i) => {
    const lead = i === 0 ? phrase.lead : piece.signs;
    const trail = i === phrase.pieces.length - 1 ? phrase.trail : "";
    const key = JSON.stringify([piece.word, lead, trail]);
    const times = (words.get(key)?.times ?? 0) + 1;
    words.set(key, { expression: { ...phrase, pieces: [{ ...piece, signs: "" }], lead, trail }, times });
  });
  return [...words.values()];
}
