import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import { FILTERS } from "../../../src/listening-api/filters/filters.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../../src/listening-api/store/mention-version.ts";
import { createSavedList } from "../../../src/listening-api/store/saved-lists.ts";
import { runs } from "../../runs.ts";
import { type Fixture, startFixture, T0 } from "../fixture.ts";
import { anyMention } from "./any-mention.ts";
import { type NaiveFilter, naiveFilters } from "./naive-filters.ts";

const MENTIONS = 80;

let fixture: Fixture;
let filters: { readonly [name: string]: NaiveFilter };
let stored: readonly MentionVersion[] = [];

beforeAll(async () => {
  fixture = await startFixture();
  fixture.clock.set(T0 + 2 * DAY);
  const { clientId, projectId, queries, categories } = fixture.account;
  const db = createDatabase(fixture.database.pool);
  const { rows } = await fixture.database.pool.query("select min(id)::integer as id from local_api.api_user");
  const list = { clientId, userId: rows[0].id, name: "mine", sharedProjectIds: [projectId] };
  const authors = ["ANN", "@ünal"];
  const domains = ["site.example/press", "news.example"];
  const locationIds = ["DEU.Berlin", "NORTH_AMERICA"];
  filters = naiveFilters({
    categories,
    authorList: { id: (await createSavedList(db, "author", { ...list, entries: authors })).id, authors },
    siteList: { id: (await createSavedList(db, "site", { ...list, entries: domains })).id, domains },
    locationList: {
      id: (await createSavedList(db, "location", { ...list, entries: locationIds })).id,
      locations: locationIds,
    },
  });
  const sample = fc.sample(
    fc.uniqueArray(anyMention([...queries.values()], categories), {
      minLength: MENTIONS,
      maxLength: MENTIONS,
      selector: ({ number }) => number,
    }),
    { numRuns: 1, seed: 42 },
  );
  stored = sample.flat().map(({ version }) => version);
  expect(await insertMentions(db, stored)).toBe(MENTIONS);
});
afterAll(() => fixture.stop());

async function found(parameters: readonly (readonly [string, string])[]): Promise<string[]> {
  const { status, body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ["projectId", fixture.account.projectId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
    ["pageSize", 200],
    ...parameters,
  ]);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  expect(body.resultsTotal).toBe(body.results.length);
  return body.results.map((mention: { resourceId: string }) => mention.resourceId).sort();
}

/** Values of one name are alternatives, names together are demands. */
function expected(parameters: readonly (readonly [string, string])[]): string[] {
  const names = [...new Set(parameters.map(([name]) => name))];
  return stored
    .filter((mention) =>
      names.every((name) => {
        const filter = filters[name] ?? filters[name.slice(1)];
        const values = parameters.filter(([given]) => given === name).map(([, value]) => value);
        const isMet = values.some((value) => filter?.meets(mention, value));
        return name in filters ? isMet : !isMet;
      }),
    )
    .map((mention) => mention.record.resourceId)
    .sort();
}

it("the reference knows every filter of the local API, and the local API every filter of the reference", () => {
  const known = Object.entries(filters).flatMap(([name, { hasTwin }]) =>
    hasTwin ? [name, `x${name}`] : [name],
  );
  const notInRecords = ["twitterLikeCountMin", "twitterLikeCountMax"];
  expect(FILTERS.map((filter) => filter.name).sort()).toEqual([...known, ...notInRecords].sort());
});

it("every value of every filter, and of its twin, finds what a naive reading finds", async () => {
  const wrong: string[] = [];
  let selective = 0;
  async function compare(name: string, value: string): Promise<void> {
    const [is, should] = [await found([[name, value]]), expected([[name, value]])];
    if (is.join() !== should.join()) wrong.push(`${name}=${value}: ${is.length}, expected ${should.length}`);
    if (should.length > 0 && should.length < stored.length) selective++;
  }
  for (const [name, filter] of Object.entries(filters)) {
    const names = filter.hasTwin ? [name, `x${name}`] : [name];
    await Promise.all(names.flatMap((used) => filter.values.map((value) => compare(used, value))));
  }
  expect(wrong).toEqual([]);
  expect(selective).toBeGreaterThan(250);
}, 120_000);

/** One filter for each way in which a row is asked. */
const OF_EVERY_KIND = [
  "sentiment",
  "author",
  "interest",
  "classifications",
  "category",
  "anyTag",
  "checked",
  "status",
]
  .concat([
    "sinceAdded",
    "untilAssignmentUpdated",
    "impactMin",
    "latitudeMax",
    "hourOfDay",
    "dayOfWeek",
    "gender",
  ])
  .concat(["location", "exclusiveLocation", "siteGroup", "geolocated", "postByAuthor"]);

it("counts, charts and insights take filters of every kind, and a search, as mentions do", async () => {
  const path = `/projects/${fixture.account.projectId}/data`;
  const scope = [
    ["projectId", fixture.account.projectId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
  ] as const;
  const asked = OF_EVERY_KIND.map((name) => [name, filters[name]?.values[0] ?? "unknown filter"] as const);
  const wrong: string[] = [];
  for (const parameter of [...asked, ["search", "look"] as const]) {
    const given = [...scope, parameter];
    const [count, chart, hashtags, authors, mentions] = await Promise.all([
      fixture.get(`${path}/mentions/count`, given),
      fixture.get(`${path}/volume/sentiment/pageTypes`, given),
      fixture.get(`${path}/hashtags`, given),
      fixture.get(`${path}/volume/topauthors/queries`, given),
      fixture.get(`${path}/mentions`, [...given, ["pageSize", 1]]),
    ]);
    const statuses = [count, chart, hashtags, authors, mentions].map(({ status }) => status);
    if (statuses.some((status) => status !== 200)) wrong.push(`${parameter[0]}: ${statuses}`);
    if (count.body.mentionsCount !== mentions.body.resultsTotal) wrong.push(`${parameter[0]}: the count`);
  }
  expect(wrong).toEqual([]);
}, 120_000);

it("repeated values are alternatives, different filters demands", async () => {
  const one = fc.constantFrom(...Object.entries(filters)).chain(([name, filter]) =>
    fc.record({
      name: filter.hasTwin ? fc.constantFrom(name, `x${name}`) : fc.constant(name),
      values: fc.subarray([...filter.values], {
        minLength: 1,
        maxLength: takesOne(name) ? 1 : Math.min(2, filter.values.length),
      }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(one, { minLength: 1, maxLength: 3, selector: (f) => f.name }),
      async (chosen) => {
        const parameters = chosen.flatMap(({ name, values }) =>
          values.map((value) => [name, value] as const),
        );
        // A word and an id may not be mixed in this one.
        fc.pre(!parameters.some(([name, value]) => name.endsWith("anyTag") && value === "2"));
        expect(await found(parameters)).toEqual(expected(parameters));
      },
    ),
    { numRuns: runs(40) },
  );
});

function takesOne(name: string): boolean {
  return /Min$|Max$|^since|^until|^sourceType$/.test(name);
}

it("hours and days are those of the zone that is asked for", async () => {
  const hours = (zone: string, hour: number) =>
    found([
      ["timezone", zone],
      ["hourOfDay", String(hour)],
    ]);
  expect(await hours("UTC", 12)).toEqual(expected([["hourOfDay", "13"]]));
  expect(await hours("Asia/Tokyo", 21)).toEqual(expected([["hourOfDay", "13"]]));
  const { status, body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ["projectId", 1],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
    ["timezone", "Berlin"],
    ["hourOfDay", 24],
    ["dayOfWeek", "Caturday"],
    ["latitudeMin", "north"],
    ["checked", "maybe"],
    ["authorGroup", 1],
  ]);
  expect(status).toBe(400);
  const messages = body.errors.map((error: { message: string }) => error.message.split(":")[0]);
  expect(messages.sort()).toEqual(
    ["authorGroup", "checked", "dayOfWeek", "hourOfDay", "latitudeMin", "projectId", "timezone"].sort(),
  );
});
