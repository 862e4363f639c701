import { defineFilter, type Filter } from "./define-filter.ts";

/** `author`: part of the author's name, in any case; repeated, any of them. */
export const peopleFilters: readonly Filter[] = [
  defineFilter({
    name: "author",
    read(parameters) {
      const parts = parameters.texts("author");
      if (parts.length === 0) return undefined;
      return { kind: "any", of: parts.map((text) => ({ kind: "contains", column: "author", text })) };
    },
  }),
];
