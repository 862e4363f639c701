import type { Instant } from "../../lib/instant.ts";
import { storableText } from "../../lib/storable-text.ts";
import { mentionId } from "../records/mention-id.ts";
import { derivedFacts, textOf } from "./mention-facts.ts";
import { columnOf, type FieldType, MENTION_FIELDS, type MentionField } from "./mention-fields.ts";
import type { MentionVersion } from "./mention-version.ts";
import { wordsVector } from "./mention-words.ts";

const FIELDS = Object.entries(MENTION_FIELDS).map(([field, type]) => ({
  field: field as MentionField,
  column: columnOf(field as MentionField),
  key: `,"${columnOf(field as MentionField)}":`,
  write: writerOf(field as MentionField, type),
}));

/** The columns that `mentionRow` fills. */
export const MENTION_COLUMNS: readonly string[] = [
  "id",
  "version",
  "visible_at",
  "superseded_at",
  "shape_id",
  "said",
  "full_text",
  "exact_text",
  "words",
  ...FIELDS.map(({ column }) => column),
];

/** How a version's record is stored: the columns that are none of the facts. */
export interface RecordColumns {
  readonly shape_id: number;
  readonly said: string;
  readonly exact_text: string | null;
}

/** A row of `local_api.mention` as JSON text, by column; nulls are left out. */
export function mentionRow(version: MentionVersion, record: RecordColumns): string {
  const derived: Readonly<Record<string, unknown>> = derivedFacts(version);
  const plain = version.record as unknown as Readonly<Record<string, unknown>>;
  const text = textOf(version);
  const row = [
    `"id":${mentionId(version.added, version.record.resourceId)}`,
    `"version":${version.version}`,
    `"visible_at":"${moment(version.visibleAt)}"`,
    `"superseded_at":"${version.supersededAt === null ? "infinity" : moment(version.supersededAt)}"`,
    `"shape_id":${record.shape_id}`,
    `"said":${JSON.stringify(record.said)}`,
  ];
  row.push(`"words":${JSON.stringify(wordsVector(version.record.title, text))}`);
  if (text !== null) row.push(`"full_text":${JSON.stringify(storableText(text))}`);
  if (record.exact_text !== null) row.push(`"exact_text":${JSON.stringify(record.exact_text)}`);
  let written = `{${row.join(",")}`;
  for (const { field, key, write } of FIELDS) {
    const value = field in derived ? derived[field] : plain[field];
    if (value !== null && value !== undefined) written += key + write(value);
  }
  return `${written}}`;
}

/** As JSON. Columns hold what PostgreSQL can keep; inside the record texts arrive as they were found. */
function writerOf(field: MentionField, type: FieldType): (value: unknown) => string {
  switch (type) {
    case "moment":
      return (value) => `"${moment(Number(value))}"`;
    case "text":
      return (value) => JSON.stringify(storableText(String(value)));
    case "texts":
      return (value) => JSON.stringify((value as readonly string[]).map(storableText));
    case "number":
      if (field !== "latitude" && field !== "longitude") return (value) => String(whole(Number(value)));
  }
  return (value) => JSON.stringify(value);
}

/** Of a mention that never changed, most moments are one. */
let [lastAt, lastText]: [Instant, string] = [0, new Date(0).toISOString()];

function moment(at: Instant): string {
  if (at !== lastAt) [lastAt, lastText] = [at, new Date(at).toISOString()];
  return lastText;
}

/** Counts are whole numbers that JavaScript keeps exactly. */
function whole(value: number): number | null {
  if (Number.isNaN(value)) return null;
  return Math.trunc(Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, value)));
}
