import { demand } from "./demand.ts";

/** What a field holds. `?` at the end: or null. */
export type FieldType =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "array"
  | "object"
  | "timestamp"
  | "value"
  | `${"string" | "integer" | "number" | "boolean" | "array" | "object" | "timestamp"}?`;

export type Shape = Readonly<Record<string, FieldType>>;

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}[+-]\d{4}$/;

/** Fields beyond the shape are nobody's fault: services grow. */
export function demandShape(value: unknown, shape: Shape, where: string): void {
  demand(typeof value === "object" && value !== null && !Array.isArray(value), `${where} is no object`);
  const record = value as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(shape).flatMap(([field, type]) => {
    if (!(field in record)) return [`${field} is missing`];
    return fits(record[field], type) ? [] : [`${field} is ${shown(record[field])}, expected ${type}`];
  });
  demand(wrong.length === 0, `${where}: ${wrong.join("; ")}`);
}

/** `id: integer` → a shape, for long lists of fields of one type. */
export function all(type: FieldType, names: string): Shape {
  return Object.fromEntries(
    names
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((name) => [name, type]),
  );
}

function fits(value: unknown, type: FieldType): boolean {
  if (type === "value") return true;
  if (value === null) return type.endsWith("?");
  switch (type.replace("?", "")) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && !Array.isArray(value);
    case "timestamp":
      return typeof value === "string" && TIMESTAMP.test(value);
    default:
      return typeof value === type.replace("?", "");
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 60);
}
