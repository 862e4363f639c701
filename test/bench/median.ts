/** The middle of the figures of several runs; of an even number the upper one. 0 of none. */
export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}
