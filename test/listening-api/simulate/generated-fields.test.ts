import { expect, it } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { GAZETTEER } from "../../../src/listening-api/places/gazetteer.ts";
import { mentionRecord } from "../../../src/listening-api/records/mention-record.ts";
import { BRANDS } from "../../../src/listening-api/simulate/data.ts";
import { generateHour } from "../../../src/listening-api/simulate/generate-hour.ts";
import { generatedVersions } from "../../../src/listening-api/simulate/generated-mention.ts";
import { CURRENT_FIELDS, isOfKind } from "../records/spec-fields.ts";

const DAY_START = Date.parse("2026-03-04T00:00:00.000Z");
const targets = {
  queries: new Map(BRANDS.map(({ name }, index) => [name, index + 1])),
  categories: new Map(),
};
const records = Array.from({ length: 12 }, (_, hour) =>
  generateHour("seed", DAY_START + hour * HOUR, { crises: [] }),
)
  .flat()
  .flatMap((mention) => generatedVersions("seed", mention, targets).map(({ record }) => record));

it("generated mentions have exactly the fields of the record, each of its type", () => {
  for (const record of records) {
    expect(Object.keys(record)).toEqual(Object.keys(mentionRecord(record)));
    for (const [name, value] of Object.entries(record))
      expect([name, value, isOfKind(CURRENT_FIELDS[name] ?? "array", value)]).toEqual([name, value, true]);
  }
});

it.each([
  ["insightsHashtag"],
  ["insightsMentioned"],
  ["country"],
  ["regionCode"],
  ["interest"],
  ["professions"],
  ["weblogTitle"],
  ["threadAuthor"],
  ["classifications"],
  ["monthlyVisitors"],
  ["twitterFollowers"],
  ["instagramInteractionsCount"],
  ["reachEstimate"],
  ["rating"],
] as const)("some of them say %s", (name) => {
  const silent = [null, "[]"];
  const saying = records.filter(
    (record) => !silent.includes(record[name] === null ? null : JSON.stringify(record[name])),
  );
  expect(saying.length).toBeGreaterThan(0);
});

it("places have the codes of the gazetteer", () => {
  const codes = new Set([...GAZETTEER.values()].map(({ code }) => code));
  for (const { countryCode, continentCode } of records)
    expect([codes.has(countryCode ?? ""), codes.has(continentCode ?? "")]).toEqual([true, true]);
});
