import type { Mention } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import { storyKey } from "../model/story.ts";

/** The keys that can group alerts of a rule. */
export const GROUP_KEYS = [
  "query",
  "author",
  "category",
  "story",
  "pageType",
  "domain",
  "country",
  "language",
  "sentiment",
] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];

/** The value of one key; "unknown" if the source withholds it, so that such mentions share one alert. */
export function groupValue(key: GroupKey, mention: Mention, query: Query, story?: string): string {
  return read(key, mention, query, story) || "unknown";
}

function read(
  key: GroupKey,
  mention: Mention,
  query: Query,
  story: string | undefined,
): string | null | undefined {
  switch (key) {
    case "query":
      return query.name;
    case "category":
      return mention.categories.map(({ name, id }) => name ?? id).sort()[0];
    case "story":
      return story ?? storyKey(mention);
    case "country":
      return mention.countryCode ?? mention.country;
    case "author":
    case "pageType":
    case "domain":
    case "language":
    case "sentiment":
      return mention[key];
  }
}
