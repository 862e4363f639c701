import { expect, it } from "vitest";
import type { FilterScope } from "../../../src/listening-api/filters/define-filter.ts";
import { FILTERS } from "../../../src/listening-api/filters/filters.ts";
import { createParameterReader } from "../../../src/listening-api/parameters/parameter-reader.ts";

const SCOPE: FilterScope = {
  timezone: "Europe/Berlin",
  categories: async () => [
    {
      id: 1,
      name: "Topics",
      multiple: true,
      children: [10, 11].map((id) => ({ id, name: `${id}`, ordering: 0, rules: [] })),
    },
    { id: 2, name: "Other", multiple: true, children: [{ id: 20, name: "20", ordering: 0, rules: [] }] },
  ],
  savedLists: async () =>
    new Map([
      [7, ["ann", "@bob"]],
      [8, ["https://www.Müller.example/a/"]],
    ]),
};

/** The condition of a filter, or its faults. */
async function read(name: string, ...values: string[]) {
  const parameters = createParameterReader({ [name]: values });
  const conditions = [];
  for (const filter of FILTERS) conditions.push((await filter.read(parameters, SCOPE)) ?? []);
  const faults = parameters.faults();
  return faults.length > 0 ? faults : conditions.flat();
}

const GEOLOCATED = {
  kind: "all",
  of: [
    { kind: "has", field: "latitude" },
    { kind: "has", field: "longitude" },
  ],
};

const hasTwin = (name: string) => FILTERS.some((filter) => filter.name === `x${name}`);

it.each([
  [
    "domain",
    ["https://www.News.example/"],
    { kind: "one-of", field: "domain", values: ["News.example", "www.News.example"] },
  ],
  [
    "domain",
    ["Müller.example"],
    {
      kind: "one-of",
      field: "domain",
      values: ["Müller.example", "www.Müller.example", "xn--mller-kva.example", "www.xn--mller-kva.example"],
    },
  ],
  ["domain", ["1.2.3"], { kind: "one-of", field: "domain", values: ["1.2.3", "www.1.2.3"] }],
  ["siteGroup", ["8"], { kind: "site", sites: ["Müller.example/a", "xn--mller-kva.example/a"] }],
  ["location", ["deu.berlin", "USA"], { kind: "located", places: ["deu.berlin", "USA"], exactly: false }],
  ["exclusiveLocation", ["DEU"], { kind: "located", places: ["DEU"], exactly: true }],
  [
    "category",
    ["1", "20"],
    {
      kind: "any",
      of: [
        { kind: "overlaps", field: "categories", ids: [1, 20, 10, 11] },
        { kind: "overlaps", field: "parentCategories", ids: [1, 20] },
      ],
    },
  ],
  ["tag", ["3", "4"], { kind: "overlaps", field: "tags", ids: [3, 4] }],
  ["anyTag", ["TRUE"], { kind: "any", of: [{ kind: "tagged", value: true }] }],
  ["anyTag", ["5"], { kind: "overlaps", field: "tags", ids: [5] }],
  [
    "author",
    ["an", "%"],
    {
      kind: "any",
      of: [
        { kind: "contains", field: "author", text: "an" },
        { kind: "contains", field: "author", text: "%" },
      ],
    },
  ],
  [
    "exactAuthor",
    ["@ann", "bob"],
    { kind: "one-of", field: "author", values: ["ann", "bob", "@ann", "@bob"] },
  ],
  [
    "postByAuthor",
    ["ann"],
    {
      kind: "all",
      of: [
        { kind: "one-of", field: "author", values: ["ann", "@ann"] },
        {
          kind: "not",
          condition: {
            kind: "any",
            of: [
              { kind: "has", field: "repliedAuthor" },
              { kind: "has", field: "sharedAuthor" },
              { kind: "one-of", field: "threadEntryType", values: ["reply", "share", "comment"] },
            ],
          },
        },
      ],
    },
  ],
  [
    "twitterReplyTo",
    ["@ann"],
    {
      kind: "any",
      of: [
        { kind: "one-of", field: "repliedAuthor", values: ["ann", "@ann"] },
        { kind: "one-of", field: "replyTo", values: ["@ann"] },
      ],
    },
  ],
  [
    "twitterRetweetOf",
    ["@ann"],
    {
      kind: "any",
      of: [
        { kind: "one-of", field: "sharedAuthor", values: ["ann", "@ann"] },
        { kind: "one-of", field: "retweetOf", values: ["@ann"] },
      ],
    },
  ],
  ["locationGroup", ["7"], { kind: "located", places: ["ann", "@bob"], exactly: false }],
  ["authorGroup", ["7"], { kind: "one-of", field: "author", values: ["ann", "bob", "@ann", "@bob"] }],
  ["language", ["en", "gsw"], { kind: "one-of", field: "language", values: ["en", "gsw"] }],
  ["languages", ["en"], { kind: "one-of", field: "language", values: ["en"] }],
  [
    "accountType",
    ["organizational"],
    { kind: "one-of", field: "accountType", values: ["organisational", "organizational"] },
  ],
  [
    "accountType",
    ["organisational"],
    { kind: "one-of", field: "accountType", values: ["organisational", "organizational"] },
  ],
  ["accountType", ["individual"], { kind: "one-of", field: "accountType", values: ["individual"] }],
  ["gender", ["male"], { kind: "one-of", field: "gender", values: ["male"] }],
  ["gender", ["female"], { kind: "one-of", field: "gender", values: ["female"] }],
  [
    "gender",
    ["unknown"],
    {
      kind: "any",
      of: [
        { kind: "one-of", field: "gender", values: ["unknown"] },
        { kind: "not", condition: { kind: "has", field: "gender" } },
      ],
    },
  ],
  [
    "insightsEmoticon",
    [":)"],
    {
      kind: "any",
      of: [
        { kind: "lists", field: "insightsEmoticon", values: [":)"] },
        { kind: "lists", field: "insightsEmoji", values: [":)"] },
      ],
    },
  ],
  ["insightsHashtag", ["a", "#b"], { kind: "lists", field: "insightsHashtag", values: ["a", "#a", "#b"] }],
  [
    "insightsMentioned",
    ["a", "@b"],
    { kind: "lists", field: "insightsMentioned", values: ["a", "@a", "@b"] },
  ],
  [
    "insightsSharedSite",
    ["WWW.a.example"],
    { kind: "lists", field: "insightsSharedSite", values: ["a.example"] },
  ],
])("%s=%j asks for what it says, and its twin for the rest", async (name, values, condition) => {
  expect(await read(name, ...values)).toEqual([condition]);
  expect(hasTwin(name)).toBe(true);
  expect(await read(`x${name}`, ...values)).toEqual([{ kind: "not", condition }]);
});

it.each([
  ["sinceAdded", ["2026-03-01"], { kind: "after", field: "added", at: Date.parse("2026-02-28T23:00:00Z") }],
  [
    "sinceUpdated",
    ["2026-03-01T00:00:00Z"],
    { kind: "after", field: "updated", at: Date.parse("2026-03-01") },
  ],
  [
    "sinceAssignmentUpdated",
    ["2026-03-01T00:00:00Z"],
    { kind: "after", field: "lastAssignmentDate", at: Date.parse("2026-03-01") },
  ],
  [
    "untilAssignmentUpdated",
    ["2026-03-01T00:00:00Z"],
    { kind: "before", field: "lastAssignmentDate", at: Date.parse("2026-03-01") },
  ],
  ["sourceType", ["new"], { kind: "is", field: "backfilled", value: false }],
  ["hourOfDay", ["0", "07", "23"], { kind: "hour", zone: "Europe/Berlin", values: [0, 7, 23] }],
  ["dayOfWeek", ["1", "SUNDAY", "monday"], { kind: "weekday", zone: "Europe/Berlin", values: [1, 7, 1] }],
  ["checked", ["True", "true"], { kind: "any", of: [{ kind: "is", field: "checked", value: true }] }],
  [
    "starred",
    ["true", "false"],
    {
      kind: "any",
      of: [
        { kind: "is", field: "starred", value: true },
        { kind: "is", field: "starred", value: false },
      ],
    },
  ],
  ["geolocated", ["true"], { kind: "any", of: [GEOLOCATED] }],
  ["geolocated", ["false"], { kind: "any", of: [{ kind: "not", condition: GEOLOCATED }] }],
  ["impactMin", ["-5"], { kind: "at-least", field: "impact", value: -5 }],
  ["impactMax", ["50"], { kind: "at-most", field: "impact", value: 50 }],
  ["instagramPostsMin", ["1"], { kind: "at-least", field: "instagramPostCount", value: 1 }],
  ["latitudeMin", ["-12.25"], { kind: "at-least", field: "latitude", value: -12.25 }],
  ["longitudeMax", ["+7"], { kind: "at-most", field: "longitude", value: 7 }],
])("%s=%j asks for what it says, and has no twin", async (name, values, condition) => {
  expect(await read(name, ...values)).toEqual([condition]);
  expect(hasTwin(name)).toBe(false);
});

it.each([
  ["sentiment", "happy"],
  ["pageType", "TWITTER"],
  ["language", "english"],
  ["language", "EN"],
  ["location", "germany"],
  ["location", "Germany"],
  ["hourOfDay", "24"],
  ["hourOfDay", "-1"],
  ["hourOfDay", "100"],
  ["dayOfWeek", "0"],
  ["dayOfWeek", "8"],
  ["dayOfWeek", "mon"],
  ["sourceType", "old"],
  ["checked", "yes"],
  ["tag", "vip"],
  ["anyTag", "vip"],
  ["siteGroup", "9"],
  ["impactMin", "1.5"],
  ["impactMin", "1e3"],
  ["latitudeMin", "north"],
  ["latitudeMin", "1,5"],
  ["sinceAdded", "yesterday"],
])("%s=%s is a fault that names the filter", async (name, value) => {
  expect(await read(name, value)).toEqual([
    expect.stringMatching(new RegExp(`^${name}: .*(expected|is no)`)),
  ]);
});

it.each(["hourOfDay", "dayOfWeek", "impactMin"])(
  "a fault of %s shows sixty characters of what came",
  async (name) => {
    expect(await read(name, `x${"y".repeat(100)}`)).toEqual([expect.stringMatching(/got "xy{59}"\.$/)]);
  },
);

it("no filter asks for nothing", async () => {
  const parameters = createParameterReader({});
  for (const filter of FILTERS)
    expect([filter.name, await filter.read(parameters, SCOPE)]).toEqual([filter.name, undefined]);
  expect(new Set(FILTERS.map(({ name }) => name)).size).toBe(FILTERS.length);
});
