import { z } from "zod";

/** The keys of a JSON Schema (draft 7) that are used here. */
export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  required?: string[];
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  [key: string]: unknown;
}

/**
 * The JSON Schema of what people write in YAML, for editors, with the descriptions of the zod schema. Bounds and default
 * stand in the description too, because editors do not show them.
 *
 * `meta` of a zod schema may hold any key of a JSON Schema, for what zod cannot say by itself, and `bounds` (text for
 * the description) and `oneOrMany` (a list that may be written as its only value).
 */
export function editorSchema(schema: z.ZodType): JsonSchema {
  const { $schema, ...plain } = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
  });
  return { $schema, ...rewrite(plain as JsonSchema, tidy) };
}

/** Applies `change` to every schema inside, the innermost first, and then to `node` itself. */
export function rewrite(node: JsonSchema, change: (node: JsonSchema) => JsonSchema): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => (isSchema(one) ? rewrite(one, change) : one));
    return isSchema(value) ? rewrite(value, change) : value;
  };
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    // Names of people's keys, and not keys of a schema.
    if ((key === "properties" || key === "definitions" || key === "patternProperties") && isSchema(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one)]))];
    return [key, key === "default" || key === "const" || key === "enum" ? value : inside(value)];
  });
  return change(Object.fromEntries(entries));
}

function tidy(node: JsonSchema): JsonSchema {
  const { bounds, oneOrMany, description, default: usual, ...rest } = node;
  // The range of JavaScript's whole numbers helps nobody.
  if (rest["maximum"] === Number.MAX_SAFE_INTEGER) delete rest["maximum"];
  if (rest["minimum"] === Number.MIN_SAFE_INTEGER) delete rest["minimum"];
  const isShown = usual !== undefined && (typeof usual !== "object" || Object.keys(usual ?? {}).length > 0);
  const [sentence, example] = (description ?? "").split(/(?=Example: )/);
  const text = [
    ...(sentence === undefined || sentence === "" ? [] : [sentence.trimEnd()]),
    ...(typeof bounds === "string" ? [`${bounds}.`] : []),
    ...(isShown ? [`Default: ${typeof usual === "string" ? usual : JSON.stringify(usual)}.`] : []),
    ...(example === undefined ? [] : [example]),
  ].join(" ");
  const said = { ...(text !== "" && { description: text }), ...(isShown && { default: usual }) };
  if (oneOrMany !== true) return { ...said, ...rest };
  const { items, minItems } = rest;
  return { ...said, anyOf: [items as JsonSchema, { type: "array", items, minItems }] };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
