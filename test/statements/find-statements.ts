import { relative } from "node:path";
import {
  type Expression,
  isCallExpression,
  isPropertyAccessExpression,
  type Node,
} from "typescript/unstable/ast";
import { API, type Checker, type Type, TypeFlags } from "typescript/unstable/sync";
import { DynamicError, writeStatement } from "./write-statement.ts";

/** One `….execute(db)` of the stores. */
export interface Statement {
  /** `src/monitor/store/polls.ts:108`. */
  readonly place: string;
  /** As PostgreSQL gets it, one for each choice that the code has. */
  readonly texts: readonly string[];
  /** What only the running program knows, so that there is no text. */
  readonly dynamic: string | null;
  /** The row that the code expects; null if it uses none. */
  readonly row: readonly Column[] | null;
}

export interface Column {
  readonly name: string;
  /** The types that it may have, such as `string`, `null`, `array`; `any` if the code does not say. */
  readonly types: ReadonlySet<string>;
}

/** Every statement in the files of these folders, with the row that its type names. */
export function findStatements(
  root: string,
  folders: readonly string[],
  standIns?: ReadonlyMap<string, string>,
): Statement[] {
  const api = new API({ cwd: root });
  try {
    const config = `${root}/tsconfig.json`;
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`there is no project ${config}`);
    const { checker, program } = project;
    const files = program
      .getSourceFileNames()
      .filter((file) => folders.some((folder) => file.startsWith(`${root}/${folder}`)));
    return files.flatMap((file) => {
      const source = program.getSourceFile(file);
      if (source === undefined) throw new Error(`${file} is not in the project`);
      const lineOf = (node: Node) => source.text.slice(0, node.getStart()).split("\n").length;
      return executed(checker, source).map((expression) => ({
        place: `${relative(root, file)}:${lineOf(expression)}`,
        ...written(checker, expression, standIns),
        row: rowOf(checker, expression),
      }));
    });
  } finally {
    api.close();
  }
}

/** The expressions before `.execute(…)` that are statements. */
function executed(checker: Checker, source: Node): Expression[] {
  const found: Expression[] = [];
  const visit = (node: Node): void => {
    if (
      isCallExpression(node) &&
      isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === "execute"
    ) {
      const { expression } = node.expression;
      if (checker.getTypeAtLocation(expression)?.getSymbol()?.name === "RawBuilder") found.push(expression);
    }
    node.forEachChild((child) => void visit(child));
  };
  visit(source);
  return found;
}

function written(
  checker: Checker,
  expression: Expression,
  standIns: ReadonlyMap<string, string> | undefined,
): Pick<Statement, "texts" | "dynamic"> {
  try {
    return { texts: writeStatement(checker, expression, standIns), dynamic: null };
  } catch (error) {
    if (error instanceof DynamicError) return { texts: [], dynamic: error.message };
    throw error;
  }
}

function rowOf(checker: Checker, expression: Expression): Column[] | null {
  const type = checker.getTypeAtLocation(expression);
  const [row] = type?.isTypeReference() === true ? checker.getTypeArguments(type) : [];
  if (row === undefined || (row.flags & (TypeFlags.Unknown | TypeFlags.Any)) !== 0) return null;
  return checker.getPropertiesOfType(row).map((property) => {
    const value = checker.getTypeOfSymbol(property);
    return { name: property.name, types: value === undefined ? new Set(["any"]) : typesOf(checker, value) };
  });
}

function typesOf(checker: Checker, type: Type): ReadonlySet<string> {
  if (type.isUnionType()) return new Set(type.getTypes().flatMap((one) => [...typesOf(checker, one)]));
  return new Set([checker.isArrayLikeType(type) ? "array" : nameOf(type)]);
}

function nameOf(type: Type): string {
  const { flags } = type;
  if ((flags & TypeFlags.StringLike) !== 0) return "string";
  if ((flags & TypeFlags.NumberLike) !== 0) return "number";
  if ((flags & TypeFlags.BooleanLike) !== 0) return "boolean";
  if ((flags & TypeFlags.Null) !== 0) return "null";
  if ((flags & TypeFlags.Undefined) !== 0) return "undefined";
  const symbol = type.getSymbol()?.name;
  if (symbol === "Date") return "Date";
  if (symbol === "Buffer" || symbol === "Uint8Array") return "Buffer";
  return (flags & (TypeFlags.Unknown | TypeFlags.Any)) !== 0 ? "any" : "object";
}
