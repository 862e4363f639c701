/** The fields that a template may name, taken from sample views, which hold every field at least once. */
export interface Shape {
  /** By name; null if any name is allowed, or nothing is known. */
  readonly fields: ReadonlyMap<string, Shape> | null;
  /** The shape of a list's entries; null if it is no list. */
  readonly item: Shape | null;
}

/** An unknown shape: every name is accepted. */
export const ANYTHING: Shape = { fields: null, item: null };

/** A text, a number or a time: it has no fields. */
export const PLAIN: Shape = { fields: new Map(), item: null };

/** Its fields depend on the rule. */
const OPEN_FIELDS = new Set(["values"]);

/** The combined shape of all these values. A field that is null in each of them may be anything. */
export function shapeOf(values: readonly unknown[]): Shape {
  const there = values.filter((value) => value !== null && value !== undefined);
  if (there.length === 0) return ANYTHING;
  const lists = there.filter((value) => Array.isArray(value));
  if (lists.length > 0) return { fields: new Map([["length", PLAIN]]), item: shapeOf(lists.flat()) };
  const objects = there.filter(isObject);
  if (objects.length === 0) return PLAIN;
  const names = new Set(objects.flatMap((one) => Object.keys(one)));
  const fields = [...names].map((name): [string, Shape] => [
    name,
    OPEN_FIELDS.has(name) ? ANYTHING : shapeOf(objects.map((one) => one[name])),
  ]);
  return { fields: new Map(fields), item: null };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
