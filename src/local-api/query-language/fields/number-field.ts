import { defineField, type Field, type KnownFields, type RangeLimits } from "./field.ts";

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
