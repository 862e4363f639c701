import type { Occurrence } from "./find-term.ts";

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
