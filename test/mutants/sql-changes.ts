import { isTaggedTemplateExpression, type Node } from "typescript/unstable/ast";
import type { Change } from "./changes.ts";

/**
 * A statement (or a part of one) with one thing less: a condition of several, a lock, `skip locked`, `on conflict`; or with a
 * boundary that lies beside the right one. Pure.
 */
export function sqlChanges(node: Node, source: string): Change[] {
  if (!isTaggedTemplateExpression(node)) return [];
  const text = source.slice(node.getStart(), node.end);
  if (!text.startsWith("sql")) return [];
  const begin = text.indexOf("`") + 1;
  const tokens = tokensOf(text, begin, text.length - 1);
  const cuts = [
    ...conditions(tokens),
    ...boundaries(tokens),
    ...locks(tokens),
    ...advisoryLocks(tokens),
    ...conflicts(tokens),
  ];
  return cuts.map(({ from, to, by = "" }) => {
    const end = text.slice(to).search(/\S/);
    const around = by === "" ? "" : ` ${text.slice(to + end, to + end + 24)}`;
    return {
      after: text.slice(0, from) + by + text.slice(to),
      shown: [text.slice(from, to) + around, by + around],
    };
  });
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly by?: string;
}

interface Token {
  /** In lower case; `?` for what the program fills in. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Of parentheses. */
  readonly depth: number;
}

/** Words, operators, brackets and holes. Comments and quoted texts say nothing. */
function tokensOf(text: string, begin: number, end: number): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = begin; at < end; ) {
    const rest = text.slice(at, end);
    const [skipped] = /^(?:\s+|--[^\n]*)/.exec(rest) ?? [];
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const hole = rest.startsWith("${") ? holeEnd(text, at) : undefined;
    const [found = rest[0] ?? ""] = /^(?:'(?:[^']|'')*'|"[^"]*"|\w+|[<>=!@#~+*/|&?:-]+)/.exec(rest) ?? [];
    const to = hole ?? at + found.length;
    if (found === ")" || found === "]") depth--;
    tokens.push({ text: hole === undefined ? found.toLowerCase() : "?", from: at, to, depth });
    if (found === "(" || found === "[") depth++;
    at = to;
  }
  return tokens;
}

/** Behind the `}` of a `${`. */
function holeEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Where a condition ends: at the next one, or with its clause. */
const ENDS = new Set(
  "and or then when else end order group limit offset for returning on union except having where do set window join left right inner cross full from".split(
    " ",
  ),
);

function conditions(tokens: readonly Token[]): Cut[] {
  const cuts: Cut[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.text === "and" && !isOfBetween(tokens, index))
      cuts.push({ from: token.from, to: endOfCondition(tokens, index) });
    if (token.text === "where" || (token.text === "on" && tokens[index + 1]?.text !== "conflict")) {
      const next = tokens.findIndex(
        (one, at) => at > index && isEnd(tokens, at, token.depth) && one.text !== "",
      );
      const and = tokens[next];
      if (and?.text === "and" && and.depth === token.depth) cuts.push({ from: token.to, to: and.to });
    }
  }
  return cuts;
}

function endOfCondition(tokens: readonly Token[], and: number): number {
  const { depth = 0 } = tokens[and] ?? {};
  const end = tokens.findIndex((_, at) => at > and && isEnd(tokens, at, depth));
  return (end === -1 ? tokens.at(-1)?.to : tokens[end]?.from) ?? 0;
}

function isEnd(tokens: readonly Token[], at: number, depth: number): boolean {
  const token = tokens[at];
  if (token === undefined || token.depth < depth) return true;
  if (token.depth > depth) return false;
  if (token.text === "and") return !isOfBetween(tokens, at);
  // `is distinct from`.
  if (token.text === "from") return tokens[at - 1]?.text !== "distinct";
  return ENDS.has(token.text) || token.text === ",";
}

function isOfBetween(tokens: readonly Token[], and: number): boolean {
  const { depth } = tokens[and] ?? {};
  const before = tokens.slice(0, and).filter((one) => one.depth === depth);
  const last = before.findLast(({ text }) => text === "between" || text === "and" || text === "where");
  return last?.text === "between";
}

const BESIDE = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
]);

function boundaries(tokens: readonly Token[]): Cut[] {
  return tokens.flatMap(({ text, from, to }) => {
    const by = BESIDE.get(text);
    return by === undefined ? [] : [{ from, to, by }];
  });
}

const LOCK = /^(?:for (?:update|no key update|share|key share)(?: of \w+)?)((?: skip locked| nowait)?)/;

function locks(tokens: readonly Token[]): Cut[] {
  return tokens.flatMap((token, index): Cut[] => {
    if (token.text !== "for") return [];
    const words = tokens.slice(index, index + 9);
    const [whole, skips] = LOCK.exec(words.map(({ text }) => text).join(" ")) ?? [];
    if (whole === undefined) return [];
    const to = words[whole.split(" ").length - 1]?.to ?? token.to;
    const skip = words.find(({ text }) => text === "skip" || text === "nowait");
    const cut = { from: token.from, to };
    return skips === "" || skip === undefined ? [cut] : [cut, { from: skip.from, to }];
  });
}

function advisoryLocks(tokens: readonly Token[]): Cut[] {
  return tokens.flatMap(({ text, from, depth }, index): Cut[] => {
    if (!/^pg_(?:try_)?advisory/.test(text)) return [];
    const close = tokens.find((one, at) => at > index && one.text === ")" && one.depth === depth);
    return close === undefined ? [] : [{ from, to: close.to, by: text.includes("_try_") ? "true" : "null" }];
  });
}

function conflicts(tokens: readonly Token[]): Cut[] {
  return tokens.flatMap(({ text, from, depth }, index): Cut[] => {
    if (text !== "on" || tokens[index + 1]?.text !== "conflict") return [];
    const end = tokens.find(
      (one, at) => at > index && (one.depth < depth || (one.depth === depth && one.text === "returning")),
    );
    return [{ from, to: end?.from ?? tokens.at(-1)?.to ?? from }];
  });
}
