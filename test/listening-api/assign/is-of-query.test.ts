import { expect, it } from "vitest";
import { isOfQuery } from "../../../src/listening-api/assign/assign-queries.ts";

const ANY = { languages: [], contentSources: null, includedLocations: [], excludedLocations: [] };
type Known = Parameters<typeof isOfQuery>[0];

it.each<[string, boolean, object, object]>([
  ["one of its languages", true, { language: "de" }, { languages: ["en", "de"] }],
  ["another language", false, { language: "fr" }, { languages: ["en", "de"] }],
  ["an unknown language", true, { language: null }, { languages: ["en"] }],
  ["one of its sources", true, { pageType: "news" }, { contentSources: ["news", "blog"] }],
  ["another source", false, { pageType: "forum" }, { contentSources: ["news", "blog"] }],
  ["an unknown source", true, {}, { contentSources: ["news"] }],
  ["a source, where none is taken", false, { pageType: "news" }, { contentSources: [] }],
  ["one of its places", true, { countryCode: "gbr" }, { includedLocations: ["us", "gb"] }],
  ["another place", false, { countryCode: "DEU" }, { includedLocations: ["us", "gb"] }],
  ["an unknown place", false, {}, { includedLocations: ["gb"] }],
  ["a place that it leaves out", false, { countryCode: "GBR" }, { excludedLocations: ["us", "gb"] }],
  ["a place in what it leaves out", false, { countryCode: "GBR", city: "x" }, { excludedLocations: ["gb"] }],
  ["an unknown place, where some are left out", true, {}, { excludedLocations: ["gb"] }],
  ["a place of which nobody knows", false, { countryCode: "GBR" }, { includedLocations: ["nowhere"] }],
])("a mention of %s: %s", (_what, is, known, limits) => {
  expect(isOfQuery(known as Known, { ...ANY, ...limits })).toBe(is);
});
