import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY, HOUR, type Instant } from "../../../src/lib/instant.ts";
import { AGGREGATE_NAMES, type AggregateName } from "../../../src/listening-api/charts/aggregates.ts";
import { DIMENSION_NAMES, type DimensionName } from "../../../src/listening-api/charts/dimensions.ts";
import { wireTime } from "../../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { putTag } from "../../../src/listening-api/store/labels.ts";
import type { MentionVersion } from "../../../src/listening-api/store/mention-version.ts";
import { putQueryGroup } from "../../../src/listening-api/store/query-groups.ts";
import { runs } from "../../runs.ts";
import { type Fixture, SEED, startFixture } from "../fixture.ts";
import { nightMentions, seededMentions } from "../seeded-mentions.ts";
import { type Facts, NAIVE_AGGREGATES, naiveChart, seen } from "./naive-chart.ts";

type Parameters = readonly (readonly [string, string | number])[];

/** Four weeks around the night in which the clocks of Europe change. */
const FROM = Date.parse("2026-03-14T22:30:00Z");
const TO = FROM + 28 * DAY;
const NIGHT = Date.parse("2026-03-29T00:00:00Z");

let fixture: Fixture;
let versions: MentionVersion[];
let [alpha, beta, group] = [0, 0, 0];

beforeAll(async () => {
  fixture = await startFixture({
    ...SEED,
    categories: [...(SEED.categories ?? []), { name: "Risk", children: ["Recall"] }],
  });
  const { account, database, clock } = fixture;
  const db = createDatabase(database.pool);
  [alpha = 0, beta = 0] = account.queries.values();
  group = await putQueryGroup(db, { projectId: account.projectId, name: "Both", queryIds: [alpha, beta] });
  const tagIds = [
    await putTag(db, account.projectId, "urgent"),
    await putTag(db, account.projectId, "later"),
  ];
  const seeding = { queryIds: [alpha, beta], categories: account.categories, tagIds, from: FROM, days: 28 };
  versions = [...seededMentions({ ...seeding, count: 300 }), ...nightMentions(alpha, NIGHT - 2 * HOUR, 5)];
  await insertMentions(db, versions);
  clock.set(TO + DAY);
});
afterAll(() => fixture.stop());

interface Point {
  id: string | number;
  name: string;
  value: number | Record<string, number>;
  data: object;
}

const scope = (zone = "Europe/Berlin") => ({ zone, groups: [{ id: group, queryIds: [alpha, beta] }] });

function facts(
  range: { from: Instant; to: Instant } = { from: FROM, to: TO },
  queryIds = [alpha, beta],
): Facts[] {
  return seen(versions, { ...range, queryIds, at: TO + DAY });
}

function chart(path: string, parameters: Parameters = [], range = { from: FROM, to: TO }) {
  const queries = parameters.some(([name]) => name === "queryId" || name === "queryGroupId")
    ? []
    : ([
        ["queryId", alpha],
        ["queryId", beta],
      ] as const);
  return fixture.get(`/projects/${fixture.account.projectId}/data/${path}`, [
    ...queries,
    ["startDate", wireTime(range.from)],
    ["endDate", wireTime(range.to)],
    ...parameters,
  ]);
}

/** What was found, by series and point, without the places where nothing was. */
function cells(body: { results: { id: string | number; values: Point[] }[] }) {
  const found = body.results.map((series) => {
    const points = series.values.filter((point) => hasValue(point.value));
    return [
      String(series.id),
      Object.fromEntries(points.map((point) => [String(point.id), point.value])),
    ] as const;
  });
  return Object.fromEntries(found.filter(([, points]) => Object.keys(points).length > 0));
}

function hasValue(value: Point["value"]): boolean {
  return typeof value === "number" ? value !== 0 : (value["volume"] ?? 0) > 0;
}

/** Minutes of four weeks are too many with most dimensions. */
const rangeFor = (...dimensions: string[]) =>
  dimensions.includes("minutes") ? { from: NIGHT - 3 * HOUR, to: NIGHT + 3 * HOUR } : { from: FROM, to: TO };

describe.each(DIMENSION_NAMES.map((name, index) => [name, index] as const))("dimension %s", (name, index) => {
  const partner = DIMENSION_NAMES[(index * 7 + 3) % DIMENSION_NAMES.length] ?? "queries";

  it.each(["queries", partner] as DimensionName[])(
    "beside %s agrees with the reference, for every aggregate",
    async (other) => {
      const range = rangeFor(name, other);
      const all = AGGREGATE_NAMES.join(",");
      const answer = await chart(`multiAggregate/${name}/${other}`, [["aggregate", all]], range);
      expect(answer.status).toBe(200);
      expect(cells(answer.body)).toEqual(naiveChart(facts(range), [name, other], scope()));
    },
  );

  it("gives each aggregate alone as it gives it among others", async () => {
    const range = rangeFor(name);
    const expected = naiveChart(facts(range), [name, "queries"], scope());
    const ask = async (aggregate: AggregateName) => {
      const answer = await chart(`${aggregate}/${name}/queries`, [], range);
      expect(answer.body).toMatchObject({ aggregate, dimension1: name, dimension2: "queries" });
      const wanted = Object.entries(expected).map(([id, points]) => {
        const values = Object.entries(points).map(([point, value]) => [point, value[aggregate]] as const);
        return [id, Object.fromEntries(values.filter(([, value]) => value !== 0))] as const;
      });
      expect(cells(answer.body)).toEqual(
        Object.fromEntries(wanted.filter(([, points]) => Object.keys(points).length > 0)),
      );
    };
    await Promise.all(AGGREGATE_NAMES.map(ask));
  });
});

it("any two dimensions, zone, range and filters agree with the reference", async () => {
  const dimension = fc.constantFrom(...DIMENSION_NAMES.filter((name) => name !== "minutes"));
  const moment = fc.integer({ min: FROM - DAY, max: TO + DAY });
  const zone = fc.constantFrom(
    "Etc/UTC",
    "Europe/Berlin",
    "Asia/Kolkata",
    "America/St_Johns",
    "Pacific/Chatham",
  );
  const filter = fc.constantFrom<readonly [string, string, (facts: Facts) => boolean]>(
    ["sentiment", "negative", (facts) => facts.sentiment === "negative"],
    ["pageType", "news", (facts) => facts.pageType === "news"],
    ["language", "de", (facts) => facts.language === "de"],
    ["impressionsMin", "300", (facts) => (facts.impressions ?? -1) >= 300],
    ["checked", "true", (facts) => facts.checked === true],
    ["xinterest", "Sports", (facts) => !(facts.interest ?? []).includes("Sports")],
    ["author", "ANN", (facts) => facts.author?.toLowerCase() === "ann"],
  );
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(dimension, dimension),
      zone,
      fc.tuple(moment, moment),
      fc.option(filter, { nil: undefined }),
      async (dimensions, timezone, moments, filter) => {
        const range = { from: Math.min(...moments), to: Math.max(...moments) + 1 };
        const parameters: Parameters = [
          ["aggregate", AGGREGATE_NAMES.join(",")],
          ["timezone", timezone],
          ...(filter === undefined ? [] : [[filter[0], filter[1]] as const]),
        ];
        const answer = await chart(`multiAggregate/${dimensions.join("/")}`, parameters, range);
        const kept = facts(range).filter((fact) => filter?.[2](fact) ?? true);
        expect(cells(answer.body)).toEqual(naiveChart(kept, dimensions, scope(timezone)));
      },
    ),
    { numRuns: runs(30) },
  );
}, 60_000);

describe("the envelope", () => {
  it("has the documented fields, and a point with 0 where nothing was found", async () => {
    const range = { from: Date.parse("2026-01-01T00:00:00Z"), to: Date.parse("2026-01-03T00:00:00Z") };
    const answer = await chart("volume/sentiment/days", [["timezone", "Etc/UTC"]], range);
    const values = ["01", "02"].map((day) => ({
      id: `2026-01-${day}T00:00:00.000+0000`,
      name: `2026-01-${day} 00:00:00.0`,
      value: 0,
      data: {},
    }));
    expect(answer.body).toEqual({
      aggregate: "volume",
      dimension1: "sentiment",
      dimension2: "days",
      results: ["negative", "neutral", "positive"].map((id) => ({ id, name: id, data: {}, values })),
    });
  });

  it("names queries, groups, categories, tags and places", async () => {
    const labels = async (dimension: string) =>
      (await chart(`volume/${dimension}/queries`)).body.results.map((series: Point) => series.name);
    expect(await labels("queries")).toEqual(["Alpha", "Beta"]);
    expect(await labels("queryGroups")).toEqual(["Both"]);
    expect(await labels("categories")).toEqual(["Price", "Safety", "Recall"]);
    expect(await labels("parentCategories")).toEqual(["Topics", "Risk"]);
    expect(await labels("tags")).toEqual(["urgent", "later"]);
    expect((await labels("countries")).sort()).toEqual(["Germany", "India", "United Kingdom"]);
    expect((await labels("dayOfWeek"))[0]).toBe("Monday");
  });

  it("puts an object by aggregate into the points of a chart of several", async () => {
    const answer = await chart("multiAggregate/queries/months", [
      ["aggregate", "volume"],
      ["aggregate", "authors"],
    ]);
    expect(answer.body.aggregate).toBe("multiAggregate");
    expect(Object.keys(answer.body.results[0].values[0].value)).toEqual(["volume", "authors"]);
  });

  it("gives what clients read first: distinct authors of a month, volume by page type", async () => {
    const authors = await chart("authors/months/queries", [["queryId", alpha]]);
    const inMarch = facts(undefined, [alpha]).filter(
      (fact) => (fact.date ?? 0) < Date.parse("2026-03-31T22:00:00Z"),
    );
    expect(authors.body.results[0].values[0].value).toBe(NAIVE_AGGREGATES["authors"]?.(inMarch));
    expect((await chart("volume/queries/pageTypes")).body.results).toHaveLength(2);
  });
});

describe("arguments", () => {
  it("choose the values and their order, repeated or with commas", async () => {
    const ids = async (parameters: Parameters, dimension = "languages") =>
      (await chart(`volume/${dimension}/queries`, parameters)).body.results.map((series: Point) => series.id);
    expect(await ids([["dim1Args", "fr,en"]])).toEqual(["fr", "en"]);
    expect(
      await ids([
        ["dim1Args", "xx"],
        ["dim1Args", "de"],
      ]),
    ).toEqual(["xx", "de"]);
    expect(await ids([["dim1Args", "bob, jr."]], "authors")).toEqual(["bob, jr."]);
    expect(await ids([["dim1Args", "9,8"]], "hourOfDay")).toEqual([9, 8]);
    expect(await ids([["dim1Limit", 1]])).toHaveLength(1);
    const [, child] = fixture.account.categories[0]?.children ?? [];
    expect(await ids([["dim1Args", child?.id ?? 0]], "categories")).toEqual([child?.id]);
    const named = await chart("volume/countries/queries", [["dim1Args", "IND"]]);
    expect(named.body.results).toMatchObject([{ id: "IND", name: "India" }]);
  });

  it("of the second dimension choose the points", async () => {
    const answer = await chart("volume/queries/sentiment", [["dim2Args", "positive"]]);
    expect(answer.body.results[0].values).toHaveLength(1);
  });

  it("name the groups that were asked for", async () => {
    const answer = await chart("volume/queryGroups/months", [["queryGroupId", group]]);
    expect(answer.body.results).toMatchObject([{ id: group, name: "Both" }]);
  });
});

it("an hour that the clocks show twice, and a day of 23 hours, are as long as they were", async () => {
  const hours = await chart(
    "volume/queries/hours",
    [
      ["queryId", alpha],
      ["timezone", "Europe/Berlin"],
    ],
    { from: NIGHT - HOUR, to: NIGHT + 2 * HOUR },
  );
  expect(hours.body.results[0].values.map((point: Point) => point.id)).toEqual([
    "2026-03-29T00:00:00.000+0100",
    "2026-03-29T01:00:00.000+0100",
    "2026-03-29T03:00:00.000+0200",
  ]);
});

describe("what cannot be charted is refused with what can be", () => {
  it.each([
    ["sharpness/queries/days", 404, /no aggregate "sharpness".*volume, authors.*multiAggregate/],
    ["volume/moons/days", 404, /no dimension "moons".*queries, queryGroups/],
    ["volume/days/toString", 404, /no dimension "toString"/],
    ["volume/days", 404, /There is nothing at GET/],
    ["multiAggregate/queries/days", 400, /aggregate: expected 1 to 10 of volume, .*got 0/],
    ["multiAggregate/queries/days?aggregate=volume,fame", 400, /aggregate: expected one of volume.*"fame"/],
    [`multiAggregate/queries/days?aggregate=${"volume,".repeat(11)}`, 400, /expected 1 to 10/],
    ["volume/days/queries?dim1Args=5", 400, /dim1Args: expected none for days/],
    ["volume/queries/days?dim2Limit=5", 400, /dim2Limit: expected none for days/],
    ["volume/categories/days?dim1Args=7", 400, /dim1Args: "7" is no category/],
    [
      "volume/sentiment/days?dim1Args=angry",
      400,
      /dim1Args: "angry" is no sentiment, expected negative, neutral/,
    ],
    ["volume/queries/days?timezone=%2B02:00", 400, /timezone: expected an IANA name/],
    ["volume/queries/days?timezone=Mars", 400, /timezone: expected an IANA name/],
    ["volume/queries/days?colour=red", 400, /"colour" is not a parameter/],
    ["volume/minutes/authors", 400, /endDate: expected at most 20000 minutes/],
    ["volume/hours/hours", 400, /672 series of 672 points; expected at most 100000|673 series/],
  ])("%s", async (path, status, message) => {
    const [bare = "", search = ""] = path.split("?");
    const parameters = [...new URLSearchParams(search)] as [string, string][];
    const answer = await chart(bare, parameters);
    expect([answer.status, answer.body.errors[0].message]).toEqual([status, expect.stringMatching(message)]);
  });
});
