import { CITIES } from "./cities.ts";
import { COUNTRIES } from "./countries.ts";
import { REGIONS } from "./regions.ts";

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
