import { createHash } from "node:crypto";
import type { MentionRecord } from "./mention-record.ts";
import { isSilent } from "./silent-mention.ts";

/**
 * A wire record in two pieces of JSON text. Most of the hundred and more fields of a mention say nothing, and
 * mentions of one kind are silent about the same fields; so that silence is stored once per kind, as a shape, and a
 * row carries only what it says. Together they make the record again by concatenation.
 */
export interface PackedRecord {
  /** The fields that say something: `{"resourceId":"…",…` without the closing brace. */
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
  const said: string[] = [];
  const silent: string[] = [];
  for (const [name, value] of Object.entries(record)) {
    (isSilent(value) ? silent : said).push(`"${name}":${JSON.stringify(value)}`);
  }
  const silence = `${silent.map((field) => `,${field}`).join("")}}`;
  return { said: `{${said.join(",")}`, shape: { id: shapeId(silence), silence } };
}

export function unpackRecord(said: string, silence: string): string {
  return said + silence;
}

function shapeId(silence: string): number {
  const known = ids.get(silence);
  if (known !== undefined) return known;
  const id = Number.parseInt(createHash("sha256").update(silence).digest("hex").slice(0, 12), 16);
  if (ids.size < 10_000) ids.set(silence, id);
  return id;
}

/** Only spares the hashing: an id is a pure function of the text. */
const ids = new Map<string, number>();
