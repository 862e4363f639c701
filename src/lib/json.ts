import { createHash } from "node:crypto";

/** Any JSON value. Types that are stored as JSON are aliases, not interfaces, so that they fit here. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * JSON that PostgreSQL accepts, whatever strangers wrote and wherever it was cut: U+0000 and halves of surrogate pairs
 * become U+FFFD, in keys, too. `JSON.stringify` writes these two, and no other text, as such escapes.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!UNSTORABLE.test(json)) return json;
  return json.replaceAll(ESCAPES, (whole, unstorable) => (unstorable === undefined ? whole : "\ufffd"));
}

const UNSTORABLE = /\\u(?:0000|d[89a-f])/;
/** Each escape as a whole, so that a backslash before `u0000` that is text stays. */
const ESCAPES = /\\(?:(u0000|ud[89a-f][0-9a-f]{2})|.)/g;

/** JSON with the keys of every object in order and no blanks: equal values have equal texts. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** 32 hex digits that depend on the value alone: the same on every machine, in every run, for every order of keys. */
export function stableHash(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}

/** Whether it is an object with keys, neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
