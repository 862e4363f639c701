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
      values: values.flatMap((value) => [bareSite(value), `www.${bareSite(value)}`]),
    })),
    "domain",
  ),
  ...withTwin(
    savedListFilter("site", (entries) => ({ kind: "site", sites: entries.map(bareSite) })),
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

/** As people write sites: with or without scheme, `www` and a slash at the end. */
function bareSite(site: string): string {
  return site
    .replace(/^https?:\/\//i, "")
    .replace(/^www\./i, "")
    .replace(/(?<!\/)\/+$/, "");
}
