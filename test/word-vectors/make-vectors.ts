import { SIZE, type WordVectors } from "../../src/feeds/enrich/word-vectors/vectors-file.ts";

const ROUNDS = 60;
/** The length of each vector, in steps of a byte: its largest number is seldom above half of its length. */
const LENGTH = 250;

/** The first `SIZE` principal components of the vectors, each of the same length, as bytes. */
export function makeVectors(
  rows: readonly (readonly [word: string, numbers: readonly number[]])[],
): WordVectors {
  const width = rows[0]?.[1].length ?? 0;
  const mean = Array.from(
    { length: width },
    (_, at) => sum(rows, ([, numbers]) => numbers[at] ?? 0) / rows.length,
  );
  const centred = rows.map(([, numbers]) => numbers.map((number, at) => number - (mean[at] ?? 0)));
  const axes = principalAxes(covariance(centred, width), Math.min(SIZE, width));
  const numbers = new Int8Array(rows.length * SIZE);
  for (const [index, vector] of centred.entries()) {
    const projected = axes.map((axis) => dot(axis, vector));
    const length = Math.hypot(...projected) || 1;
    for (const [at, number] of projected.entries())
      numbers[index * SIZE + at] = Math.max(-127, Math.min(127, Math.round((LENGTH * number) / length)));
  }
  return { words: rows.map(([word]) => word), numbers };
}

function covariance(vectors: readonly (readonly number[])[], width: number): number[][] {
  const table = Array.from({ length: width }, () => new Array<number>(width).fill(0));
  for (const vector of vectors)
    for (const [a, row] of table.entries())
      for (let b = 0; b < width; b++) row[b] = (row[b] ?? 0) + (vector[a] ?? 0) * (vector[b] ?? 0);
  return table;
}

/** By power iteration, one after the other, each at right angles to those before it. The same table gives the same axes. */
function principalAxes(table: readonly (readonly number[])[], count: number): readonly (readonly number[])[] {
  const axes: (readonly number[])[] = [];
  for (let n = 0; n < count; n++) {
    let axis: readonly number[] = table.map((_, at) => Math.sin(at * (n + 1) + 1));
    for (let round = 0; round < ROUNDS; round++) {
      let next = table.map((row) => dot(row, axis));
      for (const earlier of axes) {
        const along = dot(earlier, next);
        next = next.map((number, at) => number - along * (earlier[at] ?? 0));
      }
      const length = Math.hypot(...next) || 1;
      axis = next.map((number) => number / length);
    }
    axes.push(axis);
  }
  return axes;
}

function dot(a: readonly number[], b: readonly number[]): number {
  let result = 0;
  for (const [at, number] of a.entries()) result += number * (b[at] ?? 0);
  return result;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
