import { distance } from "fastest-levenshtein";

/** Longer words are compared by their beginning: input of strangers may be long. */
const COMPARED = 100;

/** The candidate that `word` was probably meant to be, or undefined if none is near. Ignores case. */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(Math.min(word.length, COMPARED) / 3)) + 1;
  for (const candidate of candidates) {
    const found = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/**
 * Insertions, deletions and replacements that turn `from` into `to`. Two swapped neighbours count as one: the library
 * counts two, and would find no `spike` in `spiek`.
 */
export function editDistance(from: string, to: string): number {
  const a = from.slice(0, COMPARED);
  const b = to.slice(0, COMPARED);
  let least = distance(a, b);
  for (let at = 1; at < a.length && least > 1; at++) {
    if (a[at] === a[at - 1]) continue;
    const swapped = `${a.slice(0, at - 1)}${a[at]}${a[at - 1]}${a.slice(at + 1)}`;
    least = Math.min(least, 1 + distance(swapped, b));
  }
  return least;
}
