import {
  type Expression,
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isDoStatement,
  isExpressionStatement,
  isForStatement,
  isFunctionDeclaration,
  isIfStatement,
  isMethodDeclaration,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isWhileStatement,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";

/** What stands in place of an expression. `shown`: before and after, where the whole would be long. */
export interface Change {
  readonly after: string;
  readonly shown?: readonly [before: string, after: string];
}

/** What may stand in place of an expression: each is one small mistake. Pure; texts as in `source`. */
export function changesOf(node: Node, source: string): Change[] {
  const text = (of: Node) => source.slice(of.getStart(), of.end);
  const { parent } = node;
  const changes: string[] = [];
  if (isLoopCondition(node)) changes.push("false");
  else if (isCondition(node)) changes.push("true", "false");

  if (isExpressionStatement(parent) && removable(node)) changes.push("undefined");
  if (isBinaryExpression(node)) {
    const [left, right] = [text(node.left), text(node.right)];
    const operator = text(node.operatorToken);
    if (operator === "&&" || operator === "||") changes.push(left, right);
    else if (operator === "??") changes.push(right);
    else
      for (const other of operators(operator, leadsToCondition(node)))
        changes.push(`${left} ${other} ${right}`);
  } else if (isPrefixUnaryExpression(node)) {
    if (node.operator === SyntaxKind.ExclamationToken && !isCondition(node)) changes.push(text(node.operand));
    if (node.operator === SyntaxKind.MinusToken && !isNumericLiteral(node.operand))
      changes.push(text(node.operand));
  } else if (isNumericLiteral(node)) {
    const value = Number(text(node).replaceAll("_", ""));
    changes.push(Number.isInteger(value) && value < 10 ? `${value + 1}` : `${value * 2}`);
  } else if (node.kind === SyntaxKind.TrueKeyword) changes.push("false");
  else if (node.kind === SyntaxKind.FalseKeyword) changes.push("true");
  else if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) {
    if (node.text.trim() !== "" && !isTaggedTemplateExpression(parent)) changes.push('""');
  } else if (isTemplateExpression(node) && !isTaggedTemplateExpression(parent)) changes.push('""');
  else if (isArrayLiteralExpression(node) && node.elements.length > 0) changes.push("[]");
  else if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression;
    const [receiver, called] = [text(expression), name.text];
    if (LEFT_OUT.has(called)) changes.push(receiver);
    const other = OTHER_METHODS.get(`${receiver}.${called}`) ?? OTHER_METHODS.get(called);
    if (other !== undefined) changes.push(`${receiver}.${other}${source.slice(name.end, node.end)}`);
  }
  return [...new Set(changes)].filter((after) => after !== text(node)).map((after) => ({ after }));
}

/** A constant of the file moved by 12 %: to the next whole number where it counts something. */
export function movedConstants(node: Node, source: string): Change[] {
  if (!isNumericLiteral(node) || isInFunction(node)) return [];
  const value = Number(source.slice(node.getStart(), node.end).replaceAll("_", ""));
  const moved = value * 1.12;
  const isCount = Number.isInteger(value) && value > 4;
  return value === 0 ? [] : [{ after: String(isCount ? Math.round(moved) : moved) }];
}

function isInFunction(node: Node): boolean {
  for (let one: Node | undefined = node.parent; one !== undefined; one = one.parent)
    if (isFunctionDeclaration(one) || isArrowFunction(one) || isMethodDeclaration(one)) return true;
  return false;
}

/** Only what is called or written: other statements have no expression that could be left out. */
function removable(node: Node): boolean {
  if (isBinaryExpression(node)) return node.operatorToken.kind >= SyntaxKind.FirstAssignment;
  return isCallExpression(node) || node.kind === SyntaxKind.AwaitExpression || isDelete(node);
}

function isDelete(node: Node): boolean {
  return node.kind === SyntaxKind.DeleteExpression;
}

/**
 * The boundary, and where a condition is not replaced as a whole anyway, the opposite.
 */
function operators(operator: string, isInCondition: boolean): readonly string[] {
  const [boundary, opposite] = OPERATORS.get(operator) ?? [];
  return [boundary, isInCondition ? undefined : opposite].filter((one) => one !== undefined);
}

const OPERATORS = new Map<string, readonly [string | undefined, string?]>([
  ["<", ["<=", ">="]],
  ["<=", ["<", ">"]],
  [">", [">=", "<="]],
  [">=", [">", "<"]],
  ["===", [undefined, "!=="]],
  ["!==", [undefined, "==="]],
  ["+", ["-"]],
  ["-", ["+"]],
  ["*", ["/"]],
  ["/", ["*"]],
  ["%", ["*"]],
  ["**", ["*"]],
  ["+=", ["-="]],
  ["-=", ["+="]],
]);

/** Calls that change a value: without them it stays as it is. */
const LEFT_OUT = new Set(
  "filter sort toSorted reverse toReversed slice trim toLowerCase flat concat join padStart".split(" "),
);

const OTHER_METHODS = new Map([
  ["some", "every"],
  ["every", "some"],
  ["find", "findLast"],
  ["findLast", "find"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["Math.min", "max"],
  ["Math.max", "min"],
  ["Math.floor", "ceil"],
  ["Math.ceil", "floor"],
  ["Math.round", "floor"],
]);

function isCondition(node: Node): boolean {
  const { parent } = node;
  return (
    ((isIfStatement(parent) || isLoop(parent)) && parent.expression === node) ||
    (isConditionalExpression(parent) && parent.condition === node)
  );
}

/** A loop that never ends shows nothing. */
function isLoopCondition(node: Node): boolean {
  return (
    (isLoop(node.parent) && node.parent.expression === node) ||
    (isForStatement(node.parent) && node.parent.condition === node)
  );
}

function isLoop(node: Node): node is Node & { readonly expression: Expression } {
  return isWhileStatement(node) || isDoStatement(node);
}

/** Part of a condition whose value, both ways, is tried as a whole. */
function leadsToCondition(node: Node): boolean {
  if (isCondition(node)) return true;
  const { parent } = node;
  const joins =
    isParenthesizedExpression(parent) ||
    (isPrefixUnaryExpression(parent) && parent.operator === SyntaxKind.ExclamationToken) ||
    (isBinaryExpression(parent) &&
      (parent.operatorToken.kind === SyntaxKind.AmpersandAmpersandToken ||
        parent.operatorToken.kind === SyntaxKind.BarBarToken));
  return joins && leadsToCondition(parent);
}
