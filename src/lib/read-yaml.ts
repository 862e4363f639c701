import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { describeError, type Fault, type Issue } from "./errors.ts";

export interface YamlText {
  /** Undefined if the text is not YAML at all; `faults` says why. */
  readonly content: unknown;
  readonly faults: readonly Fault[];
  /** The position of an issue with the content: the deepest existing part of its path. */
  locate(issue: Issue): Fault;
}

/** Reads YAML that a person wrote, so that every fault can be shown at its line. Never throws. */
export function readYaml(file: string, text: string): YamlText {
  if (isTooDeep(text)) {
    const fault = { file, line: 1, column: 1, message: "this is nested too deeply" };
    return { content: undefined, faults: [fault], locate: ({ message }) => ({ ...fault, message }) };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: false });
  const faultAt = (offset: number, message: string, suggestion?: string): Fault => {
    const { line, col } = lines.linePos(offset);
    const place = { file, line: Math.max(1, line), column: Math.max(1, col), message };
    return suggestion === undefined ? place : { ...place, suggestion };
  };
  const locate = (issue: Issue) => faultAt(offsetOf(document, issue), issue.message, issue.suggestion);
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) =>
    faultAt(pos[0], inPlainWords(message)),
  );
  if (faults.length > 0) return { content: undefined, faults, locate };
  try {
    return { content: document.toJS({ maxAliasCount: 100 }), faults, locate };
  } catch (error) {
    return { content: undefined, faults: [faultAt(0, inPlainWords(describeError(error)))], locate };
  }
}

/**
 * What to do, in place of what the parser noticed. A password that begins with * or ! is an alias or a tag to YAML, and
 * the parser's message would show the password.
 */
function inPlainWords(message: string): string {
  if (/^Unresolved (alias|tag)/.test(message))
    return "a text that begins with * or ! needs quotation marks around it";
  if (
    /^(Block collections are not allowed within flow|Nested mappings are not allowed in compact)/.test(
      message,
    )
  )
    return "a text with a colon and a blank in it needs quotation marks around the whole of it, as in 'a: b'";
  return message;
}

export function byPlace(a: Fault, b: Fault): number {
  return a.line - b.line || a.column - b.column;
}

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

/** Deeper than any file of ours, and far from the end of the stack. */
const DEEPEST = 100;

/**
 * Whether brackets, or dashes on one line, are nested so deeply that reading them could exhaust the stack. Near its end
 * the engine may abort the whole process, and no error can be caught.
 */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === 0x5b || letter === 0x7b) depth++;
    else if (letter === 0x5d || letter === 0x7d) depth--;
    if (depth > DEEPEST) return true;
  }
  return TOO_MANY_DASHES.test(text);
}

/** As many as `DEEPEST`. */
const TOO_MANY_DASHES = /(?:[-?:][ \t]+){100}/;
