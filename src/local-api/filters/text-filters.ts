import { type Filter, withTwin } from "./define-filter.ts";
import { idsFilter, listsFilter, textsFilter } from "./value-filters.ts";

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
