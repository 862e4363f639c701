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
  return change(mapInside(node, (one) => rewrite(one, change)));
}

/**
 * The same schema, in which what stands in several places word for word is a definition: a new kind of receiver or feed
 * adds its own keys, and not a copy of those that all have.
 */
export function shareRepeated(schema: JsonSchema): JsonSchema {
  const places = new Map<string, number>();
  const count = (node: JsonSchema): JsonSchema => {
    const text = JSON.stringify(node);
    places.set(text, (places.get(text) ?? 0) + 1);
    // What is inside a repeated schema is repeated with it.
    return places.get(text) === 1 ? mapInside(node, count) : node;
  };
  mapInside(schema, count);
  const definitions: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();
  const share = (node: JsonSchema, key: string): JsonSchema => {
    const text = JSON.stringify(node);
    const isWorthIt = text.length >= SHARED_CHARACTERS && (places.get(text) ?? 0) > 1;
    if (!isWorthIt) return mapInside(node, share);
    const known = names.get(text);
    if (known !== undefined) return { $ref: `#/definitions/${known}` };
    // The key of a pattern is no name.
    const base = /^[\w-]+$/.test(key) ? key : "value";
    let name = base;
    for (let n = 2; name in definitions || name in (schema.definitions ?? {}); n++) name = `${base}-${n}`;
    names.set(text, name);
    // Its place comes before those of what is inside it.
    definitions[name] = {};
    definitions[name] = mapInside(node, share);
    return { $ref: `#/definitions/${name}` };
  };
  const shared = mapInside(schema, share);
  return { ...shared, definitions: { ...shared.definitions, ...definitions } };
}

/** A definition of less is longer than what it saves. */
const SHARED_CHARACTERS = 120;

/** As it is written in a file: what fits stands in one line. */
export function printSchema(value: unknown, indent = ""): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || value === null || line.length + indent.length <= WIDEST_LINE) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, one]) => {
    const printed = printSchema(one, inner);
    return isList ? printed : `${JSON.stringify(key)}: ${printed}`;
  });
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

const WIDEST_LINE = 120;

/** Gives each schema directly inside the key under which it stands; one of a list has the key of the list. */
function mapInside(node: JsonSchema, change: (node: JsonSchema, key: string) => JsonSchema): JsonSchema {
  const inside = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => (isSchema(one) ? change(one, key) : one));
    return isSchema(value) ? change(value, key) : value;
  };
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    // Names of people's keys, and not keys of a schema.
    if ((key === "properties" || key === "definitions" || key === "patternProperties") && isSchema(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one, name)]))];
    return [key, key === "default" || key === "const" || key === "enum" ? value : inside(value, key)];
  });
  return Object.fromEntries(entries);
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

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
