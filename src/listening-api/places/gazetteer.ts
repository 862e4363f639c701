import { normalized } from "../../lib/text.ts";
import type { MentionFields } from "../records/mention-record.ts";
import { CITIES, COUNTRIES, REGIONS } from "./place-data.ts";

/** A place that location lists may name. */
export interface Place {
  readonly id: string;
  readonly name: string;
  readonly type: "continent" | "country" | "region" | "city";
  /** From the place to its continent, with commas between. */
  readonly fullName: string;
  /** What mentions carry in `continentCode` or `countryCode`; undefined for regions and cities. */
  readonly code: string | undefined;
  readonly parentId: string | undefined;
}

const CONTINENTS: Readonly<Record<string, string>> = {
  africa: "Africa",
  asia: "Asia",
  europe: "Europe",
  "north-america": "North America",
  oceania: "Oceania",
  "south-america": "South America",
};

/** Continents, countries, the regions of some of them, and large cities, by id. */
export const GAZETTEER: ReadonlyMap<string, Place> = readGazetteer();

function readGazetteer(): Map<string, Place> {
  const places = new Map<string, Place>();

  function add(place: Omit<Place, "fullName">): void {
    const above = place.parentId === undefined ? undefined : places.get(place.parentId);
    const fullName = above === undefined ? place.name : `${place.name}, ${above.fullName}`;
    places.set(place.id, { ...place, fullName });
  }

  for (const [id, name] of Object.entries(CONTINENTS))
    add({ id, name, type: "continent", code: name.toUpperCase(), parentId: undefined });
  for (const { parentId, id, rest } of entriesOf(COUNTRIES)) {
    const [code = "", ...name] = rest.split(" ");
    add({ id, name: name.join(" "), type: "country", code, parentId });
  }
  for (const { parentId, id, rest } of entriesOf(REGIONS))
    add({ id, name: rest, type: "region", code: undefined, parentId });
  for (const { parentId, id, rest } of entriesOf(CITIES))
    add({ id, name: rest, type: "city", code: undefined, parentId });
  return places;
}

/** Lines of the form `parent: id rest, id rest`. */
function entriesOf(table: string): { parentId: string; id: string; rest: string }[] {
  return table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [parentId = "", list = ""] = line.split(": ");
      return list.split(", ").map((entry) => {
        const [id = "", ...rest] = entry.split(" ");
        return { parentId, id, rest: rest.join(" ") };
      });
    });
}

/** More parts than this, or a longer text, is not the name of a place. */
const MOST_PARTS = 4;
const MOST_CHARACTERS = 100;

/**
 * The place that a person wrote ("Boston, MA", "london", "Köln, Germany"), or undefined if the words match none, or
 * more than one. Parts go from small to large; unknown small parts are ignored if a larger one is known.
 */
export function findPlace(words: string): Place | undefined {
  if (words.length > MOST_CHARACTERS) return undefined;
  const parts = words.split(",").map(fold).filter(Boolean);
  if (parts.length > MOST_PARTS) return undefined;
  for (let first = 0; first < parts.length; first++) {
    const [name = "", ...larger] = parts.slice(first);
    const named = (NAMES.get(name) ?? []).filter(
      // What an unknown small part lies in is the region, not the city of that name: "Rochester, New York".
      (place) => (first === 0 || place.type !== "city") && larger.every((part) => liesIn(place, part)),
    );
    const place = theOne(named);
    if (place !== undefined || named.length > 0) return place;
  }
  return undefined;
}

/** The place and those around it, from small to large. */
function placeWithParents(place: Place): Place[] {
  const parent = place.parentId === undefined ? undefined : GAZETTEER.get(place.parentId);
  return parent === undefined ? [place] : [place, ...placeWithParents(parent)];
}

/** Of places with the same name, the one that lies in all the others, such as a city in the region of its name. */
function theOne(places: readonly Place[]): Place | undefined {
  return places.find((place) => {
    const around = placeWithParents(place);
    return places.every((other) => around.includes(other));
  });
}

function liesIn(place: Place, name: string): boolean {
  return placeWithParents(place)
    .slice(1)
    .some((around) => namesOf(around).includes(name));
}

const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  us: ["us", "u.s.", "u.s.a.", "united states of america", "america"],
  gb: ["uk", "u.k.", "great britain", "britain"],
  ae: ["uae"],
  cz: ["czechia"],
  wdc0: ["washington dc", "washington d.c."],
  new8: ["nyc", "new york"],
};

function namesOf({ id, name, type, code }: Place): string[] {
  const short = type === "region" ? [id.slice(id.indexOf("-") + 1)] : [];
  return [name, code ?? name, ...short, ...(ALSO_CALLED[id] ?? [])].map(fold);
}

/** By name, by the code of a country, and by other names; the short codes of regions only count with a city. */
const NAMES: ReadonlyMap<string, readonly Place[]> = readNames();

function readNames(): Map<string, Place[]> {
  const names = new Map<string, Place[]>();
  for (const place of GAZETTEER.values()) {
    const own = [place.name, place.code ?? place.name, ...(ALSO_CALLED[place.id] ?? [])].map(fold);
    for (const name of new Set(own)) names.set(name, [...(names.get(name) ?? []), place]);
  }
  return names;
}

function fold(text: string): string {
  return normalized(text, "NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}

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
