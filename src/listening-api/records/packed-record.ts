import { createHash } from "node:crypto";
import { EMPTY_MENTION } from "./empty-fields.ts";
import type { MentionRecord } from "./mention-record.ts";

/**
 * A wire record in two pieces of JSON text. Most of the hundred and more fields of a mention are empty, and mentions of
 * one kind have the same empty fields. So the empty ones are stored once per kind, as a shape, and a row has only the
 * others. Concatenated, the two are the record.
 */
interface PackedRecord {
  /** The fields with a value: `{"resourceId":"…",…` without the closing brace. */
  readonly filledFields: string;
  readonly shape: RecordShape;
}

export interface RecordShape {
  /** Follows from `emptyFields`, so that every process gives a shape the same id. */
  readonly id: number;
  /** The other fields: `,"title":null,…}`. */
  readonly emptyFields: string;
}

export function packRecord(record: MentionRecord): PackedRecord {
  const fields: Readonly<Record<string, unknown>> = record;
  let filledFields = "";
  for (let i = 0; i < NAMES.length; i++) {
    const value = fields[NAMES[i] as string];
    if (value === null) signs[i] = NULL;
    else if (value === false) signs[i] = FALSE;
    else if (typeof value === "object" && (value as { length?: number }).length === 0) signs[i] = EMPTY;
    else {
      signs[i] = FILLED;
      filledFields += (filledFields === "" ? "{" : ",") + KEYS[i] + jsonOf(value);
    }
  }
  // A field that the spec does not have follows the others.
  for (const name in fields)
    if (!KNOWN.has(name)) filledFields += `,${JSON.stringify(name)}:${JSON.stringify(fields[name])}`;
  return { filledFields: filledFields === "" ? "{" : filledFields, shape: shapeOf(signs.toString("latin1")) };
}

/** As JSON.stringify writes it; most values are short plain texts, for which calling it is most of the work. */
function jsonOf(value: unknown): string {
  return typeof value === "string" && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

const PLAIN = /^[ !#-[\]-\u{d7ff}]*$/u;

/** The empty value of each field of the record. */
const [NULL, FALSE, EMPTY, FILLED] = [..."nfes"].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];
const NAMES = Object.keys(EMPTY_MENTION);
const KNOWN = new Set(NAMES);
const signs = Buffer.alloc(NAMES.length);
const KEYS = NAMES.map((name) => `"${name}":`);
const EMPTY_VALUES: Readonly<Record<string, string>> = { n: "null", f: "false", e: "[]" };

/** By the sign of each field: which kind of empty value it has, if any. */
function shapeOf(signsOfFields: string): RecordShape {
  const known = shapes.get(signsOfFields);
  if (known !== undefined) return known;
  const empty = KEYS.flatMap((key, i) => {
    const value = EMPTY_VALUES[signsOfFields[i] ?? ""];
    return value === undefined ? [] : [`,${key}${value}`];
  });
  const emptyFields = `${empty.join("")}}`;
  const shape = { id: shapeId(emptyFields), emptyFields };
  if (shapes.size < MOST_SHAPES) shapes.set(signsOfFields, shape);
  return shape;
}

const MOST_SHAPES = 10_000;
/** Only spares the work: a shape is a pure function of the signs. */
const shapes = new Map<string, RecordShape>();

export function unpackRecord(filledFields: string, emptyFields: string): string {
  return filledFields + emptyFields;
}

function shapeId(emptyFields: string): number {
  return Number.parseInt(createHash("sha256").update(emptyFields).digest("hex").slice(0, 12), 16);
}
