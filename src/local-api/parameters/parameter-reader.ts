import { closestWord } from "../../lib/closest-word.ts";
import type { Instant } from "../../lib/instant.ts";
import { invalidRequest } from "../http/api-error.ts";
import { parseMoment } from "./parse-moment.ts";

/** Parameters as they came: a name given twice has a list. */
export type RawParameters = Readonly<Record<string, unknown>>;

/**
 * Reads the parameters of one request and gathers everything that is wrong with them. A value that is wrong reads
 * as absent; `finish` then throws the 400 that names every fault, including names that nobody asked for.
 */
export interface ParameterReader {
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  integer(name: string, limits: { min: number; max: number }): number | undefined;
  integers(name: string): readonly number[];
  oneOf<Value extends string>(name: string, allowed: readonly Value[]): Value | undefined;
  someOf<Value extends string>(name: string, allowed: readonly Value[]): readonly Value[];
  moment(name: string, zone: string): Instant | undefined;
  fault(message: string): void;
  /** Everything that is wrong so far, with names that nobody asked for: what `finish` would throw. */
  faults(): readonly string[];
  finish(): void;
}

/** Sent with every call, read before the parameters are. */
const ALWAYS_ALLOWED = ["access_token"];
/** Unknown names that are told. Each is compared with every known one, and an answer is there to be read. */
const MOST_STRANGERS = 20;

export function createParameterReader(parameters: RawParameters): ParameterReader {
  const faults = new Set<string>();
  const asked = new Set<string>(ALWAYS_ALLOWED);

  function texts(name: string): readonly string[] {
    asked.add(name);
    const values = parameters[name];
    const list = values === undefined ? [] : Array.isArray(values) ? values.map(String) : [String(values)];
    if (list.includes("")) faults.add(`${name}: expected a value, got nothing.`);
    // PostgreSQL keeps no such character.
    if (list.some((value) => value.includes("\0")))
      faults.add(`${name}: expected text without NUL characters.`);
    return list.filter((value) => value !== "" && !value.includes("\0"));
  }

  function text(name: string): string | undefined {
    const values = texts(name);
    if (values.length > 1) faults.add(`${name}: expected one value, got ${values.length}.`);
    return values[0];
  }

  function number(name: string, value: string): number | undefined {
    if (/^-?\d{1,15}$/.test(value)) return Number(value);
    faults.add(`${name}: expected an integer, got ${quote(value)}.`);
    return undefined;
  }

  function member<Value extends string>(name: string, value: string, allowed: readonly Value[]) {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined)
      faults.add(`${name}: expected one of ${allowed.join(", ")}, got ${quote(value)}.`);
    return found;
  }

  function allFaults(): readonly string[] {
    const strangers = Object.keys(parameters).filter((name) => !asked.has(name));
    const told = strangers.slice(0, MOST_STRANGERS).map((name) => strangerFault(name, [...asked]));
    const untold = strangers.length - told.length;
    return [
      ...faults,
      ...told,
      ...(untold > 0 ? [`${untold} more names are not parameters of this call.`] : []),
    ];
  }

  return {
    text,
    texts,
    integer(name, { min, max }) {
      const given = text(name);
      const value = given === undefined ? undefined : number(name, given);
      if (value === undefined || (value >= min && value <= max)) return value;
      faults.add(`${name}: expected an integer from ${min} to ${max}, got ${value}.`);
      return undefined;
    },
    integers: (name) => texts(name).flatMap((value) => number(name, value) ?? []),
    oneOf(name, allowed) {
      const value = text(name);
      return value === undefined ? undefined : member(name, value, allowed);
    },
    someOf: (name, allowed) => texts(name).flatMap((value) => member(name, value, allowed) ?? []),
    moment(name, zone) {
      const value = text(name);
      const parsed = value === undefined ? undefined : parseMoment(value, zone);
      if (typeof parsed === "string") {
        faults.add(`${name}: ${parsed}`);
        return undefined;
      }
      return parsed;
    },
    fault: (message) => {
      faults.add(message);
    },
    faults: allFaults,
    finish() {
      const found = allFaults();
      if (found.length > 0) throw invalidRequest(...found);
    },
  };
}

function strangerFault(name: string, known: readonly string[]): string {
  const meant = name.length > 60 ? undefined : closestWord(name, known);
  return `${quote(name)} is not a parameter of this call.${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
}

/** What was sent, short enough to be read. JSON, so that control characters show. */
function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
