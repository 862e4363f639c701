import type { FieldExpression } from "./expression.ts";
import type { Field } from "./fields/field.ts";
import type { Problems, Span } from "./problem.ts";

/** `field:value`. Faults of the value are reported; the expression exists all the same. */
export function readFieldValue(
  field: Field,
  { text }: { readonly text: string },
  { start, end }: Span,
  problems: Problems,
): FieldExpression {
  const span = { start, end };
  const value = text.trim();
  if (value === "") {
    problems.add("error", "field-value", span, `${field.name}: needs a value; write ${field.name}:word.`);
  } else if (field.kind === "range") {
    const example = field.limits?.example ?? "[1 TO 5]";
    problems.add("error", "range", span, `${field.name}: takes a range; write ${field.name}:${example}.`);
  } else {
    const fault = field.check?.(value);
    if (fault !== undefined) problems.add(fault.severity, "field-value", span, fault.message);
    else checkText(field, value, span, problems);
  }
  return { kind: "field", test: { kind: "value", field, value }, ...span };
}

function checkText(field: Field, value: string, span: Span, problems: Problems): void {
  if (/[*]|\w\?/.test(value) && !/^(?:url|links|site)$/.test(field.name)) {
    problems.add(
      "warning",
      "field-wildcard",
      span,
      `Wildcards count in plain text only, so ${field.name}: looks for these very signs; write the whole value.`,
    );
  } else if (field.name === "publication") {
    problems.add(
      "warning",
      "field-place",
      span,
      "publication: works in rules and in searches, not in queries; write site: with the address of the publication.",
    );
  } else if (field.isUnknown) {
    problems.add(
      "note",
      "field-without-values",
      span,
      `No mention carries ${field.name}: here, so it never matches, and NOT ${field.name}: always does.`,
    );
  }
}

/** `field:[a TO b]`. */
export function readFieldRange(
  field: Field,
  { text }: { readonly text: string },
  { start, end }: Span,
  problems: Problems,
): FieldExpression {
  const span = { start, end };
  const [, from = "", to = ""] = /^\s*(\S+)\s+TO\s+(\S+)\s*$/.exec(text) ?? [];
  const fault = rangeFault(field, from, to);
  if (fault !== undefined) problems.add("error", "range", span, fault);
  return { kind: "field", test: { kind: "range", field, from: Number(from), to: Number(to) }, ...span };
}

function rangeFault({ name, limits }: Field, from: string, to: string): string | undefined {
  if (limits === undefined) return `${name}: takes a value, no range; write ${name}:word.`;
  const instead = `write ${name}:${limits.example}.`;
  if (from === "") return `A range has two numbers and an upper-case TO between them; ${instead}`;
  const number = limits.wholeNumbers ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/;
  if (!number.test(from) || !number.test(to)) {
    return `${name}: takes ${limits.wholeNumbers ? "whole numbers" : "numbers"} on both sides of TO; ${instead}`;
  }
  if ([from, to].some((end) => Number(end) < limits.min || Number(end) > limits.max)) {
    return `${name}: takes numbers from ${limits.min} to ${limits.max}; ${instead}`;
  }
  if (Number(from) > Number(to)) return `The smaller number comes first; write ${name}:[${to} TO ${from}].`;
  return undefined;
}
