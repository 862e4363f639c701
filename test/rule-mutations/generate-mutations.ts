import { type Document, isMap, isScalar, isSeq, type Pair, parseDocument, type Scalar, visit } from "yaml";

/** A rule with one mistake. */
export interface RuleMutation {
  /** What is changed: `severity.critical.atLeast: 40 → 44`, `keyword: without "sue"`. */
  readonly name: string;
  /** The text of the rule. */
  readonly text: string;
}

/** What people read, and what nothing is decided by. */
const LEFT_ALONE = new Set(["title", "description"]);

const SEVERITIES = ["info", "warning", "critical"];

/** Words that stand for each other: in place of one, each of the others. */
const CHOICES = [["positive", "neutral", "negative"], SEVERITIES, ["mentions", "authors", "stories"]];

/**
 * Every small mistake of a rule: each number a tenth larger and smaller, each entry of a list and each key left out,
 * each word another one, each `*` lost. Some are no valid rules. Pure.
 */
export function generateMutations(text: string): RuleMutation[] {
  const found = new Map<string, RuleMutation>();
  const change = (name: string, edit: (document: Document) => void): void => {
    const document = parseDocument(text);
    edit(document);
    const changed = document.toString();
    if (changed !== parseDocument(text).toString()) found.set(name, { name, text: changed });
  };
  visit(parseDocument(text), {
    Pair: (_, pair, ancestors) => {
      const path = pathOf([...ancestors, pair]);
      if (LEFT_ALONE.has(String(path[0]))) return visit.SKIP;
      change(`without ${shown(path)}`, (document) => void document.deleteIn(path));
      const name = String(path.at(-1));
      for (const other of SEVERITIES.includes(name) ? SEVERITIES : [])
        change(`${shown(path)} → ${other}`, (document) => {
          const parent = document.getIn(path.slice(0, -1));
          if (isMap(parent) && !parent.has(other))
            for (const one of parent.items)
              if (isScalar(one.key) && one.key.value === name) one.key.value = other;
        });
      return undefined;
    },
    Scalar: (key, scalar, ancestors) => {
      if (key === "key") return;
      const path = pathOf(typeof key === "number" ? [...ancestors, key] : ancestors);
      if (typeof key === "number")
        change(`${shown(path.slice(0, -1))}: without ${String(scalar.value)}`, (document) => {
          document.deleteIn(path);
        });
      for (const other of othersOf(scalar))
        change(`${shown(path)}: ${String(scalar.value)} → ${other}`, (document) =>
          document.setIn(path, other),
        );
    },
    Map: (key, _, ancestors) => {
      if (typeof key !== "number") return;
      const path = pathOf([...ancestors, key]);
      change(`${shown(path.slice(0, -1))}: without entry ${key + 1}`, (document) => {
        document.deleteIn(path);
      });
    },
  });
  return [...found.values()];
}

function shown(path: readonly (string | number)[]): string {
  return path.map((step) => (typeof step === "number" ? step + 1 : step)).join(".");
}

/** Keys and places from the outside. A place in a list follows the list. */
function pathOf(nodes: readonly unknown[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1];
    if (isSeq(node) && next !== undefined)
      path.push(typeof next === "number" ? next : node.items.indexOf(next as never));
    else if (isPair(node)) path.push(String((node.key as Scalar).value));
  }
  return path;
}

function isPair(node: unknown): node is Pair {
  return typeof node === "object" && node !== null && "key" in node && "value" in node && !isMap(node);
}

/** What may stand in place of a value. */
function othersOf(scalar: Scalar): readonly (string | number | boolean)[] {
  const { value } = scalar;
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [tenthMore(value), tenthLess(value)];
  if (typeof value !== "string" || !isScalar(scalar)) return [];
  const [, number, unit] = /^(\d+)(%|m|h|d)$/.exec(value) ?? [];
  if (number !== undefined && unit === "%")
    return [tenthMore(Number(number)), tenthLess(Number(number))].map((percent) => `${percent}%`);
  if (number !== undefined && unit !== undefined) {
    const minutes = Number(number) * ({ m: 1, h: 60, d: 1440 }[unit] ?? 1);
    // Windows are made of buckets of five minutes.
    return [tenthMore(minutes / 5), tenthLess(minutes / 5)].map((buckets) => `${buckets * 5}m`);
  }
  const words = CHOICES.find((choice) => choice.includes(value));
  if (words !== undefined) return words.filter((word) => word !== value);
  return value.endsWith("*") ? [value.slice(0, -1)] : [];
}

function tenthMore(value: number): number {
  return Math.ceil((value * 11) / 10);
}

function tenthLess(value: number): number {
  return Math.floor((value * 9) / 10);
}
