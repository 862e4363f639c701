import { expect, it } from "vitest";
import { findPlace, placeFields } from "../../../src/listening-api/places/gazetteer.ts";

it.each([
  ["Boston, MA", "Boston, Massachusetts, United States, North America"],
  ["Washington, DC", "Washington, District of Columbia, United States, North America"],
  ["london", "London, England, United Kingdom, Europe"],
  ["Paris, France", "Paris"],
  ["Brooklyn, New York, USA", "New York, United States"],
  ["Boston, France", "France"],
  ["New York", "New York City"],
  ["Berlin", "Berlin, Berlin, Germany, Europe"],
  ["Düsseldorf", "Düsseldorf"],
  ["Portland, OR", "Portland, Oregon"],
  ["Portland, Maine", "Portland, Maine"],
  ["USA", "United States"],
  ["  U.K. ", "United Kingdom"],
  ["DEU", "Germany"],
  ["my sofa, Canada", "Canada"],
])("finds %s", (words, fullName) => {
  expect(findPlace(words)?.fullName).toMatch(new RegExp(`^${fullName}`));
});

it.each([
  "Portland",
  "Georgia",
  "undecided",
  "",
  ",,,",
  "a,b,c,d,USA",
  "in",
  "me, myself & I",
  "x".repeat(5_000),
])("finds no place in %j", (words) => {
  expect(findPlace(words)).toBeUndefined();
});

it("gives names and codes of what the place lies in", () => {
  const place = findPlace("Miami, FL");
  expect(place && placeFields(place)).toEqual({
    city: "Miami",
    cityCode: "USA.FL.MIAMI",
    region: "Florida",
    regionCode: "USA.FL",
    country: "United States",
    countryCode: "USA",
    continent: "North America",
    continentCode: "NORTH AMERICA",
  });
});
