import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { eventAt, type Mention } from "../../../src/monitor/model/mention.ts";
import type { Filters } from "../../../src/monitor/model/mention-counts.ts";
import { aMention } from "../../mention.ts";
import { runs } from "../../runs.ts";
import { useStores } from "../../use-stores.ts";

const { stores } = await useStores();
const NOON = Date.parse("2026-03-02T12:00:00Z");
const QUERIES = ["1", "2"].map((queryId) => ({ projectId: "p", queryId }));
const FACETS = ["author", "domain", "category"] as const;

const category = (name: string | null, parentName: string | null = null) => ({
  ...{ id: name ?? "none", name, parentName, parentId: parentName === null ? null : "parent" },
});
/** So many of a day that a rare value is looked for in its quarters only. */
const MENTIONS = 1_200;
/** Each of the others is as frequent as its place in a list says, so that no two values are equally loud. */
const pick = <T>(n: number, some: readonly T[]): T => some[n % some.length] as T;
const MENTIONS_TOLD: readonly Mention[] = Array.from({ length: MENTIONS }, (_, n) =>
  aMention({
    resourceId: `r${n}`,
    queryId: pick(n, ["1", "2", "1"]),
    // Every five minutes, some on the edge of a quarter; a few have no date.
    ...(n % 37 === 0
      ? { publishedAt: null, addedAt: NOON + (n % 500) * 5 * MINUTE }
      : { publishedAt: NOON + (n - 600) * 5 * MINUTE }),
    // The name of a rare one is also written in capitals, and a category: all in one bucket.
    author:
      n % 200 === 7
        ? "@Rare"
        : n % 200 === 9
          ? "RARE"
          : pick(n, ["@ann", "ann", "bo", "", null, "ann", "cy", "news", "ANN"]),
    authorName: pick(n, ["Ann L", "Bo", null]),
    domain:
      n % 150 === 9 ? "rare.example" : pick(n, ["News.example", "x.example", null, "x.example", "y.example"]),
    country: pick(n, ["Germany", null, "France"]),
    language: pick(n, ["EN", "de"]),
    pageType: pick(n, ["Forum", "news", "news"]),
    sentiment: pick(n, ["negative", "neutral", "positive", null, "negative"] as const),
    reach: pick(n, [0, 10, null, -5, 300]),
    categories:
      n % 200 === 7
        ? [category("Rare")]
        : pick(n, [
            [],
            [category("Price", "Service"), category("Service")],
            [category("Delivery", "Service")],
            [category("")],
          ]),
  }),
);

async function store(projectId: string, mentions: readonly Mention[]): Promise<void> {
  const page = mentions.map((mention) => ({ mention, eventAt: eventAt(mention), story: mention.resourceId }));
  await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
}

beforeAll(async () => {
  await store("p", MENTIONS_TOLD);
  // Of others: neither the project nor the query was asked about.
  await store(
    "other",
    MENTIONS_TOLD.map((mention) => ({ ...mention, projectId: "other" })),
  );
  await store(
    "p",
    MENTIONS_TOLD.slice(0, 300).map((mention) => ({ ...mention, queryId: "3" })),
  );
  await stores.mentionCounts.countStale();
});

const authorOf = ({ author, authorName }: Mention) => author?.replace(/^@+/, "") || authorName;

function fits(mention: Mention, filters: Filters): boolean {
  const has = (value: string | null | undefined, wanted: string | undefined) =>
    wanted === undefined || value === wanted;
  return (
    has(authorOf(mention), filters.author) &&
    has(mention.domain?.toLowerCase(), filters.domain) &&
    has(mention.country, filters.country) &&
    has(mention.language?.toLowerCase(), filters.language) &&
    has(mention.pageType?.toLowerCase(), filters.type) &&
    has(mention.sentiment, filters.sentiment) &&
    (filters.category === undefined || valuesOf(mention, "category").includes(filters.category))
  );
}

function valuesOf(mention: Mention, facet: (typeof FACETS)[number]): string[] {
  if (facet === "author") return [authorOf(mention)].filter((one) => one !== null);
  if (facet === "domain") return mention.domain === null ? [] : [mention.domain.toLowerCase()];
  const names = mention.categories.flatMap(({ name, parentName }) => [name, parentName]);
  return [...new Set(names.filter((name) => name !== null && name !== ""))] as string[];
}

function sumsOf(mentions: readonly Mention[]) {
  const having = (sentiment: string) => mentions.filter((one) => one.sentiment === sentiment).length;
  const reached = mentions.flatMap(({ reach }) => (reach === null ? [] : [Math.max(reach, 0)]));
  return {
    mentions: mentions.length,
    ...{ negative: having("negative"), neutral: having("neutral"), positive: having("positive") },
    reach: reached.length === 0 ? null : reached.reduce((sum, one) => sum + one, 0),
  };
}

/** A few of them: what many have in common is mostly nothing. */
const filters = fc
  .record({
    author: fc.constantFrom("ann", "Rare", "Ann L", "Bo", "news", "nobody"),
    domain: fc.constantFrom("x.example", "news.example", "rare.example"),
    country: fc.constantFrom("Germany", "France"),
    language: fc.constantFrom("en", "de"),
    type: fc.constantFrom("news", "forum"),
    category: fc.constantFrom("Price", "Service"),
    sentiment: fc.constantFrom("negative", "positive"),
  })
  .chain((all) => fc.subarray(Object.entries(all), { maxLength: 3 }))
  .map((some) => Object.fromEntries(some) as Filters);
/** In quarters from noon. */
const moments = fc.uniqueArray(fc.integer({ min: -200, max: 210 }), { minLength: 5, maxLength: 5 });

test("whatever is asked for: what several values have in common is counted as it is told", async () => {
  await fc.assert(
    fc.asyncProperty(filters, moments, fc.constantFrom(1, 2, 50), async (asked, some, limit) => {
      const [first = 0, second = 0, third = 0, fourth = 0, last = 0] = some
        .toSorted((a, b) => a - b)
        .map((n) => NOON + n * 15 * MINUTE);
      const [past, now] = [
        [first, second, third],
        [third, fourth, last],
      ];
      const periods = { before: { from: first, to: third }, period: { from: third, to: last } };
      const reading = await stores.filteredCounts.plan(QUERIES, asked, periods);
      expect(reading).toMatchObject({ since: null, isCompared: true });
      const within = (from: Instant, to: Instant) =>
        MENTIONS_TOLD.filter((one) => fits(one, asked) && eventAt(one) >= from && eventAt(one) < to);

      const stepsOf = (steps: readonly Instant[]) =>
        QUERIES.flatMap(({ projectId, queryId }) =>
          steps.slice(1).flatMap((to, step) => {
            const own = within(steps[step] ?? to, to).filter((one) => one.queryId === queryId);
            return own.length === 0 ? [] : [{ projectId, queryId, step, ...sumsOf(own) }];
          }),
        );
      expect(await stores.filteredCounts.bySteps(reading, now, past)).toEqual({
        counts: stepsOf(now),
        before: stepsOf(past),
      });

      const tables = await stores.filteredCounts.byValue(reading, FACETS, limit);
      for (const [index, facet] of FACETS.entries()) {
        const having = (value: string, { from, to }: { from: Instant; to: Instant }) =>
          within(from, to).filter((one) => valuesOf(one, facet).includes(value));
        const names = [...new Set(within(third, last).flatMap((one) => valuesOf(one, facet)))].sort();
        const rows = names.map((value) => ({
          ...{
            value,
            before: having(value, periods.before).length,
            ...sumsOf(having(value, periods.period)),
          },
        }));
        rows.sort((a, b) => b.mentions - a.mentions || (b.reach ?? -1) - (a.reach ?? -1));
        expect(tables[index]).toEqual({
          ...{ facet, rows: rows.slice(0, limit), values: rows.length, isEstimated: false },
          newValues: rows.filter(({ before }) => before === 0).length,
        });
      }
    }),
    { numRuns: runs(60), seed: 1 },
  );
});

test.each<Filters>([
  { author: "ann" },
  { author: "news" },
  { domain: "x.example" },
  { country: "Germany" },
  { language: "en" },
  { type: "forum" },
  { category: "Service" },
  { sentiment: "negative" },
])("%j alone", async (asked) => {
  const [from, to] = [NOON - DAY, NOON + DAY];
  const reading = await stores.filteredCounts.plan(QUERIES, asked, periodsOf(from, to));
  const { counts } = await stores.filteredCounts.bySteps(reading, [from, to], []);
  expect(sumOf(counts)).toBe(toldBetween(asked, from, to).length);
});

test.each<Filters>([{ author: "Rare" }, { domain: "rare.example" }])(
  "%j is rare: it is looked for in its quarters",
  async (asked) => {
    const [from, to] = [NOON - 3 * DAY, NOON + 2 * DAY];
    const reading = await stores.filteredCounts.plan(QUERIES, asked, periodsOf(from, to));
    expect(reading.units.map(({ facet }) => facet)).toContain(Object.keys(asked)[0]);
    const { counts } = await stores.filteredCounts.bySteps(reading, [from, from + HOUR, to], []);
    for (const { queryId } of QUERIES) {
      const own = counts.filter((one) => one.queryId === queryId);
      const told = toldBetween(asked, from, to).filter((one) => one.queryId === queryId);
      expect(sumOf(own)).toBe(told.length);
    }
  },
);

const periodsOf = (from: Instant, to: Instant) => ({
  before: { from: from - DAY, to: from },
  period: { from, to },
});
const sumOf = (counts: readonly { readonly mentions: number }[]) =>
  counts.reduce((sum, one) => sum + one.mentions, 0);
const toldBetween = (asked: Filters, from: Instant, to: Instant) =>
  MENTIONS_TOLD.filter((one) => fits(one, asked) && eventAt(one) >= from && eventAt(one) < to);
