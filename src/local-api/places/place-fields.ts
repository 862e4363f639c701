import type { MentionFields } from "../records/mention-record.ts";
import { placeWithParents } from "./find-place.ts";
import type { Place } from "./gazetteer.ts";

/**
 * What a record says of a place: the names of what it lies in, and their codes, in capitals. A code of a region or a
 * city begins with that of its country (`USA.FL`), as the operators `region:` and `city:` take it.
 */
export function placeFields(place: Place): Partial<MentionFields> {
  const around = new Map(placeWithParents(place).map((one) => [one.type, one]));
  const [city, region, country, continent] = (["city", "region", "country", "continent"] as const).map(
    (type) => around.get(type),
  );
  const regionCode =
    region && `${country?.code}.${region.id.slice(region.id.indexOf("-") + 1)}`.toUpperCase();
  return {
    city: city?.name ?? null,
    cityCode: city ? `${regionCode ?? country?.code}.${city.name}`.toUpperCase() : null,
    region: region?.name ?? null,
    regionCode: regionCode ?? null,
    country: country?.name ?? null,
    countryCode: country?.code ?? null,
    continent: continent?.name ?? null,
    continentCode: continent?.code ?? null,
  };
}
