import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { StoredCategory } from "../store/categories.ts";
import type { MentionCondition } from "./mention-condition.ts";

/** What a filter may know of the project in which it is used. */
export interface FilterScope {
  /** IANA zone in which plain dates are meant. */
  readonly timezone: string;
  /** Read only when a filter of the request needs it. */
  readonly categories: () => Promise<readonly StoredCategory[]>;
}

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

/** The `x…` twin of a filter: the same parameter values, the opposite mentions. */
export function excludingTwin(name: string, filter: (name: string) => Filter): Filter {
  const included = filter(name);
  return {
    name,
    async read(parameters, scope) {
      const condition = await included.read(parameters, scope);
      return condition && { kind: "not", condition };
    },
  };
}
