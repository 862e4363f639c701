import type { Expression, Near, Term, Within } from "./expression.ts";
import { findTerm, hasTerm, type Occurrence } from "./find-term.ts";
import type { Searchable, SearchText } from "./search-text.ts";

/** Whether the mention matches. Time grows with its words, not with the ways in which they could be combined. */
export function matches(expression: Expression, mention: Searchable): boolean {
  switch (expression.kind) {
    case "term":
      return hasTerm(expression, mention.text);
    case "field":
      return expression.test.field.meets(expression.test, mention.known);
    case "not":
      return !matches(expression.of, mention);
    case "all":
      return expression.of.every((each) => matches(each, mention));
    case "any":
      return expression.of.some((each) => matches(each, mention));
    case "near":
      return isNear(expression, mention);
    case "within":
      return isWithin(expression, mention);
  }
}

/** The same, step by step: a long query and a long text take seconds, a step of them a few milliseconds. */
export function* matchesInSteps(expression: Expression, mention: Searchable): Generator<void, boolean> {
  switch (expression.kind) {
    case "not":
      return !(yield* matchesInSteps(expression.of, mention));
    case "all":
    case "any": {
      const decides = expression.kind === "any";
      for (const each of expression.of)
        if ((yield* matchesInSteps(each, mention)) === decides) return decides;
      return !decides;
    }
    default:
      yield;
      return matches(expression, mention);
  }
}

/** Runs it to its end at once. */
export function resultOf<Result>(steps: Generator<void, Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * The words for which the mention matches, in the order of the text, or undefined when it does not. None when it is
 * no word that makes it match. Of a NEAR these are the terms that have a partner near enough. Every part of the
 * expression is judged once, however deep it lies.
 */
export function matchedBy(expression: Expression, mention: Searchable): Occurrence[] | undefined {
  return resultOf(matchedByInSteps(expression, mention));
}

/** The same, step by step. */
export function* matchedByInSteps(
  expression: Expression,
  mention: Searchable,
): Generator<void, Occurrence[] | undefined> {
  yield;
  switch (expression.kind) {
    case "term":
      return orUndefined(findTerm(expression, mention.text));
    case "field":
      return matches(expression, mention) ? [] : undefined;
    case "not":
      return (yield* matchesInSteps(expression, mention)) ? [] : undefined;
    case "all":
    case "any":
      return yield* matchedByParts(expression, mention);
    case "near":
      return orUndefined(nearOccurrences(expression, mention));
    case "within":
      return orUndefined(withinOccurrences(expression, mention));
  }
}

/** Parts often find the same words; each place is kept once, or their number would grow without limit. */
function* matchedByParts(
  { kind, of }: Extract<Expression, { kind: "all" | "any" }>,
  mention: Searchable,
): Generator<void, Occurrence[] | undefined> {
  const places = new Map<number, Occurrence>();
  let isMatch = kind === "all";
  for (const each of of) {
    const part = yield* matchedByInSteps(each, mention);
    if (part === undefined && kind === "all") return undefined;
    if (part === undefined) continue;
    isMatch = true;
    for (const occurrence of part) places.set(placeKey(occurrence), occurrence);
  }
  return isMatch ? inOrder([...places.values()]) : undefined;
}

/** Exact for texts of up to a million characters and more. */
function placeKey({ start, end, inTitle }: Occurrence): number {
  return (start * 2 ** 22 + (end - start)) * 2 + (inTitle ? 1 : 0);
}

function orUndefined(found: Occurrence[]): Occurrence[] | undefined {
  return found.length === 0 ? undefined : found;
}

/** In the order of the text, each place once: what is near several others would be counted for each of them. */
function inOrder(found: Occurrence[]): Occurrence[] {
  const sorted = found.sort((a, b) => a.first - b.first || a.start - b.start || a.end - b.end);
  return sorted.filter((each, i) => {
    const before = sorted[i - 1];
    return before?.start !== each.start || before.end !== each.end || before.inTitle !== each.inTitle;
  });
}

function nearOccurrences({ left, right, distance, forward }: Near, mention: Searchable): Occurrence[] {
  const lefts = matchedBy(left, mention) ?? [];
  if (lefts.length === 0) return [];
  const rights = matchedBy(right, mention) ?? [];
  if (rights.length === 0) return [];
  return inOrder([
    ...lefts.filter(hasPartner(rights, distance, { before: !forward, after: true })),
    ...rights.filter(hasPartner(lefts, distance, { before: true, after: !forward })),
  ]);
}

/** Whether one of the others ends shortly before an occurrence, or begins shortly after it. */
function hasPartner(
  others: readonly Occurrence[],
  distance: number,
  sides: { readonly before: boolean; readonly after: boolean },
): (occurrence: Occurrence) => boolean {
  const firsts = Float64Array.from(others, (other) => other.first).sort();
  const lasts = Float64Array.from(others, (other) => other.last).sort();
  return ({ first, last }) => {
    if (sides.after) {
      const next = firsts[countUpTo(firsts, last)];
      if (next !== undefined && next - last - 1 <= distance) return true;
    }
    if (!sides.before) return false;
    const previous = lasts[countUpTo(lasts, first - 1) - 1];
    return previous !== undefined && first - previous - 1 <= distance;
  };
}

/** How many of the ascending numbers are at most `limit`. */
function countUpTo(ascending: Float64Array, limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A group of occurrences, one of each operand, is near enough if at most `distance` words are between the end of the
 * one that ends first and the beginning of the one that begins last. So each end is tried as the first one.
 */
function withinOccurrences({ of, distance }: Within, mention: Searchable): Occurrence[] {
  const found: Occurrence[] = [];
  const operands: { lasts: Float64Array; firstFrom: Float64Array }[] = [];
  for (const { expression, times } of of) {
    const all = matchedBy(expression, mention) ?? [];
    if (all.length < times) return [];
    for (const occurrence of all) found.push(occurrence);
    operands.push(reachOf(all, times));
  }
  const anchors: number[] = [];
  for (const last of new Set(operands.flatMap(({ lasts }) => [...lasts]))) {
    const reaches = operands.every(({ lasts, firstFrom }) => {
      const first = firstFrom[countUpTo(lasts, last - 1)];
      return first !== undefined && first - last - 1 <= distance;
    });
    if (reaches) anchors.push(last);
  }
  const ends = Float64Array.from(anchors).sort();
  return inOrder(
    found.filter(({ first, last }) => countUpTo(ends, last) > countUpTo(ends, first - distance - 2)),
  );
}

/**
 * Ends of an operand in ascending order, each with the earliest beginning among occurrences that end there or later. An
 * operand wanted several times is a run of so many neighbours: it ends with the first and begins with the last one.
 */
function reachOf(
  all: readonly Occurrence[],
  times: number,
): { lasts: Float64Array; firstFrom: Float64Array } {
  const runs: { first: number; last: number }[] = [];
  for (let i = 0; i + times <= all.length; i++) {
    runs.push({ last: all[i]?.last ?? 0, first: all[i + times - 1]?.first ?? 0 });
  }
  runs.sort((a, b) => a.last - b.last);
  const lasts = Float64Array.from(runs, (run) => run.last);
  const firstFrom = Float64Array.from(runs, (run) => run.first);
  for (let i = firstFrom.length - 2; i >= 0; i--) {
    firstFrom[i] = Math.min(firstFrom[i] ?? 0, firstFrom[i + 1] ?? 0);
  }
  return { lasts, firstFrom };
}

/** As `nearOccurrences` finds any. */
function isNear({ left, right, distance, forward }: Near, mention: Searchable): boolean {
  if (!mayStand(left, mention) || !mayStand(right, mention)) return false;
  const gap = remembered(forward ? "onear" : "near", [left, right], mention, () => {
    const [a, b] = [spotsOf(left, mention), spotsOf(right, mention)];
    const after = smallestGap(a.lasts, b.firsts);
    return forward ? after : Math.min(after, smallestGap(b.lasts, a.firsts));
  });
  return gap <= distance;
}

/** Terms alone are asked before: a part with parts of its own would be judged twice, and its parts again. */
function mayStand(expression: Expression, { text }: Searchable): boolean {
  return expression.kind !== "term" || hasTerm(expression, text);
}

/** Words between the end of something and the nearest beginning of something else after it. Both ascend. */
function smallestGap(lasts: Float64Array, firsts: Float64Array): number {
  let [at, gap] = [0, Number.POSITIVE_INFINITY];
  for (const last of lasts) {
    while ((firsts[at] ?? Number.POSITIVE_INFINITY) <= last) at++;
    const first = firsts[at];
    if (first === undefined) break;
    gap = Math.min(gap, first - last - 1);
  }
  return gap;
}

/** As `withinOccurrences` finds any. */
function isWithin({ of, distance }: Within, mention: Searchable): boolean {
  if (!of.every(({ expression }) => mayStand(expression, mention))) return false;
  const name = `within ${of.map(({ times }) => times).join(" ")}`;
  const parts = of.map(({ expression }) => expression);
  const reach = remembered(name, parts, mention, () => {
    const operands = of.map(({ expression, times }) =>
      times === 1 ? spotsOf(expression, mention) : reachOf(matchedBy(expression, mention) ?? [], times),
    );
    if (operands.some(({ lasts }) => lasts.length === 0)) return Number.POSITIVE_INFINITY;
    // With itself, too: what is wanted several times has a length of its own.
    return Math.min(...operands.map(({ lasts }) => smallestReach(lasts, operands)));
  });
  return reach <= distance;
}

/** Words between one of the ascending ends and the beginning of what stands last, of something of each operand. */
function smallestReach(ends: Float64Array, operands: readonly Pick<Spots, "lasts" | "firstFrom">[]): number {
  const at = new Uint32Array(operands.length);
  let smallest = Number.POSITIVE_INFINITY;
  for (const end of ends) {
    let reach = Number.NEGATIVE_INFINITY;
    for (const [i, { lasts, firstFrom }] of operands.entries()) {
      let index = at[i] ?? 0;
      while (index < lasts.length && (lasts[index] ?? 0) < end) index++;
      at[i] = index;
      // Nothing of it ends later, and so none for the ends that follow.
      if (index === lasts.length) return smallest;
      reach = Math.max(reach, (firstFrom[index] ?? 0) - end - 1);
    }
    smallest = Math.min(smallest, reach);
  }
  return smallest;
}

/** What was found out about a text; it goes with the text. */
interface Memory {
  readonly spots: Map<string, Spots>;
  /** How near terms are to each other, whatever distance is asked for. */
  readonly distances: Map<string, number>;
  /** Places that may still be kept. */
  room: number;
}
const memories = new WeakMap<SearchText, Memory>();
const MOST_SPOTS = 200_000;
const keysOfTerms = new WeakMap<Term, string>();

function memoryOf(text: SearchText): Memory {
  const known = memories.get(text);
  if (known !== undefined) return known;
  const memory = { spots: new Map(), distances: new Map(), room: MOST_SPOTS };
  memories.set(text, memory);
  return memory;
}

function keyOf(term: Term): string {
  const known = keysOfTerms.get(term);
  if (known !== undefined) return known;
  const { pieces, lead, trail, where } = term;
  const key = JSON.stringify([pieces, lead, trail, where]);
  keysOfTerms.set(term, key);
  return key;
}

/** A query may ask the same of the same terms thousands of times, each time with another distance. */
function remembered(
  name: string,
  parts: readonly Expression[],
  { text }: Searchable,
  find: () => number,
): number {
  const terms = parts.filter((part) => part.kind === "term");
  if (terms.length < parts.length) return find();
  const { distances } = memoryOf(text);
  const key = [name, ...terms.map(keyOf)].join("\n");
  const known = distances.get(key) ?? find();
  distances.set(key, known);
  return known;
}

/** Where something stands, by its first and by its last words; all ascend but `firstFrom`, which belongs to `lasts`. */
interface Spots {
  readonly firsts: Float64Array;
  readonly lasts: Float64Array;
  readonly firstFrom: Float64Array;
}

function spotsOf(expression: Expression, mention: Searchable): Spots {
  if (expression.kind !== "term") return toSpots(matchedBy(expression, mention) ?? []);
  const memory = memoryOf(mention.text);
  const key = keyOf(expression);
  const before = memory.spots.get(key);
  if (before !== undefined) return before;
  const spots = toSpots(findTerm(expression, mention.text));
  if (spots.lasts.length > memory.room) return spots;
  memory.room -= spots.lasts.length;
  memory.spots.set(key, spots);
  return spots;
}

function toSpots(all: readonly Occurrence[]): Spots {
  return { ...reachOf(all, 1), firsts: Float64Array.from(all, ({ first }) => first).sort() };
}

/** A stretch of a mention's text for which it matched, in UTF-16 units, as the wire record shows it. */
export interface MatchPosition {
  readonly start: number;
  readonly text: string;
  readonly length: number;
}

/** More of them explain nothing, and a text may repeat one word a hundred thousand times. */
const MOST = 200;

/** Each stretch once, in the order of the text; one that lies inside another is left out. */
export function matchPositions(found: readonly Occurrence[], text: string): MatchPosition[] {
  const positions: MatchPosition[] = [];
  const inText = found.filter(({ inTitle }) => !inTitle).sort((a, b) => a.start - b.start || b.end - a.end);
  let coveredUntil = 0;
  for (const { start, end } of inText) {
    if (positions.length === MOST) break;
    if (end <= coveredUntil) continue;
    coveredUntil = end;
    positions.push({ start, text: text.slice(start, end), length: end - start });
  }
  return positions;
}
