import { defineFilter, type Filter } from "./define-filter.ts";
import type { TextColumn } from "./mention-condition.ts";

export const SENTIMENTS = ["positive", "neutral", "negative"] as const;

export const PAGE_TYPES = [
  "blog",
  "bluesky",
  "facebook",
  "forum",
  "four_chan",
  "general",
  "image",
  "instagram",
  "lexis_nexis_licensed_news",
  "linkedin",
  "news",
  "qq",
  "reddit",
  "review",
  "sina_weibo",
  "tiktok",
  "tumblr",
  "twitter",
  "video",
  "vk",
  "youtube",
] as const;

/** `sentiment`, `pageType`, `language`: mentions whose field is one of the values given (the parameter repeats). */
export const classFilters: readonly Filter[] = [
  vocabularyFilter("sentiment", "sentiment", SENTIMENTS),
  vocabularyFilter("pageType", "pageType", PAGE_TYPES),
  defineFilter({
    name: "language",
    read(parameters) {
      const values = parameters.texts("language");
      for (const value of values) {
        if (!/^[a-z]{2,3}$/.test(value))
          parameters.fault(`language: expected a code of ISO 639-1 such as "en".`);
      }
      return values.length === 0 ? undefined : { kind: "one-of", column: "language", values };
    },
  }),
];

function vocabularyFilter(name: string, column: TextColumn, vocabulary: readonly string[]): Filter {
  return defineFilter({
    name,
    read(parameters) {
      const values = parameters.someOf(name, vocabulary);
      return values.length === 0 ? undefined : { kind: "one-of", column, values };
    },
  });
}
