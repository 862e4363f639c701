import { createHash } from "node:crypto";
import { SILENT_MENTION } from "./empty-fields.ts";
import type { MentionRecord } from "./mention-record.ts";

/**
 * A wire record in two pieces of JSON text. Most of the hundred and more fields of a mention are empty, and mentions of
 * one kind have the same empty fields. So the empty ones are stored once per kind, as a shape, and a row has only the
 * others. Concatenated, the two are the record.
 */
export interface PackedRecord {
  /** The fields with a value: `{"resourceId":"…",…` without the closing brace. */
  readonly said: string;
  readonly shape: RecordShape;
}

export interface RecordShape {
  /** Follows from `silence`, so that every process gives a shape the same id. */
  readonly id: number;
  /** The other fields: `,"title":null,…}`. */
  readonly silence: string;
}

export function packRecord(record: MentionRecord): PackedRecord {
  const fields = record as unknown as Readonly<Record<string, unknown>>;
  let said = "";
  for (let i = 0; i < NAMES.length; i++) {
    const value = fields[NAMES[i] as string];
    if (value === null) signs[i] = NULL;
    else if (value === false) signs[i] = FALSE;
    else if (typeof value === "object" && (value as { length?: number }).length === 0) signs[i] = EMPTY;
    else {
      signs[i] = SAID;
      said += (said === "" ? "{" : ",") + KEYS[i] + jsonOf(value);
    }
  }
  // A field that the spec does not have follows the others.
  for (const name in fields)
    if (!KNOWN.has(name)) said += `,${JSON.stringify(name)}:${JSON.stringify(fields[name])}`;
  return { said: said === "" ? "{" : said, shape: shapeOf(signs.toString("latin1")) };
}

/** As JSON.stringify writes it; most values are short plain texts, for which calling it is most of the work. */
function jsonOf(value: unknown): string {
  return typeof value === "string" && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

const PLAIN = /^[ !#-[\]-\u{d7ff}]*$/u;

/** The empty value of each field of the record. */
const [NULL, FALSE, EMPTY, SAID] = [..."nfes"].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];
const NAMES = Object.keys(SILENT_MENTION);
const KNOWN = new Set(NAMES);
const signs = Buffer.alloc(NAMES.length);
const KEYS = NAMES.map((name) => `"${name}":`);
const SILENT: Readonly<Record<string, string>> = { n: "null", f: "false", e: "[]" };

/** By how each field of the record is silent. */
function shapeOf(silentAs: string): RecordShape {
  const known = shapes.get(silentAs);
  if (known !== undefined) return known;
  const silent = KEYS.flatMap((key, i) => {
    const value = SILENT[silentAs[i] ?? ""];
    return value === undefined ? [] : [`,${key}${value}`];
  });
  const silence = `${silent.join("")}}`;
  const shape = { id: shapeId(silence), silence };
  if (shapes.size < MOST_SHAPES) shapes.set(silentAs, shape);
  return shape;
}

const MOST_SHAPES = 10_000;
/** Only spares the work: a shape is a pure function of what is silent, and how. */
const shapes = new Map<string, RecordShape>();

export function unpackRecord(said: string, silence: string): string {
  return said + silence;
}

function shapeId(silence: string): number {
  return Number.parseInt(createHash("sha256").update(silence).digest("hex").slice(0, 12), 16);
}
