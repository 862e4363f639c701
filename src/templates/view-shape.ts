/** What a template may name: learned from sample views, which hold every field at least once. */
export interface Shape {
  /** By name; null where any name may be there, or nothing is known. */
  readonly fields: ReadonlyMap<string, Shape> | null;
  /** Of each entry of a list; null where it is none. */
  readonly item: Shape | null;
}

/** Nothing is known of it, so nothing is wrong with it. */
export const ANYTHING: Shape = { fields: null, item: null };

/** Of a text, a number, a moment: nothing can be asked of it. */
export const PLAIN: Shape = { fields: new Map(), item: null };

/** Which fields there are depends on the rule. */
const OPEN_FIELDS = new Set(["values"]);

/** The shape that all of these have together. What is null in every one of them may be anything. */
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
