import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../src/lib/instant.ts";
import { mentionRecord } from "../../src/listening-api/records/mention-record.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { putQueryGroup } from "../../src/listening-api/store/query-groups.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";

type Parameters = readonly (readonly [string, string | number])[];

let fixture: Fixture;
let [alpha, beta, parentId, priceId, safetyId] = [0, 0, 0, 0, 0];

beforeAll(async () => {
  fixture = await startFixture();
  alpha = fixture.account.queries.get("Alpha") ?? 0;
  beta = fixture.account.queries.get("Beta") ?? 0;
  const [topics] = fixture.account.categories;
  parentId = topics?.id ?? 0;
  [priceId = 0, safetyId = 0] = topics?.children.map((child) => child.id) ?? [];
  await insertMentions(createDatabase(fixture.database.pool), story());
  fixture.clock.set(T0 + HOUR);
});
afterAll(() => fixture.stop());

/** 1 is corrected after 30 minutes, 2 is indexed late, 3 belongs to Beta, 4 is backfilled and its date is withheld. */
function story() {
  const category = (id: number, name: string) => ({
    categories: [id],
    categoryDetails: [{ id: String(id), name, parentId: String(parentId), parentName: "Topics" }],
  });
  const one = { queryId: alpha, resourceId: resourceId(1), author: "Ann_Lee", pageType: "twitter" };
  return [
    mentionVersion(
      { ...one, sentiment: "neutral", impact: 5 },
      { added: T0, supersededAt: T0 + 30 * MINUTE },
    ),
    mentionVersion(
      { ...one, sentiment: "negative", impact: 50, ...category(safetyId, "Safety") },
      { added: T0, version: 2, updated: T0 + 30 * MINUTE, visibleAt: T0 + 30 * MINUTE },
    ),
    mentionVersion(
      {
        queryId: alpha,
        resourceId: resourceId(2),
        sentiment: "positive",
        language: "de",
        pageType: "news",
        ...category(priceId, "Price"),
      },
      { added: T0 + MINUTE, date: T0 - 2 * HOUR, visibleAt: T0 + 10 * MINUTE },
    ),
    mentionVersion(
      {
        queryId: beta,
        resourceId: resourceId(3),
        queryName: "Beta",
        author: "100%_sure",
        snippet: '<b>"raw"</b>\u0000 & 😀',
      },
      { added: T0 + 2 * MINUTE },
    ),
    mentionVersion(
      { queryId: alpha, resourceId: resourceId(4) },
      { added: T0 + 3 * MINUTE, date: null, backfilled: true },
    ),
  ];
}

async function mentions(...parameters: Parameters) {
  const path = `/projects/${fixture.account.projectId}/data/mentions`;
  const scope = parameters.some(([name]) => name === "queryId" || name === "queryGroupId")
    ? []
    : ([
        ["queryId", alpha],
        ["queryId", beta],
      ] as const);
  const dates = [
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
  ] as const;
  const given = new Set(parameters.map(([name]) => name));
  const answer = await fixture.get(path, [
    ...scope,
    ...dates.filter(([name]) => !given.has(name)),
    ["orderDirection", "asc"],
    ["orderBy", "added"],
    ...parameters,
  ]);
  expect(answer.body.errors).toBeUndefined();
  return answer.body;
}

async function found(...parameters: Parameters): Promise<number[]> {
  const body = await mentions(...parameters);
  const numbers = body.results.map((mention: { resourceId: string }) => Number(`0x${mention.resourceId}`));
  expect(body.resultsTotal).toBe(numbers.length);
  return numbers;
}

describe("the answer", () => {
  it("has the envelope of the spec, and every field of the record, as it was found", async () => {
    const body = await mentions(["queryId", beta], ["startDate", "2026-03-01T00:00:00.000-0500"]);
    expect(Object.keys(body)).toEqual([
      "results",
      "resultsTotal",
      "scaledResultsTotal",
      "resultsPage",
      "resultsPageSize",
      "nextCursor",
      "startDate",
      "endDate",
    ]);
    expect(body).toMatchObject({
      resultsTotal: 1,
      resultsPage: 0,
      resultsPageSize: 20,
      startDate: "2026-03-01T05:00:00.000+0000",
      endDate: "2026-03-31T22:00:00.000+0000",
    });
    const expected = mentionRecord({
      queryId: beta,
      resourceId: resourceId(3),
      queryName: "Beta",
      author: "100%_sure",
      snippet: '<b>"raw"</b>\u0000 & 😀',
      date: "2026-03-03T12:02:00.000+0000",
      added: "2026-03-03T12:02:00.000+0000",
      updated: "2026-03-03T12:02:00.000+0000",
    });
    // Programs read a guid, which the spec lacks.
    expect(body.results).toEqual([{ ...expected, guid: null }]);
    expect(Object.keys(expected)).toHaveLength(116);
  });

  it("to a cursor also names where it came from and mention ids", async () => {
    const first = await mentions(["pageSize", 2]);
    const second = await mentions(["pageSize", 2], ["cursor", first.nextCursor]);
    expect(second).toMatchObject({ resultsPage: 1, resultsTotal: 4, prevCursor: expect.any(String) });
    expect(second.maximumId).toBeGreaterThanOrEqual(second.maximumIdInResult);
    expect(Number.isSafeInteger(second.maximumId)).toBe(true);
    const back = await mentions(["pageSize", 2], ["cursor", second.prevCursor]);
    expect(back.results).toEqual(first.results);
    expect(back.resultsPage).toBe(0);
  });
});

describe("time", () => {
  it("shows at every moment what was visible then", async () => {
    const at = async (offsetMs: number) => {
      fixture.clock.set(T0 + offsetMs);
      return (await mentions()).results.map((mention: { resourceId: string; sentiment: string }) => [
        Number(`0x${mention.resourceId}`),
        mention.sentiment,
      ]);
    };
    expect(await at(-1)).toEqual([]);
    expect(await at(0)).toEqual([[1, "neutral"]]);
    expect(await at(5 * MINUTE)).toEqual([
      [1, "neutral"],
      [3, null],
      [4, null],
    ]);
    expect(await at(10 * MINUTE)).toEqual([
      [1, "neutral"],
      [2, "positive"],
      [3, null],
      [4, null],
    ]);
    expect(await at(30 * MINUTE - 1)).toHaveLength(4);
    expect((await at(30 * MINUTE))[0]).toEqual([1, "negative"]);
    expect(await at(0)).toEqual([[1, "neutral"]]);
    fixture.clock.set(T0 + HOUR);
  });

  it("counts exactly while mentions appear and change, without counting from the start", async () => {
    const total = async (offsetMs: number, ...parameters: Parameters) => {
      fixture.clock.set(T0 + offsetMs);
      const body = await mentions(["pageSize", 1], ...parameters);
      return [body.resultsTotal, body.scaledResultsTotal];
    };
    const neutral = ["sentiment", "neutral"] as const;
    expect(await total(5 * MINUTE)).toEqual([3, 3]);
    expect(await total(12 * MINUTE)).toEqual([4, 4]);
    expect(await total(12 * MINUTE, neutral)).toEqual([1, 1]);
    expect(await total(40 * MINUTE, neutral)).toEqual([0, 0]);
    expect(await total(40 * MINUTE)).toEqual([4, 4]);
    await insertMentions(createDatabase(fixture.database.pool), [
      mentionVersion({ queryId: alpha, resourceId: resourceId(9) }, { added: T0 + 4 * MINUTE }),
    ]);
    expect(await total(40 * MINUTE)).toEqual([5, 5]);
    await fixture.database.pool.query("delete from local_api.mention where resource_id = $1", [
      resourceId(9),
    ]);
    fixture.clock.set(T0 + HOUR);
  });

  it("takes dates as from and before, plain ones in the zone of the project", async () => {
    expect(await found(["startDate", "2026-03-03"], ["endDate", "2026-03-04"])).toEqual([1, 2, 3, 4]);
    expect(await found(["startDate", "2026-03-04"])).toEqual([]);
    const noon = "2026-03-03T13:00:00.000+0100";
    expect(await found(["startDate", noon])).toEqual([1, 3, 4]);
    expect(await found(["endDate", noon])).toEqual([2]);
    expect(await found(["startDate", "2026-03-03T12:03:00Z"])).toEqual([4]);
  });
});

describe("orders and filters", () => {
  it.each([
    ["date", "asc", [2, 1, 3, 4]],
    ["date", "desc", [4, 3, 1, 2]],
    ["added", "desc", [4, 3, 2, 1]],
    ["updated", "asc", [2, 3, 4, 1]],
    ["impact", "desc", [1, 3, 4, 2]],
  ])("orders by %s %s", async (orderBy, orderDirection, expected) => {
    const path = `/projects/${fixture.account.projectId}/data/mentions`;
    const { body } = await fixture.get(path, [
      ["queryId", alpha],
      ["queryId", beta],
      ["startDate", "2026-03-01"],
      ["endDate", "2026-04-01"],
      ["orderBy", orderBy],
      ["orderDirection", orderDirection],
    ]);
    const numbers = body.results.map((mention: { resourceId: string }) => Number(`0x${mention.resourceId}`));
    const byQueryAndId = (list: readonly number[]) => [list[0], [...list].slice(1).sort()];
    if (orderBy === "impact") expect(byQueryAndId(numbers)).toEqual(byQueryAndId(expected));
    else expect(numbers).toEqual(expected);
  });

  it("filters", async () => {
    expect(await found(["sentiment", "negative"])).toEqual([1]);
    expect(await found(["sentiment", "negative"], ["sentiment", "positive"])).toEqual([1, 2]);
    expect(await found(["sentiment", "neutral"])).toEqual([]);
    expect(await found(["pageType", "news"])).toEqual([2]);
    expect(await found(["language", "de"])).toEqual([2]);
    expect(await found(["category", priceId])).toEqual([2]);
    expect(await found(["category", parentId])).toEqual([1, 2]);
    expect(await found(["xcategory", priceId])).toEqual([1, 3, 4]);
    expect(await found(["xcategory", parentId])).toEqual([3, 4]);
    expect(await found(["category", 123])).toEqual([]);
    expect(await found(["tag", 1])).toEqual([]);
    expect(await found(["xtag", 1])).toEqual([1, 2, 3, 4]);
    expect(await found(["author", "ann_"])).toEqual([1]);
    expect(await found(["author", "%"])).toEqual([3]);
    expect(await found(["sourceType", "new"])).toEqual([1, 2, 3]);
    expect(await found(["sinceAdded", "2026-03-03T12:01:00.000+0000"])).toEqual([3, 4]);
    expect(await found(["sinceUpdated", "2026-03-03T12:29:59.999+0000"])).toEqual([1]);
    expect(await found(["queryId", beta], ["sentiment", "negative"])).toEqual([]);
  });

  it("takes a query group for its queries", async () => {
    const group = { projectId: fixture.account.projectId, name: "Both", queryIds: [alpha, beta] };
    const id = await putQueryGroup(createDatabase(fixture.database.pool), group);
    expect(await found(["queryGroupId", id])).toEqual([1, 2, 3, 4]);
    expect(await found(["queryGroupId", id], ["queryId", alpha])).toHaveLength(4);
  });
});

describe("cursors", () => {
  it("are bound to the parameters they were issued for", async () => {
    const path = `/projects/${fixture.account.projectId}/data/mentions`;
    const asked: Parameters = [
      ["queryId", alpha],
      ["startDate", "2026-03-01"],
      ["endDate", "2026-04-01"],
      ["pageSize", 1],
    ];
    const { nextCursor } = (await fixture.get(path, asked)).body;
    for (const changed of [
      [...asked, ["sentiment", "negative"] as const],
      asked.map(([name, value]) => [name, name === "pageSize" ? 2 : value] as const),
      asked.map(([name, value]) => [name, name === "queryId" ? beta : value] as const),
    ]) {
      const answer = await fixture.get(path, [...changed, ["cursor", nextCursor]]);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].message).toMatch(/cursor: .* as they were/);
    }
    const reordered = [...asked].reverse();
    expect((await fixture.get(path, [...reordered, ["cursor", nextCursor]])).status).toBe(200);
    const forged = `${nextCursor.slice(0, -2)}xx`;
    expect((await fixture.get(path, [...asked, ["cursor", forged]])).status).toBe(400);
  });

  it.each(["date", "added", "impact", "title"])(
    "end a walk by %s for a program that follows nextCursor until there is none",
    async (orderBy) => {
      const path = `/projects/${fixture.account.projectId}/data/mentions`;
      const asked: Parameters = [
        ["queryId", alpha],
        ["startDate", "2026-03-01"],
        ["endDate", "2026-04-01"],
        ["orderBy", orderBy],
        ["pageSize", 1],
      ];
      let shown = 0;
      let calls = 0;
      for (let cursor: string | undefined = ""; cursor !== undefined && calls < 20; calls++) {
        const more: Parameters = cursor === "" ? [] : [["cursor", cursor]];
        const { body } = await fixture.get(path, [...asked, ...more]);
        shown += body.results.length;
        cursor = body.nextCursor;
      }
      expect({ shown, calls }).toEqual({
        shown: (await fixture.get(path, asked)).body.resultsTotal,
        calls: shown + 1,
      });
    },
  );

  it.each([
    ["asc", { resourceId: resourceId(30), impact: 70 }],
    // The mention of the full page has no impact: behind it is only what has none either.
    ["desc", { resourceId: resourceId(0) }],
  ])(
    "go on with what is new after a last page by impact %s that was exactly full",
    async (orderDirection, arriving) => {
      const queryId = beta;
      const walk: Parameters = [
        ["queryId", queryId],
        ["orderBy", "impact"],
        ["orderDirection", orderDirection],
        ["pageSize", 1],
      ];
      const path = `/projects/${fixture.account.projectId}/data/mentions`;
      const dates: Parameters = [
        ["startDate", "2026-03-01"],
        ["endDate", "2026-04-01"],
      ];
      const ask = async (more: Parameters = []) =>
        (await fixture.get(path, [...walk, ...dates, ...more])).body;
      const full = await ask();
      expect(full).toMatchObject({ resultsTotal: 1, results: [{ resourceId: resourceId(3) }] });
      const cursor: Parameters = [["cursor", full.nextCursor]];
      const empty = await ask(cursor);
      expect(empty.results).toEqual([]);
      expect(empty).not.toHaveProperty("nextCursor");
      const later = T0 + HOUR + SECOND;
      await insertMentions(createDatabase(fixture.database.pool), [
        mentionVersion({ queryId, ...arriving }, { added: later }),
      ]);
      fixture.clock.set(later);
      expect((await ask(cursor)).results).toMatchObject([{ resourceId: arriving.resourceId }]);
      fixture.clock.set(T0 + HOUR);
      await fixture.database.pool.query("delete from local_api.mention where resource_id = $1", [
        arriving.resourceId,
      ]);
      await fixture.database.pool.query("update local_api.query set revision = revision + 1");
    },
  );

  it("go on after the end when something new arrives", async () => {
    const empty: Parameters = [
      ["queryId", beta],
      ["sinceAdded", "2026-03-03T12:59:00.000+0000"],
    ];
    const before = await mentions(...empty);
    expect(before).toMatchObject({ results: [], resultsTotal: 0 });
    expect(before).not.toHaveProperty("nextCursor");
    // A client that waits for more keeps the cursor of the last mention.
    const waiting: Parameters = [["queryId", alpha]];
    const last = await mentions(...waiting);
    const still = await mentions(...waiting, ["cursor", last.nextCursor]);
    expect(still.results).toEqual([]);
    expect(still).not.toHaveProperty("nextCursor");
    const later = T0 + HOUR + SECOND;
    await insertMentions(createDatabase(fixture.database.pool), [
      mentionVersion({ queryId: alpha, resourceId: resourceId(20) }, { added: later }),
    ]);
    expect((await mentions(...waiting, ["cursor", last.nextCursor])).results).toEqual([]);
    fixture.clock.set(later);
    const arrived = await mentions(...waiting, ["cursor", last.nextCursor]);
    expect(arrived.results).toHaveLength(1);
    const end = await mentions(...waiting, ["cursor", arrived.nextCursor]);
    expect(end.results).toEqual([]);
    expect((await mentions(...waiting, ["cursor", end.prevCursor])).results.at(-1)).toEqual(
      arrived.results[0],
    );
    fixture.clock.set(T0 + HOUR);
  });
});
