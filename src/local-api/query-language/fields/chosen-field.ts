import { defineField, type Field, type KnownFields } from "./field.ts";

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
