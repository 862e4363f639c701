import {
  type ArrowFunction,
  type BindingElement,
  type CallExpression,
  type Expression,
  type FunctionDeclaration,
  type FunctionExpression,
  isArrayLiteralExpression,
  isArrowFunction,
  isAsExpression,
  isAwaitExpression,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isExpression,
  isForOfStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNonNullExpression,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isSpreadElement,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isVariableDeclaration,
  type MethodDeclaration,
  type Node,
  type ObjectLiteralExpression,
} from "typescript/unstable/ast";
import { type Checker, type Symbol as NamedSymbol, SymbolFlags, TypeFlags } from "typescript/unstable/sync";

/** A part of the statement is only known when the program runs. The message says which. */
export class DynamicError extends Error {}

/** What the parameters of the functions around an expression are, where a call says it. */
type Bindings = ReadonlyMap<number, Binding>;
interface Binding {
  readonly node: Node;
  readonly bindings: Bindings;
  /** What stands for it. */
  readonly text?: string;
}

const PARAMETER = "\u0001";
/** More alternatives of one statement than these add nothing: each adds one fragment. */
const MOST_TEXTS = 12;
/** Names looked up for one text: beyond that, a function calls itself without end. */
const MOST_STEPS = 500;

/**
 * The texts that Kysely would send for an expression of the type RawBuilder, parameters as `$1`, `$2`. Where the code
 * chooses (a condition, a key of a table, several callers), there is a text for each choice.
 *
 * @param standIns what stands in the text for the call of a function by this name
 */
export function writeStatement(
  checker: Checker,
  root: Expression,
  standIns: ReadonlyMap<string, string> = new Map(),
): string[] {
  const texts = new Set<string>();
  let most = 1;
  let unknown: DynamicError | null = null;
  for (let nth = 0; nth < Math.min(most, MOST_TEXTS); nth++) {
    const writer = createWriter(checker, standIns, (count) => {
      most = Math.max(most, count);
      return Math.min(nth, count - 1);
    });
    try {
      texts.add(numbered(writer(root)));
    } catch (error) {
      if (!(error instanceof DynamicError)) throw error;
      unknown ??= error;
    }
  }
  if (texts.size === 0 && unknown !== null) throw unknown;
  return [...texts];
}

function numbered(text: string): string {
  let parameters = 0;
  return text.replaceAll(PARAMETER, () => `$${++parameters}`);
}

/** `choose` says which of so many alternatives is taken. */
function createWriter(
  checker: Checker,
  standIns: ReadonlyMap<string, string>,
  choose: (count: number) => number,
): (root: Expression) => string {
  const NONE: Bindings = new Map();
  let steps = 0;

  function pick<Item>(items: readonly Item[], what: Node): Item {
    const item = items[items.length === 0 ? 0 : choose(items.length)];
    if (item === undefined) throw dynamic(what);
    return item;
  }

  /** A RawBuilder as text; anything else is a parameter. */
  function fragment(node: Node, bindings: Bindings): string {
    const one = bare(node);
    if (isTaggedTemplateExpression(one)) return template(one.template, bindings, fragment);
    if (isConditionalExpression(one)) return fragment(pick([one.whenTrue, one.whenFalse], one), bindings);
    if (isBinaryExpression(one) && isFragment(one))
      return fragment(pick([one.left, one.right], one), bindings);
    if (isCallExpression(one)) {
      const built = standIns.get(one.expression.getText()) ?? builtIn(one, bindings);
      if (built !== null) return built;
    }
    if (!isFragment(node)) return PARAMETER;
    const bound = boundTo(one, bindings);
    if (bound === null) throw dynamic(one);
    return fragment(bound.node, bound.bindings);
  }

  function template(node: Node, bindings: Bindings, write: typeof fragment): string {
    if (isNoSubstitutionTemplateLiteral(node)) return node.text;
    if (!isTemplateExpression(node)) throw dynamic(node);
    return node.templateSpans.reduce(
      (text, { expression, literal }) => text + write(expression, bindings) + literal.text,
      node.head.text,
    );
  }

  /** `sql.join`, `sql.ref` and the like; null: another call. */
  function builtIn({ expression, arguments: words }: CallExpression, bindings: Bindings): string | null {
    if (!isPropertyAccessExpression(expression) || expression.expression.getText() !== "sql") return null;
    const [first, second] = words;
    if (first === undefined) throw dynamic(expression);
    switch (expression.name.text) {
      case "join":
        return list(first, bindings).join(second === undefined ? ", " : fragment(second, bindings));
      case "raw":
        return string(first, bindings);
      case "lit":
        return literal(first, bindings);
      case "ref":
        return string(first, bindings).split(".").map(quoted).join(".");
      case "id":
        return words.map((word) => quoted(string(word, bindings))).join(".");
      default:
        throw dynamic(expression);
    }
  }

  function literal(node: Node, bindings: Bindings): string {
    const isText = ((checker.getTypeAtLocation(bare(node))?.flags ?? 0) & TypeFlags.NumberLike) === 0;
    const text = string(node, bindings);
    return isText ? `'${text.replaceAll("'", "''")}'` : text;
  }

  /** The elements of a list; of one whose length is not known, one element. */
  function list(node: Node, bindings: Bindings): string[] {
    return elements(node, bindings).map((one) => one.text ?? fragment(one.node, one.bindings));
  }

  function elements(node: Node, bindings: Bindings): Binding[] {
    const one = bare(node);
    if (isConditionalExpression(one)) return elements(pick([one.whenTrue, one.whenFalse], one), bindings);
    if (isBinaryExpression(one)) return elements(one.left, bindings);
    if (isArrayLiteralExpression(one))
      return one.elements.flatMap((item) =>
        isSpreadElement(item) ? elements(item.expression, bindings) : [{ node: item, bindings }],
      );
    if (isCallExpression(one) && isPropertyAccessExpression(one.expression)) {
      const [work] = one.arguments;
      const method = one.expression.name.text;
      if (method === "filter") return elements(one.expression.expression, bindings);
      const text = work === undefined ? undefined : standIns.get(work.getText());
      if (text !== undefined) return [{ node: one, bindings, text }];
      const called = work === undefined ? null : functionOf(work, bindings);
      if ((method === "map" || method === "flatMap") && called !== null) {
        const over = items(one.expression.expression, bindings);
        return over.flatMap((item) => {
          const result = returned(
            called.node,
            bind(called.node, item === null ? [] : [item], called.bindings),
          );
          return method === "flatMap" ? elements(result.node, result.bindings) : [result];
        });
      }
    }
    const bound = boundTo(one, bindings);
    if (bound === null) throw dynamic(one);
    return elements(bound.node, bound.bindings);
  }

  /** What a list is mapped over; one unknown item if only the running program has it. */
  function items(node: Node, bindings: Bindings): (Binding | null)[] {
    try {
      return elements(node, bindings);
    } catch (error) {
      if (error instanceof DynamicError) return [null];
      throw error;
    }
  }

  /** A string that the program writes into a statement. A number in it is any number. */
  function string(node: Node, bindings: Bindings): string {
    const one = bare(node);
    if (isStringLiteral(one) || isNoSubstitutionTemplateLiteral(one) || isNumericLiteral(one))
      return one.text;
    if (isTemplateExpression(one)) return template(one, bindings, string);
    if (isConditionalExpression(one)) return string(pick([one.whenTrue, one.whenFalse], one), bindings);
    if (isBinaryExpression(one)) return string(one.left, bindings) + string(one.right, bindings);
    if (isCallExpression(one) && isPropertyAccessExpression(one.expression)) {
      const { expression: receiver, name } = one.expression;
      const [word] = one.arguments;
      if (name.text === "join")
        return elements(receiver, bindings)
          .map((item) => string(item.node, item.bindings))
          .join(word === undefined ? "," : string(word, bindings));
      if (one.getText().endsWith(SNAKE_CASE))
        return string(receiver, bindings).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    }
    try {
      const bound = boundTo(one, bindings);
      if (bound !== null) return string(bound.node, bound.bindings);
    } catch (error) {
      // Its type may say more than the code.
      if (!(error instanceof DynamicError)) throw error;
    }
    const type = checker.getTypeAtLocation(one);
    const types = type?.isUnionType() === true ? type.getTypes() : type === undefined ? [] : [type];
    const texts = types.flatMap((each) => (each.isStringLiteralType() ? [each.value] : []));
    if (texts.length > 0 && texts.length === types.length) return pick(texts, one);
    if (types.length > 0 && types.every(({ flags }) => (flags & TypeFlags.NumberLike) !== 0)) return "1";
    throw dynamic(one);
  }

  /** The expression that a name, a key of a table or the call of a function stands for; null if nothing says it. */
  function boundTo(node: Node, bindings: Bindings): Binding | null {
    if (++steps > MOST_STEPS) throw dynamic(node);
    if (isIdentifier(node)) return valueNamed(checker.getSymbolAtLocation(node), node, bindings);
    if (isPropertyAccessExpression(node)) return property(node.expression, node.name.text, bindings);
    if (isElementAccessExpression(node)) {
      const table = objectOf(node.expression, bindings);
      if (table === null) return null;
      const values = table.node.properties.flatMap((one) =>
        isPropertyAssignment(one) ? [one.initializer] : [],
      );
      return { node: pick(values, node), bindings: table.bindings };
    }
    if (isCallExpression(node)) {
      const called = functionOf(node.expression, bindings);
      if (called === null) return null;
      const words = node.arguments.map((word) => ({ node: word, bindings }));
      return returned(called.node, bind(called.node, words, called.bindings));
    }
    return null;
  }

  function valueNamed(named: NamedSymbol | undefined, at: Node, bindings: Bindings): Binding | null {
    if (named === undefined) return null;
    const symbol = (named.flags & SymbolFlags.Alias) === 0 ? named : checker.getAliasedSymbol(named);
    const bound = bindings.get(symbol.id);
    if (bound !== undefined) return bound;
    const declaration = symbol.valueDeclaration?.resolve();
    if (declaration === undefined) return null;
    if (isVariableDeclaration(declaration)) {
      const loop = declaration.parent.parent;
      if (isForOfStatement(loop)) return pick(elements(loop.expression, bindings), at);
      return declaration.initializer === undefined ? null : { node: declaration.initializer, bindings };
    }
    if (isBindingElement(declaration)) return fieldOf(declaration, at, bindings);
    if (isParameterDeclaration(declaration)) return passed(declaration, at, bindings);
    return null;
  }

  /** `{ where }` of a variable, or of a parameter, whose value is an object that is written here. */
  function fieldOf(element: BindingElement, at: Node, bindings: Bindings): Binding | null {
    const owner: Node | undefined = element.parent?.parent;
    if (owner === undefined) return null;
    const name = (element.propertyName ?? element.name)?.getText() ?? "";
    if (isVariableDeclaration(owner) && owner.initializer !== undefined)
      return property(owner.initializer, name, bindings);
    if (!isParameterDeclaration(owner)) return null;
    const whole = passed(owner, at, bindings);
    return whole === null ? null : property(whole.node, name, whole.bindings);
  }

  /** What the callers of a function pass: a statement is written for each of them. */
  function passed(parameter: Node, at: Node, bindings: Bindings): Binding | null {
    const owner = parameter.parent;
    if (!isFunctionLike(owner) || !isParameterDeclaration(parameter)) return null;
    const nth = owner.parameters.indexOf(parameter);
    const values = callsOf(checker, owner).flatMap(
      ({ arguments: words }) => words[nth] ?? parameter.initializer ?? [],
    );
    if (values.length === 0)
      return parameter.initializer === undefined ? null : { node: parameter.initializer, bindings };
    return { node: pick(values, at), bindings };
  }

  function property(node: Node, name: string, bindings: Bindings): Binding | null {
    const table = objectOf(node, bindings);
    for (const one of table?.node.properties ?? []) {
      if (isSpreadAssignment(one) || one.name.getText() !== name) continue;
      if (isPropertyAssignment(one)) return { node: one.initializer, bindings: table?.bindings ?? bindings };
      if (isShorthandPropertyAssignment(one))
        return valueNamed(checker.getShorthandAssignmentValueSymbol(one), one, table?.bindings ?? bindings);
    }
    return null;
  }

  function objectOf(
    node: Node,
    bindings: Bindings,
  ): { readonly node: ObjectLiteralExpression; readonly bindings: Bindings } | null {
    const one = bare(node);
    if (isObjectLiteralExpression(one)) return { node: one, bindings };
    if (isConditionalExpression(one)) return objectOf(pick([one.whenTrue, one.whenFalse], one), bindings);
    const bound = boundTo(one, bindings);
    return bound === null ? null : objectOf(bound.node, bound.bindings);
  }

  function functionOf(
    node: Node,
    bindings: Bindings,
  ): { readonly node: FunctionLike; readonly bindings: Bindings } | null {
    const one = bare(node);
    if (isFunctionLike(one)) return { node: one, bindings };
    const named = checker.getSymbolAtLocation(isPropertyAccessExpression(one) ? one.name : one);
    if (named === undefined) return null;
    const symbol = (named.flags & SymbolFlags.Alias) === 0 ? named : checker.getAliasedSymbol(named);
    const bound = bindings.get(symbol.id);
    if (bound !== undefined) return functionOf(bound.node, bound.bindings);
    const declaration = symbol.valueDeclaration?.resolve();
    if (declaration === undefined) return null;
    if (isFunctionLike(declaration)) return { node: declaration, bindings };
    if ((isVariableDeclaration(declaration) || isPropertyAssignment(declaration)) && declaration.initializer)
      return functionOf(declaration.initializer, bindings);
    const value = valueNamed(symbol, one, bindings);
    return value === null ? null : functionOf(value.node, value.bindings);
  }

  function bind(called: FunctionLike, words: readonly Binding[], bindings: Bindings): Bindings {
    const bound = new Map(bindings);
    called.parameters.forEach((parameter, nth) => {
      const word =
        words[nth] ??
        (parameter.initializer === undefined ? null : { node: parameter.initializer, bindings });
      if (word === null) return;
      const { name } = parameter;
      if (isIdentifier(name)) {
        const symbol = checker.getSymbolAtLocation(name);
        if (symbol !== undefined) bound.set(symbol.id, word);
      }
      if (isObjectBindingPattern(name))
        for (const element of name.elements) {
          if (element.name === undefined) continue;
          const symbol = checker.getSymbolAtLocation(element.name);
          const field = property(word.node, (element.propertyName ?? element.name).getText(), word.bindings);
          if (symbol !== undefined && field !== null) bound.set(symbol.id, field);
        }
    });
    return bound;
  }

  function returned(called: FunctionLike, bindings: Bindings): Binding {
    const body: Node | undefined = called.body;
    if (body === undefined) throw dynamic(called);
    if (!isBlock(body)) return { node: body, bindings };
    const results: Expression[] = [];
    const visit = (node: Node): void => {
      if (isReturnStatement(node) && node.expression !== undefined) results.push(node.expression);
      else if (!isFunctionLike(node)) node.forEachChild((child) => void visit(child));
    };
    visit(body);
    return { node: pick(results, called), bindings };
  }

  function isFragment(node: Node): boolean {
    const type = checker.getTypeAtLocation(node);
    const types = type?.isUnionType() === true ? type.getTypes() : [type];
    return types.some((one) => FRAGMENTS.has(one?.getSymbol()?.name ?? ""));
  }

  return (root) => fragment(root, NONE);
}

/** Asked once for each function: the compiler looks through the whole project for it. */
function callsOf(checker: Checker, owner: FunctionLike): readonly CallExpression[] {
  let calls = CALLS.get(owner);
  if (calls === undefined) {
    const { parent } = owner;
    const name = isVariableDeclaration(parent) ? checker.getSymbolAtLocation(parent.name) : undefined;
    const usages =
      name === undefined
        ? checker.getSignatureUsage(owner).flatMap(({ call }) => call?.resolve() ?? [])
        : checker
            .getReferencesToSymbolInFile(owner.getSourceFile().fileName, name)
            .flatMap((reference) => reference.resolve()?.parent ?? []);
    calls = usages.filter((call) => isCallExpression(call));
    CALLS.set(owner, calls);
  }
  return calls;
}

const CALLS = new WeakMap<Node, readonly CallExpression[]>();

/** How names of columns are made of names of fields; no code of the stores is run. */
const SNAKE_CASE = ".replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)";

const FRAGMENTS = new Set(["RawBuilder", "Expression", "AliasedRawBuilder"]);

type FunctionLike = ArrowFunction | FunctionDeclaration | FunctionExpression | MethodDeclaration;

function isFunctionLike(node: Node): node is FunctionLike {
  return (
    isArrowFunction(node) ||
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isMethodDeclaration(node)
  );
}

function bare(node: Node): Node {
  if (
    isParenthesizedExpression(node) ||
    isAsExpression(node) ||
    isSatisfiesExpression(node) ||
    isNonNullExpression(node) ||
    isAwaitExpression(node)
  )
    return bare(node.expression);
  return node;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function dynamic(node: Node): DynamicError {
  const text = isExpression(node) ? node.getText() : `a node of kind ${node.kind}`;
  return new DynamicError(text.slice(0, 200));
}
