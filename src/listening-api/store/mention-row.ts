import type { Instant } from "../../lib/instant.ts";
import { storableText } from "../../lib/text.ts";
import { type FieldType, MENTION_FIELDS, type MentionField } from "../records/mention-fields.ts";
import { mentionId } from "../records/mention-id.ts";
import { columnOf } from "./field-sql.ts";
import { DERIVED_FIELDS, derivedFacts, type MentionVersion, textOf } from "./mention-version.ts";
import { wordsVector } from "./mention-words.ts";

const FIELDS = Object.entries(MENTION_FIELDS).map(([field, type]) => ({
  field: field as MentionField,
  isDerived: DERIVED_FIELDS.has(field),
  write: writerOf(field as MentionField, type),
}));

/** The columns that `mentionCells` fills, in its order. */
export const MENTION_COLUMNS: readonly string[] = [
  "id",
  "version",
  "visible_at",
  "superseded_at",
  "shape_id",
  "filled_fields",
  "full_text",
  "exact_text",
  "words",
  ...Object.keys(MENTION_FIELDS).map((field) => columnOf(field as MentionField)),
];

/** How a version's record is stored: the columns that are none of the facts. */
interface RecordColumns {
  readonly shape_id: number;
  readonly filled_fields: string;
  readonly exact_text: string | null;
}

/** A row of `local_api.mention`, each value as PostgreSQL reads it from text. */
export function mentionCells(version: MentionVersion, record: RecordColumns): (string | null)[] {
  const derived: Readonly<Record<string, unknown>> = derivedFacts(version);
  const plain: Readonly<Record<string, unknown>> = version.record;
  const text = textOf(version);
  const cells: (string | null)[] = [
    String(mentionId(version.added, version.record.resourceId)),
    String(version.version),
    moment(version.visibleAt),
    version.supersededAt === null ? "infinity" : moment(version.supersededAt),
    String(record.shape_id),
    record.filled_fields,
    text === null ? null : storableText(text),
    record.exact_text,
    wordsOf(version.record.title, text),
  ];
  for (const { field, isDerived, write } of FIELDS) {
    const value = isDerived ? derived[field] : plain[field];
    cells.push(value === null || value === undefined ? null : write(value));
  }
  return cells;
}

/** The versions of a mention in several queries follow each other, and have the same words. */
function wordsOf(title: string | null, text: string | null): string {
  if (title !== last.title || text !== last.text) last = { title, text, words: wordsVector(title, text) };
  return last.words;
}

let last: { title: string | null; text: string | null; words: string } = {
  title: null,
  text: null,
  words: "",
};

/** Columns hold what PostgreSQL can keep; inside the record texts arrive as they were found. */
function writerOf(field: MentionField, type: FieldType): (value: unknown) => string | null {
  switch (type) {
    case "moment":
      return (value) => moment(Number(value));
    case "text":
      return (value) => storableText(String(value));
    case "texts":
      return (value) => textArray((value as readonly string[]).map(storableText));
    case "ids":
      return (value) => `{${(value as readonly number[]).join(",")}}`;
    case "flag":
      return (value) => (value ? "t" : "f");
    case "number":
      return field === "latitude" || field === "longitude" ? finite : (value) => whole(Number(value));
  }
}

/** Of a mention that never changed, most moments are one. */
let [lastAt, lastText]: [Instant, string] = [0, new Date(0).toISOString()];

function moment(at: Instant): string {
  if (at !== lastAt) [lastAt, lastText] = [at, new Date(at).toISOString()];
  return lastText;
}

function finite(value: unknown): string | null {
  return Number.isFinite(value) ? String(value) : null;
}

/** Counts are whole numbers that JavaScript keeps exactly. */
function whole(value: number): string | null {
  if (Number.isNaN(value)) return null;
  return String(Math.trunc(Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, value))));
}

/**
 * One row of PostgreSQL's text format for COPY: cells are what PostgreSQL writes itself for a value, null is NULL.
 * Texts must be storable (see `storableText`).
 */
export function copyLine(cells: readonly (string | null)[]): string {
  let line = "";
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    if (i > 0) line += "\t";
    if (cell == null) line += "\\N";
    else line += SPECIAL.test(cell) ? cell.replaceAll(ALL_SPECIAL, escaped) : cell;
  }
  return `${line}\n`;
}

/** An array as PostgreSQL reads it: every text quoted, so that none is taken for NULL or for the end. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

const SPECIAL = /[\\\n\r\t]/;
const ALL_SPECIAL = /[\\\n\r\t]/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(sign: string): string {
  return ESCAPES[sign] ?? sign;
}
