import { relative } from "node:path";
import {
  isBinaryExpression,
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isNewExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isTypeNode,
  isVariableDeclaration,
  type Node,
  NodeFlags,
  SyntaxKind,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { type Change, changesOf } from "./changes.ts";

/** One small change of the code: the expression at `start` to `end` is replaced. */
export interface Mutant {
  /** From 0, in the order of the files. */
  readonly id: number;
  /** `src/monitor/alerts/act.ts`. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** The same wherever the code moves to: file, function, change; numbered where a function has it twice. */
  readonly key: string;
}

export interface MutatedFile {
  readonly file: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

/** Every change of the wanted files, each by itself. */
export function findMutants(
  root: string,
  isWanted: (file: string) => boolean,
  changes: (node: Node, source: string) => readonly Change[] = changesOf,
): MutatedFile[] {
  const config = `${root}/tsconfig.json`;
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`there is no project ${config}`);
    let next = 0;
    const found = project.program
      .getSourceFileNames()
      .map((path) => relative(root, path))
      .filter((file) => file.startsWith("src/") && isWanted(file))
      .sort()
      .map((file): MutatedFile => {
        const tree = project.program.getSourceFile(`${root}/${file}`);
        if (tree === undefined) throw new Error(`${file} cannot be read`);
        const mutants = mutantsOf(file, tree, tree.text, next, changes);
        next += mutants.length;
        return { file, source: tree.text, mutants };
      });
    return found;
  } finally {
    api.close();
  }
}

function mutantsOf(
  file: string,
  tree: Node,
  source: string,
  firstId: number,
  changes: (node: Node, source: string) => readonly Change[],
): Mutant[] {
  const found: Mutant[] = [];
  const keys = new Map<string, number>();
  const visit = (node: Node, inside: string): void => {
    if (!isInChain(node))
      for (const { after, shown: pair } of changes(node, source)) {
        const start = node.getStart();
        const before = source.slice(start, node.end);
        const [from, to] = pair ?? [before, after];
        const key = `${file} ${inside}: ${shown(from)} → ${shown(to) || "nothing"}`;
        const times = (keys.get(key) ?? 0) + 1;
        keys.set(key, times);
        found.push({
          id: firstId + found.length,
          ...{ file, line: source.slice(0, start).split("\n").length, start, end: node.end },
          ...{ before, after, key: times === 1 ? key : `${key} (${times})` },
        });
      }
    if (isLeftAlone(node)) return;
    const name = nameOf(node, inside) ?? inside;
    node.forEachChild((child) => {
      if (!isName(child, node)) visit(child, name);
    });
  };
  tree.forEachChild((child) => void visit(child, "file"));
  return found;
}

/** On one line. */
function shown(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Types, imports, errors that only a mistake of our own throws, and texts that describe a schema: nothing decides there. */
function isLeftAlone(node: Node): boolean {
  if (isTypeNode(node)) return true;
  if (NO_CODE.has(node.kind)) return true;
  if (isNewExpression(node)) return isIdentifier(node.expression) && node.expression.text.endsWith("Error");
  return false;
}

const NO_CODE = new Set([
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.ThrowStatement,
  SyntaxKind.TaggedTemplateExpression,
]);

/** `a?.b` in `a?.b.c`: nothing can stand in its place, since the end of the chain belongs to it. */
function isInChain(node: Node): boolean {
  const { parent } = node;
  return (
    (parent.flags & NodeFlags.OptionalChain) !== 0 && "expression" in parent && parent.expression === node
  );
}

/** Names of properties, what is written to, and what a schema says of itself. */
function isName(child: Node, node: Node): boolean {
  if (isPropertyAssignment(node)) return child === node.name;
  if (isBinaryExpression(node) && child === node.left)
    return (
      node.operatorToken.kind >= SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= SyntaxKind.LastAssignment
    );
  return (
    isCallExpression(node) &&
    isPropertyAccessExpression(node.expression) &&
    (node.expression.name.text === "describe" || node.expression.name.text === "meta") &&
    child !== node.expression
  );
}

/** Of a function, or of a constant of the file. */
function nameOf(node: Node, inside: string): string | undefined {
  const isNamed =
    isFunctionDeclaration(node) ||
    isMethodDeclaration(node) ||
    (isVariableDeclaration(node) && inside === "file");
  return isNamed && node.name !== undefined && isIdentifier(node.name) ? node.name.text : undefined;
}
