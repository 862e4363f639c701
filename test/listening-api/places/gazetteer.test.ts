import { expect, it, test } from "vitest";
import { GAZETTEER, type Place } from "../../../src/listening-api/places/gazetteer.ts";
import { CITIES, COUNTRIES, REGIONS } from "../../../src/listening-api/places/place-data.ts";

const places = [...GAZETTEER.values()];

test.each<[string, Partial<Place>]>([
  ["bos1", { name: "Boston", type: "city", fullName: "Boston, Massachusetts, United States, North America" }],
  [
    "us-ma",
    { name: "Massachusetts", type: "region", fullName: "Massachusetts, United States, North America" },
  ],
  ["gb", { name: "United Kingdom", type: "country", code: "GBR", fullName: "United Kingdom, Europe" }],
  ["par0", { name: "Paris", type: "city", fullName: "Paris, France, Europe" }],
  ["north-america", { name: "North America", type: "continent", code: "NORTH AMERICA" }],
])("%s is found with its place in the world", (id, expected) => {
  expect(GAZETTEER.get(id)).toMatchObject(expected);
});

it("leads every place to a continent", () => {
  const continents = places.filter(({ type }) => type === "continent").map(({ name }) => name);
  expect(continents).toHaveLength(6);
  for (const place of places) expect(continents).toContain(place.fullName.split(", ").at(-1));
});

it("has every country once, under a code of two and of three letters", () => {
  const countries = places.filter(({ type }) => type === "country");
  expect(countries.length).toBeGreaterThan(200);
  expect(new Set(countries.map(({ code }) => code)).size).toBe(countries.length);
  for (const { id, code } of countries) expect(`${id} ${code}`).toMatch(/^[a-z]{2} [A-Z]{3}$/);
});

it("gives no id twice", () => {
  const cities = places.filter(({ type }) => type === "city");
  expect(cities.length).toBeGreaterThan(300);
  // A second place of the same id would have replaced the first.
  const entries = [COUNTRIES, REGIONS, CITIES].flatMap((table) => table.match(/[:,] /g) ?? []);
  expect(GAZETTEER.size).toBe(6 + entries.length);
  for (const { id } of cities) expect(id).toMatch(/^[a-z]{3}[a-z0-9]$/);
});
