import type { MentionRecord } from "../../records/mention-record.ts";
import { splitWords } from "../split-words.ts";

/** The known fields of a mention. A field that is missing or null matches no test; its negation does. */
export type KnownFields = Readonly<Partial<MentionRecord>>;

/** A `name:` of the query language. */
export interface Field {
  readonly name: string;
  /** `title`: the value is searched in the title like any term. */
  readonly kind: "title" | "value" | "range" | "value-or-range";
  /** The problem of a single value, with its severity; undefined if there is none. */
  readonly check?: (value: string) => FieldFault | undefined;
  readonly limits?: RangeLimits;
  /** Whether a mention meets the test. */
  readonly meets: (test: FieldTest, known: KnownFields) => boolean;
  /** No mention carries it here. */
  readonly isUnknown?: true;
}

export interface FieldFault {
  readonly severity: "error" | "warning";
  readonly message: string;
}

interface RangeLimits {
  readonly min: number;
  readonly max: number;
  readonly wholeNumbers: boolean;
  readonly example: string;
}

export type FieldTest =
  | { readonly kind: "value"; readonly field: Field; readonly value: string }
  | { readonly kind: "range"; readonly field: Field; readonly from: number; readonly to: number };

export function defineField(field: Field): Field {
  return field;
}

/** A field with a closed list of values, which are written exactly so. `value` is undefined when nothing is known. */
export function chosenField(
  name: string,
  values: readonly string[],
  value: (known: KnownFields) => string | undefined,
): Field {
  return defineField({
    name,
    kind: "value",
    check: (given) =>
      values.includes(given)
        ? undefined
        : {
            severity: "error",
            message: `${name}: takes ${values.join(", ")}, written exactly so; write ${name}:${values[0]}.`,
          },
    meets: (test, known) => test.kind === "value" && value(known) === test.value,
  });
}

/** `true` or `false`. */
export function flagField(name: string, value: (known: KnownFields) => boolean | null | undefined): Field {
  return chosenField(name, ["true", "false"], (known) => value(known)?.toString());
}

/** A field of numbers: `[a TO b]`, both ends included, and a single number where `single` says so. */
export function numberField(
  name: string,
  { single, ...limits }: RangeLimits & { readonly single: boolean },
  value: (known: KnownFields) => number | null | undefined,
): Field {
  const { min, max, example } = limits;
  return defineField({
    name,
    kind: single ? "value-or-range" : "range",
    limits,
    check: (given) => {
      const number = Number(given);
      if (/^-?\d+(?:\.\d+)?$/.test(given) && number >= min && number <= max) return undefined;
      return {
        severity: "error",
        message: `${name}: takes a number from ${min} to ${max}, or a range; write ${name}:${example}.`,
      };
    },
    meets: (test, known) => {
      const number = value(known);
      if (number == null || !Number.isFinite(number)) return false;
      return test.kind === "range" ? number >= test.from && number <= test.to : number === Number(test.value);
    },
  });
}

type Texts = (known: KnownFields) => readonly (string | null | undefined)[];

/** A field whose value is found as whole words next to each other in one of the texts: a name, a title. */
export function wordsField(name: string, texts: Texts): Field {
  return defineField({
    name,
    kind: "value",
    meets: (test, known) =>
      test.kind === "value" && texts(known).some((text) => text != null && hasWords(text, test.value)),
  });
}

/** A field whose value is one of the texts as a whole, in any case. A `*` matches any characters. */
export function exactField(name: string, texts: Texts): Field {
  return defineField({
    name,
    kind: "value",
    meets: (test, known) => {
      if (test.kind !== "value") return false;
      const value = test.value.toLowerCase();
      return texts(known).some((text) => text != null && text.toLowerCase() === value);
    },
  });
}

/** No mention of the local API says anything about it. */
export function unknownField(name: string): Field {
  return defineField({ name, kind: "value", meets: () => false, isUnknown: true });
}

function hasWords(text: string, value: string): boolean {
  const words = splitWords(value);
  const given = splitWords(text);
  if (words.length === 0) return false;
  for (let from = 0; from + words.length <= given.length; from++) {
    if (words.every((word, i) => given[from + i]?.folded === word.folded)) return true;
  }
  return false;
}
