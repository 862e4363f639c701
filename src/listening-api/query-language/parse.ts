import type { Expression } from "./expression.ts";
import type { Field } from "./fields/define-field.ts";
import type { Lexeme } from "./lexemes.ts";
import { type Link, linkOperands, type Operand } from "./link-operands.ts";
import type { Problems, Span } from "./problem.ts";
import { readFieldRange, readFieldValue, readTerm } from "./read-operand.ts";
import { withinExpression } from "./within-expression.ts";

/** Deeper brackets are refused: nobody writes them, and code that visits the tree may recurse. */
const DEEPEST = 100;

/** Builds the tree. It is whole only while `problems` has no error; undefined when there is nothing to build on. */
export function parse(lexemes: readonly Lexeme[], problems: Problems): Expression | undefined {
  let position = 0;
  /** Brackets that were not read to their end get no problems of their own. */
  let isAbandoned = false;

  function tree(): Expression | undefined {
    const expression = level(0, undefined);
    for (let next = lexemes[position]; next !== undefined; next = lexemes[position]) {
      problems.add("error", "unopened", next, "There is no ( before this ); remove it.");
      position++;
      level(0, undefined);
    }
    return expression;
  }

  /** One level of brackets: operands and the operators between them. */
  function level(depth: number, field: Field | undefined): Expression | undefined {
    const operands: Operand[] = [];
    const links: Link[] = [];
    let link: Link | undefined;
    let negation: Span | undefined;
    let negated = false;
    for (
      let next = lexemes[position];
      next !== undefined && next.kind !== "close";
      next = lexemes[position]
    ) {
      const joint = jointOf(next);
      if (joint !== undefined) {
        position++;
        if (negation !== undefined || link !== undefined || operands.length === 0) missing(next, "before");
        else link = joint;
        continue;
      }
      if (next.kind === "not") {
        position++;
        if (operands.length > 0 && link === undefined)
          link = { kind: "not", start: next.start, end: next.end };
        else {
          negated = !negated;
          negation = next;
        }
        continue;
      }
      const start = negation?.start ?? next.start;
      const expression = operand(next, depth, field);
      const last = operands.at(-1);
      if (last !== undefined) {
        links.push(link ?? { kind: "implicit", start: last.expression.end, end: next.start });
      }
      link = undefined;
      operands.push(
        expression === undefined
          ? {
              isMissing: true,
              negated: false,
              start,
              expression: { kind: "any", of: [], start, end: next.end },
            }
          : { isMissing: false, negated, start, expression },
      );
      negated = false;
      negation = undefined;
    }
    const dangling = negation ?? link;
    if (dangling !== undefined) missing(dangling, "after");
    return linkOperands(operands, links, problems);
  }

  function operand(first: Lexeme, depth: number, field: Field | undefined): Expression | undefined {
    position++;
    switch (first.kind) {
      case "open":
        return tilded(group(first, depth, field), first);
      case "text":
        return tilded(text(first, field), first);
      case "field":
        if (field === undefined) return fieldValue(first, depth);
        problems.add(
          "error",
          "field-value",
          first,
          `${first.field.name}: cannot stand inside ${field.name}:(…).`,
        );
        return undefined;
      case "range":
        if (field !== undefined) return readFieldRange(field, first, first, problems);
        problems.add(
          "error",
          "range",
          first,
          'A range belongs to a field; write rating:[3 TO 5], or put the text in quotes: "[…]".',
        );
        return undefined;
      case "tilde":
        problems.add("error", "tilde", first, 'The ~ must follow its text directly; write "two words"~5.');
        return undefined;
      default:
        return undefined;
    }
  }

  function group(open: Lexeme, depth: number, field: Field | undefined): Expression | undefined {
    if (depth >= DEEPEST) {
      problems.add(
        "error",
        "too-deep",
        open,
        `Brackets may be nested ${DEEPEST} deep; take some of them away.`,
      );
      position = lexemes.length;
      isAbandoned = true;
      return undefined;
    }
    const isEmpty = lexemes[position]?.kind === "close";
    const inside = level(depth + 1, field);
    const close = lexemes[position];
    const span = { start: open.start, end: close?.end ?? lexemes.at(-1)?.end ?? open.end };
    if (close !== undefined) position++;
    else if (!isAbandoned) problems.add("error", "unclosed", open, "Close this bracket with ).");
    if (isEmpty) {
      problems.add(
        "error",
        "missing-operand",
        span,
        "There is nothing in these brackets; remove them or fill them.",
      );
    }
    return inside === undefined ? undefined : { ...inside, ...span };
  }

  function text(lexeme: Lexeme & { kind: "text" }, field: Field | undefined): Expression | undefined {
    if (field !== undefined && field.kind !== "title") return readFieldValue(field, lexeme, lexeme, problems);
    return readTerm(
      { text: lexeme.text, form: lexeme.form, where: field ? "title" : "anywhere" },
      spanOf(lexeme),
      problems,
    );
  }

  function fieldValue(name: Lexeme & { kind: "field" }, depth: number): Expression | undefined {
    const { field } = name;
    const value = lexemes[position];
    const span = { start: name.start, end: value?.end ?? name.end };
    if (value?.kind === "text") {
      position++;
      if (field.kind !== "title") return readFieldValue(field, value, span, problems);
      return tilded(readTerm({ text: value.text, form: value.form, where: "title" }, span, problems), value);
    }
    if (value?.kind === "range") {
      position++;
      return readFieldRange(field, value, span, problems);
    }
    if (value?.kind === "open") {
      position++;
      return tilded(group(value, depth, field), value);
    }
    problems.add("error", "field-value", name, `${field.name}: needs a value; write ${field.name}:word.`);
    return undefined;
  }

  /** The text before a `~5`, or text without one. */
  function tilded(expression: Expression | undefined, first: Lexeme): Expression | undefined {
    const tilde = lexemes[position];
    if (tilde?.kind !== "tilde" || !tilde.glued) return expression;
    position++;
    if (expression === undefined) return undefined;
    const form = first.kind === "open" ? "group" : first.kind === "text" ? first.form : "word";
    return withinExpression(expression, form, tilde, problems);
  }

  function missing(operator: Span, side: "before" | "after"): void {
    problems.add(
      "error",
      "missing-operand",
      spanOf(operator),
      `There is nothing ${side} this operator; write a term there, or remove the operator.`,
    );
  }

  return tree();
}

function jointOf(lexeme: Lexeme): Link | undefined {
  if (lexeme.kind === "near") return lexeme;
  if (lexeme.kind === "and" || lexeme.kind === "or") return { ...spanOf(lexeme), kind: lexeme.kind };
  return undefined;
}

function spanOf({ start, end }: Span): Span {
  return { start, end };
}
