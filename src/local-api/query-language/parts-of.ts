import type { Expression } from "./expression.ts";

/** The expressions that this one is made of, one level down. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "term":
    case "field":
      return [];
    case "not":
      return [expression.of];
    case "near":
      return [expression.left, expression.right];
    case "within":
      return expression.of.map((each) => each.expression);
    case "all":
    case "any":
      return expression.of;
  }
}
