import { closestWord } from "../../lib/closest-word.ts";
import type { Instant } from "../../lib/instant.ts";
import { invalidRequest } from "./api-error.ts";
import { parseMoment } from "./parse-moment.ts";

/** Parameters as they came: a name given twice has a list. */
export type RawParameters = Readonly<Record<string, unknown>>;

/** A parameter that had no effect, with the name that was perhaps meant. */
export interface UnknownParameter {
  readonly name: string;
  readonly meant?: string;
}

/** How unknown names are handled: refused, or ignored and reported. */
export type UnknownParameters = "refuse" | ((passedOver: readonly UnknownParameter[]) => void);

/**
 * Reads the parameters of one request and collects all faults. An invalid value reads as absent; `finish` then throws
 * the 400 that names every fault. A name with `[]` or `[0]` behind it is the name without.
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
  /** A parameter that was read and has no effect here: an error if unknown names are refused, else ignored. */
  passOver(name: string, why: string): void;
  /** The parameters that were read, with their unchanged values. */
  known(): ReadonlyMap<string, readonly string[]>;
  /** All faults so far: what `finish` would throw. Call it after everything is read. */
  faults(): readonly string[];
  finish(): void;
}

/** Sent with every call, read before the parameters are. */
const ALWAYS_ALLOWED = ["access_token"];
/** How many unknown names are reported. Each is compared with every known one, and a person reads the answer. */
const MOST_STRANGERS = 20;

export function createParameterReader(
  raw: RawParameters,
  unknown: UnknownParameters = "refuse",
): ParameterReader {
  const parameters = withoutBrackets(raw);
  const faults = new Set<string>();
  const knownNames = new Set<string>(ALWAYS_ALLOWED);
  const passedOver = new Map<string, string>();

  function texts(name: string): readonly string[] {
    knownNames.add(name);
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
    const strangers = Object.keys(parameters).filter((name) => !knownNames.has(name));
    const names = strangers.slice(0, MOST_STRANGERS);
    const left = strangers.length - names.length;
    if (unknown === "refuse") {
      return [
        ...faults,
        ...passedOver.values(),
        ...names.map((name) => strangerFault(name, [...knownNames])),
        ...(left > 0 ? [`${left} more names are not parameters of this call.`] : []),
      ];
    }
    const meaningless = [...passedOver.keys()].map((name): UnknownParameter => ({ name }));
    unknown([...meaningless, ...names.map((name) => strangerOf(name, [...knownNames]))]);
    return [...faults];
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
    passOver: (name, why) => {
      passedOver.set(name, why);
    },
    known: () =>
      new Map(
        [...knownNames]
          .filter((name) => parameters[name] !== undefined)
          .map((name) => [name, [parameters[name]].flat().map(String)]),
      ),
    faults: allFaults,
    finish() {
      const found = allFaults();
      if (found.length > 0) throw invalidRequest(...found);
    },
  };
}

/** Frameworks write lists so, and the operator's own example of a count does. */
function withoutBrackets(raw: RawParameters): RawParameters {
  if (!Object.keys(raw).some((name) => BRACKETS.test(name))) return raw;
  const parameters: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    const bare = name.replace(BRACKETS, "");
    parameters[bare] = bare in parameters ? [parameters[bare], value].flat() : value;
  }
  return parameters;
}

/** `queryId[]`, and `queryId[0]`, `queryId[1]` as PHP and others count lists. */
const BRACKETS = /(?<=.)\[\d{0,4}\]$/s;

function strangerOf(name: string, known: readonly string[]): UnknownParameter {
  const meant = name.length > 60 ? undefined : closestWord(name, known);
  return meant === undefined ? { name } : { name, meant };
}

function strangerFault(name: string, known: readonly string[]): string {
  const { meant } = strangerOf(name, known);
  return `${quote(name)} is not a parameter of this call.${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
}

/** What was sent, short enough to be read. JSON, so that control characters show. */
function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
