import { domainToASCII } from "node:url";
import { GAZETTEER } from "../places/gazetteer.ts";
import {
  defineFilter,
  type Filter,
  flagFilter,
  savedListFilter,
  textsFilter,
  withTwin,
} from "./define-filter.ts";
import type { MentionCondition } from "./mention-condition.ts";

/** Where a mention was written, and on which site. */
export const placeFilters: readonly Filter[] = [
  ...withTwin(locatedFilter({ exactly: false }), "location"),
  ...withTwin(
    savedListFilter("location", (places) => ({ kind: "located", places, exactly: false })),
    "locationGroup",
  ),
  ...withTwin(locatedFilter({ exactly: true }), "exclusiveLocation"),
  flagFilter((value) => (value ? GEOLOCATED : { kind: "not", condition: GEOLOCATED }))("geolocated"),
  ...withTwin(
    textsFilter((values) => ({
      kind: "one-of",
      field: "domain",
      values: values.flatMap(sitesOf).flatMap((site) => [site, `www.${site}`]),
    })),
    "domain",
  ),
  ...withTwin(
    savedListFilter("site", (entries) => ({ kind: "site", sites: entries.flatMap(sitesOf) })),
    "siteGroup",
  ),
];

/** Codes that mentions carry, such as `DEU` or `deu.berlin`. The name of a country would find nothing. */
function locatedFilter({ exactly }: { exactly: boolean }): (name: string) => Filter {
  return (name) =>
    defineFilter({
      name,
      read(parameters) {
        const places = parameters.texts(name);
        for (const place of places) {
          const code = COUNTRY_CODES.get(place.toLowerCase());
          if (code !== undefined)
            parameters.fault(
              `${name}: expected a code such as ${code}, which is that of ${JSON.stringify(place)}.`,
            );
        }
        return places.length === 0 ? undefined : { kind: "located", places, exactly };
      },
    });
}

const COUNTRY_CODES: ReadonlyMap<string, string> = new Map(
  [...GAZETTEER.values()].flatMap(({ type, name, code }) =>
    type === "country" && code !== undefined ? [[name.toLowerCase(), code] as const] : [],
  ),
);

const GEOLOCATED: MentionCondition = {
  kind: "all",
  of: [
    { kind: "has", field: "latitude" },
    { kind: "has", field: "longitude" },
  ],
};

/**
 * As people write sites: with or without scheme, `www` and a slash at the end, and with the letters of their language,
 * for which the web has others.
 */
function sitesOf(site: string): string[] {
  const bare = site
    .replace(/^https?:\/\//i, "")
    .replace(/^www\./i, "")
    .replace(/(?<!\/)\/+$/, "");
  const host = /^[^/?#:]*/.exec(bare)?.[0] ?? "";
  const ofTheWeb = /[^\0-\x7f]/.test(host) ? domainToASCII(host) : "";
  return ofTheWeb === "" ? [bare] : [bare, ofTheWeb + bare.slice(host.length)];
}
