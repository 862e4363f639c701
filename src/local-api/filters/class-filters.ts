import { PAGE_TYPES } from "../records/page-types.ts";
import { defineFilter, type Filter, withTwin } from "./define-filter.ts";
import { equalsFilter, listsFilter, textsFilter, vocabularyFilter } from "./value-filters.ts";

export const SENTIMENTS = ["positive", "neutral", "negative"] as const;

/** What a mention is and who wrote it, by kind. If no list of values is published, every value is accepted. */
export const classFilters: readonly Filter[] = [
  ...withTwin(vocabularyFilter("sentiment", SENTIMENTS), "sentiment"),
  ...withTwin(vocabularyFilter("pageType", PAGE_TYPES), "pageType"),
  ...withTwin(equalsFilter("subtype"), "subtype"),
  ...withTwin(equalsFilter("resourceType"), "resourceType"),
  ...withTwin(languageFilter, "language"),
  ...withTwin(languageFilter, "languages"),
  ...withTwin(accountTypeFilter, "accountType"),
  ...withTwin(
    vocabularyFilter("authorVerifiedType", ["blue", "business", "government"]),
    "authorVerifiedType",
  ),
  ...withTwin(genderFilter, "gender"),
  ...withTwin(listsFilter("interest"), "interest"),
  ...withTwin(listsFilter("profession"), "profession"),
  ...withTwin(
    textsFilter((values) => ({ kind: "classified", values })),
    "classifications",
  ),
];

/** The field was renamed to the plural one day; both are taken. */
function languageFilter(name: string): Filter {
  return defineFilter({
    name,
    read(parameters) {
      const values = parameters.texts(name);
      for (const value of values) {
        if (!/^[a-z]{2,3}$/.test(value))
          parameters.fault(`${name}: expected a code of ISO 639-1 such as "en".`);
      }
      return values.length === 0 ? undefined : { kind: "one-of", field: "language", values };
    },
  });
}

/** Records say organisational, the documented filter says organizational. */
function accountTypeFilter(name: string): Filter {
  return defineFilter({
    name,
    read(parameters) {
      const given = parameters.someOf(name, ["individual", "organisational", "organizational"]);
      if (given.length === 0) return undefined;
      const values = given.flatMap((value) =>
        value === "individual" ? [value] : ["organisational", "organizational"],
      );
      return { kind: "one-of", field: "accountType", values };
    },
  });
}

/** An unstated gender counts as unknown. */
function genderFilter(name: string): Filter {
  return defineFilter({
    name,
    read(parameters) {
      const values = parameters.someOf(name, ["male", "female", "unknown"]);
      if (values.length === 0) return undefined;
      const stated = { kind: "one-of", field: "gender", values } as const;
      if (!values.includes("unknown")) return stated;
      return { kind: "any", of: [stated, { kind: "not", condition: { kind: "has", field: "gender" } }] };
    },
  });
}
