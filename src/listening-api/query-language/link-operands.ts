import type { Expression } from "./expression.ts";
import type { Problems, Span } from "./problem.ts";

/** The operator between two operands; `implicit` is only a space. */
export type Link = Span &
  (
    | { readonly kind: "and" | "or" | "not" | "implicit" }
    | { readonly kind: "near"; readonly distance: number; readonly forward: boolean }
  );

export interface Operand {
  readonly expression: Expression;
  /** A NOT precedes it, with no operand on its left. */
  readonly negated: boolean;
  /** Of that NOT, or of the expression. */
  readonly start: number;
  /** Already reported. */
  readonly isMissing: boolean;
}

/**
 * Makes one expression of a level of brackets. There is no precedence: AND and OR, or NEAR and either, on one level
 * are errors. Only NOT mixes with all of them, and takes what it follows: `a OR b NOT c` is `a OR (b NOT c)`.
 */
export function linkOperands(
  operands: readonly Operand[],
  links: readonly Link[],
  problems: Problems,
): Expression | undefined {
  checkLinks(operands, links, problems);
  const first = operands[0];
  if (first === undefined) return undefined;
  const units: Expression[][] = [[signed(first)]];
  const joints: Link[] = [];
  links.forEach((link, i) => {
    const operand = operands[i + 1];
    if (operand === undefined) return;
    if (link.kind === "not") units.at(-1)?.push(not(signed(operand), link.start));
    else {
      joints.push(link);
      units.push([signed(operand)]);
    }
  });
  const kind = joints[0]?.kind;
  if (kind === undefined || kind === "and" || kind === "implicit") return joined("all", units.flat());
  if (kind === "or")
    return joined(
      "any",
      units.map((unit) => joined("all", unit)),
    );
  return near(units, joints);
}

function near(units: readonly Expression[][], joints: readonly Link[]): Expression {
  const [left, right] = units.map((unit) => joined("all", unit));
  const joint = joints[0];
  if (left === undefined || right === undefined || joint?.kind !== "near") return joined("all", units.flat());
  const { distance, forward } = joint;
  return { kind: "near", left, right, distance, forward, start: left.start, end: right.end };
}

function joined(kind: "all" | "any", of: readonly Expression[]): Expression {
  const only = of[0];
  if (only !== undefined && of.length === 1) return only;
  // Of an AND, two equal operands stay two: NEAR and ~ count them.
  return {
    kind,
    of: kind === "any" ? withoutRepeats(of) : of,
    start: of[0]?.start ?? 0,
    end: of.at(-1)?.end ?? 0,
  };
}

/** Lists of words are pasted together and name some of them twice. */
function withoutRepeats(of: readonly Expression[]): readonly Expression[] {
  const seen = new Set<string>();
  return of.filter((each) => {
    if (each.kind !== "term") return true;
    const { pieces, lead, trail, where } = each;
    const key = JSON.stringify([pieces, lead, trail, where]);
    return !seen.has(key) && seen.add(key);
  });
}

function signed({ expression, negated, start }: Operand): Expression {
  return negated ? not(expression, start) : expression;
}

function not(of: Expression, start: number): Expression {
  return { kind: "not", of, start, end: of.end };
}

function checkLinks(operands: readonly Operand[], links: readonly Link[], problems: Problems): void {
  for (const [i, link] of links.entries()) {
    if (link.kind !== "implicit" || operands[i]?.isMissing || operands[i + 1]?.isMissing) continue;
    problems.add(
      "warning",
      "implicit-and",
      link,
      'Without an operator between them both are looked for; write AND, or quotes for a phrase: "two words".',
    );
  }
  const and = links.find((link) => link.kind === "and" || link.kind === "implicit");
  const or = links.find((link) => link.kind === "or");
  const nears = links.filter((link) => link.kind === "near");
  if (and !== undefined && or !== undefined) mixed(and, or, problems);
  const near = nears[0];
  const other = and ?? or ?? nears[1];
  if (near !== undefined && other !== undefined) {
    problems.add(
      "error",
      "mixed-near",
      later(near, other),
      "NEAR must be the only operator between its brackets; write (a NEAR/5 b) AND c, or (a NEAR/5 b) NEAR/5 c.",
    );
  }
  const not = links.findIndex((link, i) => i > 0 && link.kind === "not");
  if (or !== undefined && and === undefined && links.findIndex((link) => link.kind === "or") < not) {
    problems.add(
      "warning",
      "ambiguous-not",
      links[not] ?? or,
      "This NOT belongs to the term before it only; write a OR (b NOT c), or (a OR b) NOT c.",
    );
  }
}

function mixed(and: Link, or: Link, problems: Problems): void {
  const what = and.kind === "implicit" ? "A missing operator means AND, which" : "AND";
  problems.add(
    "error",
    "mixed-operators",
    later(and, or),
    `${what} cannot be mixed with OR without brackets; write (a OR b) AND c, or a OR (b AND c).`,
  );
}

function later(one: Span, other: Span): Span {
  return one.start > other.start ? one : other;
}
