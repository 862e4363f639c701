import { relative } from "node:path";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

export interface FoundPatterns {
  /** Regular expressions as they stand in the code, with where. */
  readonly literals: readonly { readonly where: string; readonly source: string; readonly flags: string }[];
  /** Expressions made of text: `file: what is given to RegExp`. */
  readonly constructed: readonly string[];
}

/** Every regular expression of the product, as the compiler sees its files. */
export function findPatterns(root: string): FoundPatterns {
  return findIn(`${root}/tsconfig.json`, root, (path) => /^(?:src|workers)\//.test(path));
}

/** Every regular expression in the wanted files of a project, which may be JavaScript. */
export function findIn(project: string, root: string, isWanted: (path: string) => boolean): FoundPatterns {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProject: project });
    const literals: FoundPatterns["literals"][number][] = [];
    const constructed: string[] = [];
    for (const { program } of snapshot.getProjects()) {
      for (const file of program.getSourceFileNames()) {
        const path = relative(root, file);
        if (!isWanted(path)) continue;
        const source = program.getSourceFile(file);
        if (source === undefined) throw new Error(`${path} cannot be read`);
        const visit = (node: Node): void => {
          const text = source.text.slice(node.pos, node.end).trim();
          if (node.kind === SyntaxKind.RegularExpressionLiteral) {
            const [, pattern = "", flags = ""] = /\/([\s\S]*)\/([a-z]*)$/.exec(text) ?? [];
            const line = source.text.slice(0, node.end).split("\n").length;
            literals.push({ where: `${path}:${line}`, source: pattern, flags });
          } else if (isConstructed(node, text)) {
            constructed.push(`${path}: ${text.replace(/^new /, "").replaceAll(/\s+/g, " ")}`);
          }
          node.forEachChild(visit);
        };
        visit(source);
      }
    }
    return { literals, constructed: [...new Set(constructed)].sort() };
  } finally {
    api.close();
  }
}

/** `RegExp(…)` makes one with and without `new`. */
function isConstructed(node: Node, text: string): boolean {
  const isCall = node.kind === SyntaxKind.NewExpression || node.kind === SyntaxKind.CallExpression;
  return isCall && /^(?:new\s+)?(?:globalThis\.)?RegExp\s*\(/.test(text);
}
