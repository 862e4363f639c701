import { round, WIDTH } from "./chart-frame.ts";

/** A text of 14 units, centred at `x`. */
export interface PlacedLabel {
  readonly x: number;
  readonly label: string;
}

/**
 * Returns the labels that have room; earlier ones win. None covers another, and labels at the edges move inside. Extra
 * fields of `Label`, such as the height, are kept.
 */
export function placeLabels<Label extends PlacedLabel>(labels: readonly Label[]): readonly Label[] {
  const placed: Label[] = [];
  for (const label of labels) {
    const half = halfWidth(label);
    const x = round(Math.min(Math.max(label.x, EDGE + half), WIDTH - EDGE - half));
    const isFree = placed.every((other) => Math.abs(other.x - x) >= half + halfWidth(other) + GAP);
    if (isFree) placed.push({ ...label, x });
  }
  return placed;
}

const EDGE = 4;
const GAP = 8;

function halfWidth({ label }: PlacedLabel): number {
  return (label.length * LETTER) / 2;
}

/** Wide enough for digits and capitals, the widest characters of labels. */
const LETTER = 8.9;
