import { isRecord } from "../../lib/json.ts";
import { invalidRequest } from "./api-error.ts";
import type { UnknownParameters } from "./parameter-reader.ts";

/**
 * Reads the fields of a JSON object and collects all faults. An absent field, or null, reads as undefined. Clients send
 * back what they read: unknown fields are handled like unknown parameters.
 */
export interface BodyReader {
  readonly body: Readonly<Record<string, unknown>>;
  has(field: string): boolean;
  /** 1 to 255 characters that are not all blank. Required where there is no current one. */
  name(current: string | undefined): string;
  text(field: string, maxLength: number): string | undefined;
  /** Some programs send it as text. */
  flag(field: string): boolean | undefined;
  number(field: string, limits: { min: number; max: number }): number | undefined;
  oneOf<Value extends string>(field: string, allowed: readonly Value[]): Value | undefined;
  texts(field: string, limits: { max: number; maxLength: number }): readonly string[] | undefined;
  integers(field: string, max?: number): readonly number[] | undefined;
  list(field: string, max: number): readonly unknown[] | undefined;
  /** Fields of the record without effect: clients may send back a whole record. */
  accept(...fields: readonly string[]): void;
  fault(message: string): void;
  /** All faults so far, with the names that are no fields of `what`, where these are refused. */
  faults(what: string): readonly string[];
  /** Throws the one 400 with all faults. `what` names the thing: `a query`. */
  finish(what: string): void;
}

const MAX_NAME = 255;

/** A body of 5,000 unknown fields is refused without an answer of its own size. */
const MOST_NAMED = 20;
/** Of a body: who sent ten thousand wrong values does not read ten thousand faults. A list names a hundred, and how many more. */
const MOST_FAULTS = 120;

export function createBodyReader(given: unknown, unknown: UnknownParameters): BodyReader {
  if (!isRecord(given)) throw invalidRequest("body: expected a JSON object.");
  const body = given;
  const faults = new Set<string>();
  const knownFields = new Set<string>();

  function value(field: string): unknown {
    knownFields.add(field);
    return body[field] ?? undefined;
  }

  function text(field: string, maxLength: number, least = 0): string | undefined {
    const found = value(field);
    if (found === undefined) return undefined;
    const isText = typeof found === "string" && found.length <= maxLength && !found.includes("\0");
    if (isText && found.trim().length >= least) return found;
    faults.add(`${field}: expected text of ${least} to ${maxLength} characters, got ${quote(found)}.`);
    return undefined;
  }

  function list(field: string, max: number): readonly unknown[] | undefined {
    const found = value(field);
    if (found === undefined) return undefined;
    if (Array.isArray(found) && found.length <= max) return found;
    const got = Array.isArray(found) ? `${found.length} of them` : quote(found);
    faults.add(`${field}: expected an array of at most ${max}, got ${got}.`);
    return undefined;
  }

  function strangers(): readonly string[] {
    return Object.keys(body).filter((field) => !knownFields.has(field));
  }

  function allFaults(what: string): readonly string[] {
    const refused = unknown === "refuse" ? strangers() : [];
    return [
      ...faults,
      ...refused.slice(0, MOST_NAMED).map((field) => `${quote(field)} is not a field of ${what}.`),
      ...(refused.length > MOST_NAMED
        ? [`${refused.length - MOST_NAMED} more names are not fields of ${what}.`]
        : []),
    ];
  }

  return {
    body,
    has: (field) => value(field) !== undefined,
    name(current) {
      const name = text("name", MAX_NAME, 1) ?? current;
      if (name === undefined && value("name") === undefined)
        faults.add(`name: expected text of 1 to ${MAX_NAME} characters, got nothing.`);
      return name ?? "";
    },
    text: (field, maxLength) => text(field, maxLength),
    flag(field) {
      const found = value(field);
      if (found === undefined || typeof found === "boolean") return found;
      const text = String(found).toLowerCase();
      if (typeof found === "string" && (text === "true" || text === "false")) return text === "true";
      faults.add(`${field}: expected true or false, got ${quote(found)}.`);
      return undefined;
    },
    number(field, { min, max }) {
      const found = value(field);
      if (found === undefined) return undefined;
      if (typeof found === "number" && found >= min && found <= max) return found;
      faults.add(`${field}: expected a number from ${min} to ${max}, got ${quote(found)}.`);
      return undefined;
    },
    oneOf(field, allowed) {
      const found = value(field);
      if (found === undefined) return undefined;
      const known = allowed.find((candidate) => candidate === found);
      if (known === undefined)
        faults.add(`${field}: expected one of ${allowed.join(", ")}, got ${quote(found)}.`);
      return known;
    },
    texts(field, { max, maxLength }) {
      const found = list(field, max);
      const wrong = found?.filter(
        (one) => typeof one !== "string" || one === "" || one.length > maxLength || one.includes("\0"),
      );
      for (const one of wrong ?? [])
        faults.add(`${field}: expected texts of 1 to ${maxLength} characters, got ${quote(one)}.`);
      return found?.filter((one) => typeof one === "string");
    },
    integers(field, max = 10_000) {
      const found = list(field, max);
      for (const one of found?.filter((id) => !Number.isSafeInteger(id)) ?? [])
        faults.add(`${field}: expected integers, got ${quote(one)}.`);
      return found?.filter((id): id is number => Number.isSafeInteger(id));
    },
    list,
    accept: (...fields) => {
      for (const field of fields) knownFields.add(field);
    },
    fault: (message) => {
      faults.add(message);
    },
    faults: allFaults,
    finish(what) {
      const found = allFaults(what);
      if (found.length > 0) throw invalidRequest(...found.slice(0, MOST_FAULTS));
      if (unknown !== "refuse")
        unknown(
          strangers()
            .slice(0, MOST_NAMED)
            .map((field) => ({ name: `body.${field}` })),
        );
    },
  };
}

/** An id, which some programs send as text; undefined: anything else. */
export function idOf(value: unknown): number | undefined {
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

/** The value that was sent, short enough to read. Nested content is left out: it may be endless. */
export function quote(value: unknown): string {
  if (value === undefined) return "nothing";
  const isInside = (one: unknown) => typeof one === "object" && one !== null && one !== value;
  const text = JSON.stringify(value, (_key, one) => (isInside(one) ? "…" : one)) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
