import Handlebars from "handlebars";
import { closestWord } from "../../lib/closest-word.ts";
import { describeFault } from "../../lib/errors.ts";
import { helpers } from "./helpers.ts";

/** The fields that a template may name, taken from sample views, which hold every field at least once. */
interface Shape {
  /** By name; null if any name is allowed, or nothing is known. */
  readonly fields: ReadonlyMap<string, Shape> | null;
  /** The shape of a list's entries; null if it is no list. */
  readonly item: Shape | null;
}

/** An unknown shape: every name is accepted. */
const ANYTHING: Shape = { fields: null, item: null };

/** A text, a number or a time: it has no fields. */
const PLAIN: Shape = { fields: new Map(), item: null };

/** Its fields depend on the rule. */
const OPEN_FIELDS = new Set(["values"]);

/** The combined shape of all these values. A field that is null in each of them may be anything. */
export function shapeOf(values: readonly unknown[]): Shape {
  const there = values.filter((value) => value !== null && value !== undefined);
  if (there.length === 0) return ANYTHING;
  const lists = there.filter((value) => Array.isArray(value));
  if (lists.length > 0) return { fields: new Map([["length", PLAIN]]), item: shapeOf(lists.flat()) };
  const objects = there.filter(isObject);
  if (objects.length === 0) return PLAIN;
  const names = new Set(objects.flatMap((one) => Object.keys(one)));
  const fields = [...names].map((name): [string, Shape] => [
    name,
    OPEN_FIELDS.has(name) ? ANYTHING : shapeOf(objects.map((one) => one[name])),
  ]);
  return { fields: new Map(fields), item: null };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * Finds unknown names in a template: fields, helpers, partials; also in branches that no sample takes, and in included
 * partials. Rendering alone would find them only when the branch is taken.
 */
export function findUnknownNames(
  sources: ReadonlyMap<string, string>,
  name: string,
  view: Shape,
): readonly string[] {
  const faults = new Set<string>();
  walkFile(name, {
    sources,
    faults,
    open: new Set(),
    file: name,
    root: view,
    around: [view],
    named: new Map(),
  });
  return [...faults];
}

/** The position in a template, and the names that are known there. */
interface Scope {
  readonly sources: ReadonlyMap<string, string>;
  readonly faults: Set<string>;
  /** Files that are being read. Rendering reports a partial that includes itself. */
  readonly open: ReadonlySet<string>;
  readonly file: string;
  readonly root: Shape;
  /** `this`, then `..`, and so on. */
  readonly around: readonly Shape[];
  /** Names of blocks: `as |mention|`. */
  readonly named: ReadonlyMap<string, Shape>;
}

function walkFile(name: string, place: Scope): void {
  if (place.open.has(name)) return;
  const program = parsed(place.sources.get(name) ?? "");
  if (program !== null) visit(program, { ...place, file: name, open: new Set([...place.open, name]) });
}

/** Null for a template that cannot be parsed: rendering reports the fault. */
function parsed(source: string): hbs.AST.Program | null {
  try {
    return Handlebars.parseWithoutProcessing(source);
  } catch {
    return null;
  }
}

function visit(program: hbs.AST.Program | undefined, place: Scope): void {
  for (const statement of program?.body ?? []) walkStatement(statement, place);
}

function walkStatement(statement: hbs.AST.Statement, place: Scope): void {
  if (isOf<hbs.AST.MustacheStatement>(statement, "MustacheStatement")) value(statement, place);
  else if (isOf<hbs.AST.BlockStatement>(statement, "BlockStatement")) block(statement, place);
  else if (isOf<hbs.AST.PartialStatement>(statement, "PartialStatement")) part(statement, place);
  else if (statement.type !== "ContentStatement" && statement.type !== "CommentStatement")
    report(place, statement, `"${statement.type}" is not possible here: write the text, or include a part`);
}

/** `{{query}}`, `{{time openedAt}}`. */
function value({ path, params, hash }: Call, place: Scope): Shape {
  if (!isOf<hbs.AST.PathExpression>(path, "PathExpression")) return PLAIN;
  const isHelper = Object.hasOwn(helpers, path.original);
  if (!isHelper && params.length === 0 && hash === undefined) return shapeAt(path, place);
  if (!isHelper)
    report(place, path, `there is no helper "${path.original}"`, [path.original, Object.keys(helpers)]);
  else if (params.length === 0) report(place, path, `"${path.original}" is a helper: say of what`);
  for (const param of params) argument(param, place);
  return PLAIN;
}

type Call = Pick<hbs.AST.MustacheStatement, "path" | "params"> & { readonly hash?: hbs.AST.Hash };

function argument(param: hbs.AST.Expression, place: Scope): Shape {
  if (isOf<hbs.AST.SubExpression>(param, "SubExpression")) return value(param, place);
  return isOf<hbs.AST.PathExpression>(param, "PathExpression") ? shapeAt(param, place) : PLAIN;
}

/** `{{#if}}`, `{{#unless}}`, `{{#each}}`, `{{#with}}`. */
function block({ path, params, program, inverse }: hbs.AST.BlockStatement, place: Scope): void {
  const { original } = path;
  if (!BLOCKS.includes(original)) {
    report(place, path, `there is no block "${original}"`, [original, BLOCKS]);
    return;
  }
  const of = params.map((param) => argument(param, place))[0] ?? ANYTHING;
  visit(inverse, place);
  if (original === "if" || original === "unless") {
    visit(program, place);
    return;
  }
  const inside = original === "with" ? of : (of.item ?? ANYTHING);
  const [first, ...others] = program?.blockParams ?? [];
  const named = new Map([
    ...place.named,
    ...(first === undefined ? [] : [[first, inside] as const]),
    ...others.map((name) => [name, PLAIN] as const),
  ]);
  visit(program, { ...place, around: [inside, ...place.around], named });
}

const BLOCKS = ["if", "unless", "each", "with"];

/** `{{> email/mention.html}}`, also with another `this`, and with extra fields. */
function part({ name, params, hash }: hbs.AST.PartialStatement, place: Scope): void {
  if (!isOf<hbs.AST.PathExpression>(name, "PathExpression")) {
    if (name.type === "SubExpression") report(place, name, "parts are included by their names");
    return;
  }
  if (!place.sources.has(name.original)) {
    report(place, name, `there is no part "${name.original}"`, [name.original, [...place.sources.keys()]]);
    return;
  }
  const [context] = params;
  const inside = context === undefined ? (place.around[0] ?? ANYTHING) : argument(context, place);
  const extra = (hash?.pairs ?? []).map(({ key, value: of }) => [key, argument(of, place)] as const);
  const fields = inside.fields === null ? null : new Map([...inside.fields, ...extra]);
  walkFile(name.original, { ...place, around: [{ ...inside, fields }, ...place.around.slice(1)] });
}

function shapeAt(path: hbs.AST.PathExpression, place: Scope): Shape {
  const [head = "", ...rest] = path.parts;
  if (path.data) return head === "root" ? follow(place.root, rest, path, place) : dataAt(head, path, place);
  const named = path.depth === 0 ? place.named.get(head) : undefined;
  if (named !== undefined) return follow(named, rest, path, place);
  const around = place.around[path.depth];
  if (around === undefined) {
    report(place, path, `"${path.original}" leads out of the view`);
    return ANYTHING;
  }
  return follow(around, path.parts, path, place);
}

function dataAt(name: string, path: hbs.AST.PathExpression, place: Scope): Shape {
  if (!DATA.includes(name)) report(place, path, `there is no "@${name}"`, [name, DATA]);
  return PLAIN;
}

const DATA = ["first", "index", "key", "last", "root"];

function follow(from: Shape, parts: readonly string[], path: hbs.AST.PathExpression, place: Scope): Shape {
  let shape = from;
  for (const name of parts) {
    if (shape.fields === null) return ANYTHING;
    const next = shape.fields.get(name);
    if (next === undefined) {
      report(place, path, `"${path.original}" is not in the view`, [name, [...shape.fields.keys()]]);
      return ANYTHING;
    }
    shape = next;
  }
  return shape;
}

function report(
  { faults, file }: Scope,
  { loc }: hbs.AST.Node,
  message: string,
  [word, known]: readonly [string, readonly string[]] = ["", []],
): void {
  const meant = closestWord(word, known);
  const place = { file: `templates/${file}.hbs`, line: loc.start.line, column: loc.start.column + 1 };
  faults.add(describeFault({ ...place, message, suggestion: meant }));
}

function isOf<N extends hbs.AST.Node>(node: hbs.AST.Node, type: N["type"]): node is N {
  return node.type === type;
}
