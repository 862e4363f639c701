/** A service does not do what the specification says. */
export class Deviation extends Error {
  override readonly name = "Deviation";
}

export function demand(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Deviation(otherwise);
}

export function demandEqual(got: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(expected)];
  demand(left === right, `${what}: expected ${right?.slice(0, 200)}, got ${left?.slice(0, 200)}`);
}
