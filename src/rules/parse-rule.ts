import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { describeError } from "../lib/errors.ts";
import { compileRule } from "./compile-rule.ts";
import type { Rule } from "./rule.ts";
import type { Issue, RuleFault } from "./rule-fault.ts";

/** Reads the text of one rule file. Either a rule or faults; never throws, whatever the text. */
export function parseRule(
  name: string,
  file: string,
  text: string,
): { readonly rule: Rule } | { readonly faults: readonly RuleFault[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: false });
  const faults: RuleFault[] = [];
  const faultAt = (offset: number, message: string, suggestion?: string): void => {
    const { line, col } = lines.linePos(offset);
    const place = { file, line: Math.max(1, line), column: Math.max(1, col), message };
    faults.push(suggestion === undefined ? place : { ...place, suggestion });
  };
  for (const { pos, message } of [...document.errors, ...document.warnings]) faultAt(pos[0], message);
  if (faults.length > 0) return { faults };
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    faultAt(0, describeError(error));
    return { faults };
  }
  const rule = compileRule(name, content, (issue) => {
    faultAt(offsetOf(document, issue), issue.message, issue.suggestion);
  });
  if (rule !== undefined && faults.length === 0) return { rule };
  return { faults: faults.sort((a, b) => a.line - b.line || a.column - b.column) };
}

/** Where an issue is in the text: the deepest part of its path that the file has. */
function offsetOf(document: Document, { path, at }: Issue): number {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const whole = depth === path.length;
    const key = isMap(parent)
      ? parent.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(path[depth - 1]))
          ?.key
      : undefined;
    const value = document.getIn(path.slice(0, depth), true);
    if (at === "key" && whole && startOf(key) !== undefined) return startOf(key) ?? 0;
    const found = startOf(value) ?? startOf(key);
    if (found !== undefined) return found;
  }
  return startOf(document.contents) ?? 0;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}
