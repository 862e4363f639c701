import { PAGE_TYPES } from "../records/page-types.ts";
import {
  defineFilter,
  equalsFilter,
  type Filter,
  idsFilter,
  listsFilter,
  textsFilter,
  vocabularyFilter,
  withTwin,
} from "./define-filter.ts";

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

/** What the text carries, and what its images show. Signs of hashtags and authors may be left out. */
export const textFilters: readonly Filter[] = [
  ...withTwin(signedFilter("insightsHashtag", "#"), "insightsHashtag"),
  ...withTwin(signedFilter("insightsMentioned", "@"), "insightsMentioned"),
  ...withTwin(listsFilter("insightsUrl"), "insightsUrl"),
  ...withTwin(listsFilter("insightsEmoji"), "insightsEmoji"),
  ...withTwin(
    // The breakdown of emoticons lists both, and a click on one of its rows asks for it here.
    textsFilter((values) => ({
      kind: "any",
      of: [
        { kind: "lists", field: "insightsEmoticon", values },
        { kind: "lists", field: "insightsEmoji", values },
      ],
    })),
    "insightsEmoticon",
  ),
  ...withTwin(
    textsFilter((sites) => ({
      kind: "lists",
      field: "insightsSharedSite",
      values: sites.map((site) => site.replace(/^www\./i, "")),
    })),
    "insightsSharedSite",
  ),
  ...withTwin(idsFilter("logoGroups"), "logoImagesGroupId"),
  ...withTwin(idsFilter("logoVersions"), "logoVersions"),
];

function signedFilter(field: "insightsHashtag" | "insightsMentioned", sign: string) {
  return textsFilter((values) => ({
    kind: "lists",
    field,
    values: values.flatMap((value) => (value.startsWith(sign) ? [value] : [value, sign + value])),
  }));
}
