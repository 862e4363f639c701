import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { StoredCategory } from "../store/categories.ts";
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

export type SavedListKind = "site" | "author" | "location";

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
