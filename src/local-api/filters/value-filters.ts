import type { FieldOf } from "../store/mention-fields.ts";
import { defineFilter, type Filter } from "./define-filter.ts";
import type { MentionCondition } from "./mention-condition.ts";

/** A filter whose values are texts; `toCondition` gets all of them, at least one. */
export function textsFilter(toCondition: (values: readonly string[]) => MentionCondition) {
  return (name: string): Filter =>
    defineFilter({
      name,
      read(parameters) {
        const values = parameters.texts(name);
        return values.length === 0 ? undefined : toCondition(values);
      },
    });
}

/** The field is one of the texts given. */
export function equalsFilter(field: FieldOf<"text">): (name: string) => Filter {
  return textsFilter((values) => ({ kind: "one-of", field, values }));
}

/** The field is one of the values given, which are of a vocabulary; others are refused. */
export function vocabularyFilter(
  field: FieldOf<"text">,
  vocabulary: readonly string[],
): (name: string) => Filter {
  return (name) =>
    defineFilter({
      name,
      read(parameters) {
        const values = parameters.someOf(name, vocabulary);
        return values.length === 0 ? undefined : { kind: "one-of", field, values };
      },
    });
}

/** The list of texts has one of the texts given. */
export function listsFilter(field: FieldOf<"texts">): (name: string) => Filter {
  return textsFilter((values) => ({ kind: "lists", field, values }));
}

/** The list of ids has one of the ids given. */
export function idsFilter(field: FieldOf<"ids">): (name: string) => Filter {
  return (name) =>
    defineFilter({
      name,
      read(parameters) {
        const ids = parameters.integers(name);
        return ids.length === 0 ? undefined : { kind: "overlaps", field, ids };
      },
    });
}

/** `true` or `false`, in any case. Both at once exclude nothing. */
export function flagFilter(toCondition: (value: boolean) => MentionCondition): (name: string) => Filter {
  return (name) =>
    defineFilter({
      name,
      read(parameters) {
        const values = parameters.texts(name).map((text) => text.toLowerCase());
        for (const value of values)
          if (value !== "true" && value !== "false")
            parameters.fault(`${name}: expected true or false, got ${JSON.stringify(value.slice(0, 60))}.`);
        if (values.length === 0) return undefined;
        return { kind: "any", of: [...new Set(values)].map((value) => toCondition(value === "true")) };
      },
    });
}
