import { type Expression, type Not, partsOf } from "./expression.ts";
import type { Problems } from "./problem.ts";

/** The rules that look at the whole tree rather than at one level of it. */
export function lintExpression(root: Expression, problems: Problems): void {
  if (onlyNegates(root)) {
    problems.add(
      "error",
      "only-negates",
      root,
      "This only says what must not be there; write what is looked for first, such as word NOT other.",
    );
  }
  lint(root, problems);
}

function lint(expression: Expression, problems: Problems): void {
  switch (expression.kind) {
    case "term":
    case "field":
      return;
    case "not":
      lintNegation(expression, problems);
      break;
    case "near":
      for (const side of [expression.left, expression.right]) lintNearOperand(side, problems);
      break;
    case "any":
      if (!onlyNegates(expression)) lintAlternatives(expression.of, problems);
      break;
    case "within":
      for (const { expression: part } of expression.of) if (!hasText(part)) noPlace(part, problems);
      break;
    case "all":
      break;
  }
  for (const each of partsOf(expression)) lint(each, problems);
}

/** Sources that are restricted give only few of the fields, so this is what surprises people. */
function lintNegation(negation: Not, problems: Problems): void {
  const names = [...new Set(fieldsOf(negation.of))];
  if (names.length === 0) return;
  problems.add(
    "note",
    "field-negated",
    negation,
    `A mention about which ${names.join(", ")} is not known does not match the field, so it matches this NOT.`,
  );
}

function fieldsOf(expression: Expression): string[] {
  if (expression.kind === "field") {
    const { field } = expression.test;
    return field.isUnknown ? [] : [`${field.name}:`];
  }
  return expression.kind === "not" ? [] : partsOf(expression).flatMap(fieldsOf);
}

function lintAlternatives(of: readonly Expression[], problems: Problems): void {
  for (const each of of.filter(onlyNegates)) {
    problems.add(
      "warning",
      "matches-nearly-all",
      each,
      "As an alternative this matches nearly every mention; write AND in place of OR, or word NOT other.",
    );
  }
}

function lintNearOperand(side: Expression, problems: Problems): void {
  if (hasAnd(side)) {
    problems.add(
      "error",
      "near-operand",
      side,
      "AND cannot stand inside an operand of NEAR; write (a NEAR/5 c) AND (b NEAR/5 c), or (a AND b)~5.",
    );
  } else if (!hasText(side)) noPlace(side, problems);
}

function noPlace(part: Expression, problems: Problems): void {
  problems.add(
    "warning",
    "near-operand",
    part,
    "This has no place in the text, so nothing is near it; write it outside: (a NEAR/5 b) AND site:example.com.",
  );
}

/** An AND of at least two things that are looked for; `a NOT b` is none. */
function hasAnd(side: Expression): boolean {
  if (side.kind === "any") return side.of.some(hasAnd);
  if (side.kind !== "all") return false;
  const positive = side.of.filter((each) => each.kind !== "not");
  return positive.length > 1 || positive.some(hasAnd);
}

function hasText(expression: Expression): boolean {
  if (expression.kind === "term") return true;
  if (expression.kind === "field" || expression.kind === "not") return false;
  return partsOf(expression).some(hasText);
}

/** Whether a text with nothing in it would match for what it lacks, and nothing else could. */
function onlyNegates(expression: Expression): boolean {
  switch (expression.kind) {
    case "not":
      return !onlyNegates(expression.of);
    case "all":
    case "any":
      return expression.of.length > 0 && expression.of.every(onlyNegates);
    case "term":
    case "field":
    case "near":
    case "within":
      return false;
  }
}
