import { type Filter, flagFilter, savedListFilter, textsFilter, withTwin } from "./define-filter.ts";
import type { MentionCondition } from "./mention-condition.ts";

/** Where a mention was written, and on which site. */
export const placeFilters: readonly Filter[] = [
  ...withTwin(
    textsFilter((places) => ({ kind: "located", places, exactly: false })),
    "location",
  ),
  ...withTwin(
    savedListFilter("location", (places) => ({ kind: "located", places, exactly: false })),
    "locationGroup",
  ),
  ...withTwin(
    textsFilter((places) => ({ kind: "located", places, exactly: true })),
    "exclusiveLocation",
  ),
  flagFilter((value) => (value ? GEOLOCATED : { kind: "not", condition: GEOLOCATED }))("geolocated"),
  ...withTwin(
    textsFilter((values) => ({
      kind: "one-of",
      field: "domain",
      values: values.flatMap((value) => [bareSite(value), `www.${bareSite(value)}`]),
    })),
    "domain",
  ),
  ...withTwin(
    savedListFilter("site", (entries) => ({ kind: "site", sites: entries.map(bareSite) })),
    "siteGroup",
  ),
];

const GEOLOCATED: MentionCondition = {
  kind: "all",
  of: [
    { kind: "has", field: "latitude" },
    { kind: "has", field: "longitude" },
  ],
};

/** As people write sites: with or without scheme, `www` and a slash at the end. */
function bareSite(site: string): string {
  return site
    .replace(/^https?:\/\//i, "")
    .replace(/^www\./i, "")
    .replace(/(?<!\/)\/+$/, "");
}
