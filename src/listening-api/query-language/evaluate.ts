import type { Expression, Near, Within } from "./expression.ts";
import { findTerm, hasTerm, type Occurrence } from "./find-term.ts";
import type { Searchable } from "./search-text.ts";

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
    case "within":
      return matchedBy(expression, mention) !== undefined;
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
