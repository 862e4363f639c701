import {
  type CST,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { describeError, type Fault, type Issue } from "./errors.ts";

interface YamlText {
  /** Undefined if the text is not YAML at all; `faults` says why. */
  readonly content: unknown;
  readonly faults: readonly Fault[];
  /** The position of an issue with the content: the deepest existing part of its path. */
  locate(issue: Issue): Fault;
}

/**
 * Reads YAML that a person wrote, so that every fault can be shown at its line. Never throws. Takes time linear to the
 * text, whatever it contains.
 */
export function readYaml(file: string, text: string): YamlText {
  if (isTooDeep(text)) {
    const fault = { file, line: 1, column: 1, message: "this is nested too deeply" };
    return { content: undefined, faults: [fault], locate: ({ message }) => ({ ...fault, message }) };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ lineCounter: lines, prettyErrors: false, intAsBigInt: false, logLevel: "error" },
    // It compares every key with all before it; `wrongKeys` finds the same.
    uniqueKeys: false,
  });
  const faultAt = (offset: number, message: string, suggestion?: string): Fault => {
    const { line, col } = lines.linePos(offset);
    const place = { file, line: Math.max(1, line), column: Math.max(1, col), message };
    return suggestion === undefined ? place : { ...place, suggestion };
  };
  const offsetOf = offsets(document);
  const locate = (issue: Issue) => faultAt(offsetOf(issue), issue.message, issue.suggestion);
  const { repeated, notPlain } = wrongKeys(document);
  const found = [
    ...[...document.errors, ...document.warnings].map(({ pos, message }) => ({ at: pos[0], message })),
    ...repeated.map((at) => ({ at, message: "Map keys must be unique" })),
    ...notPlain.map((at) => ({ at, message: "a key must be a text, not a map, a list or an alias" })),
  ].sort((a, b) => a.at - b.at);
  if (found.length > 0)
    return {
      content: undefined,
      faults: found.map(({ at, message }) => faultAt(at, inPlainWords(message))),
      locate,
    };
  try {
    return { content: document.toJS({ maxAliasCount: 100 }), faults: [], locate };
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

/**
 * Where keys begin that are not a plain value, or that their map has already. A key that is a map is written out as a
 * text, and a map in that key again: the time grows with the power of the depth.
 */
export function wrongKeys(document: Document): { repeated: readonly number[]; notPlain: readonly number[] } {
  const repeated: number[] = [];
  const notPlain: number[] = [];
  visit(document, {
    Map: (_, map) => {
      const known = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) {
          if (key !== null) notPlain.push(startOf(key) ?? 0);
          continue;
        }
        // NaN differs from itself.
        if (Number.isNaN(key.value)) continue;
        if (known.has(key.value)) repeated.push(startOf(key) ?? 0);
        known.add(key.value);
      }
    },
  });
  return { repeated, notPlain };
}

export function byPlace(a: Fault, b: Fault): number {
  return a.line - b.line || a.column - b.column;
}

/**
 * Finds where an issue is: the deepest existing part of its path. The pairs of a map are listed once, so that thousands
 * of issues with one map take no longer than reading it.
 */
function offsets(document: Document): (issue: Issue) => number {
  const pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  const pairIn = (map: YAMLMap, key: string): Pair | undefined => {
    let known = pairs.get(map);
    if (known === undefined) {
      // Of two pairs with one key the first counts.
      known = new Map(
        map.items
          .toReversed()
          .flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])),
      );
      pairs.set(map, known);
    }
    return known.get(key);
  };
  return ({ path, at }) => {
    let node: unknown = document.contents;
    let found = startOf(node) ?? 0;
    for (const [depth, part] of path.entries()) {
      const pair = isMap(node) ? pairIn(node, String(part)) : undefined;
      node = isSeq(node) ? node.items[Number(part)] : pair?.value;
      const key = startOf(pair?.key);
      if (at === "key" && depth === path.length - 1 && key !== undefined) return key;
      const deeper = startOf(node) ?? key;
      if (deeper === undefined) return found;
      found = deeper;
    }
    return found;
  };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}

/** Deeper than any file of ours, and far from the end of the stack. */
const DEEPEST = 100;

/**
 * Whether lists and maps are nested so deeply that composing them could exhaust the stack. Near its end the engine may
 * abort the whole process, and no error can be caught. The parser of tokens keeps a stack of its own.
 */
function isTooDeep(text: string): boolean {
  for (const root of new Parser().parse(text)) {
    const nested: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
    for (let next = nested.pop(); next !== undefined; next = nested.pop()) {
      const { token, depth } = next;
      if (depth > DEEPEST) return true;
      if (token.type === "document" && token.value) nested.push({ token: token.value, depth });
      if (!("items" in token)) continue;
      for (const item of token.items) {
        if (item.key) nested.push({ token: item.key, depth: depth + 1 });
        if (item.value) nested.push({ token: item.value, depth: depth + 1 });
      }
    }
  }
  return false;
}
