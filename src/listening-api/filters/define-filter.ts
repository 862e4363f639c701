import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { StoredCategory } from "../records/labels.ts";
import type { FieldOf } from "../records/mention-fields.ts";
import type { MentionCondition } from "./mention-condition.ts";

/** What a filter may know of the project in which it is used. */
export interface FilterScope {
  /** IANA zone in which plain dates and hours are meant. */
  readonly timezone: string;
  /** Read only when a filter of the request needs it. */
  readonly categories: () => Promise<readonly StoredCategory[]>;
  /** Entries of the saved lists that the caller sees, by the id of the list. */
  readonly savedLists: (kind: SavedListKind) => Promise<ReadonlyMap<number, readonly string[]>>;
}

type SavedListKind = "site" | "author" | "location";

/** One filter of mention calls: reads its parameter, gives its condition, or undefined when it is not used. */
export interface Filter {
  readonly name: string;
  read(
    parameters: ParameterReader,
    scope: FilterScope,
  ): MentionCondition | undefined | Promise<MentionCondition | undefined>;
}

export function defineFilter(filter: Filter): Filter {
  return filter;
}

/**
 * A filter and its `x…` twin: the same values, the opposite mentions. Repeated, the filter takes mentions that meet
 * any of the values, so the twin takes those that meet none.
 */
export function withTwin(filter: (name: string) => Filter, name: string): readonly Filter[] {
  const excluded = filter(`x${name}`);
  return [
    filter(name),
    {
      name: excluded.name,
      async read(parameters, scope) {
        const condition = await excluded.read(parameters, scope);
        return condition && { kind: "not", condition };
      },
    },
  ];
}

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

/** Ids of saved lists of the project; all their entries together are what is looked for. */
export function savedListFilter(
  kind: SavedListKind,
  toCondition: (entries: readonly string[]) => MentionCondition,
): (name: string) => Filter {
  return (name) =>
    defineFilter({
      name,
      async read(parameters, scope) {
        const ids = parameters.integers(name);
        if (ids.length === 0) return undefined;
        const lists = await scope.savedLists(kind);
        for (const id of ids.filter((id) => !lists.has(id)))
          parameters.fault(`${name}: ${id} is no ${kind} list of this project.`);
        return toCondition(ids.flatMap((id) => lists.get(id) ?? []));
      },
    });
}
