import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { MINUTE } from "../../src/lib/instant.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "./fixture.ts";

/** Few different moments and impacts, so that equal keys are common. */
const AMention = fc.record({
  query: fc.constantFrom("Alpha", "Beta"),
  number: fc.integer({ min: 0, max: 60 }),
  minute: fc.integer({ min: 0, max: 6 }),
  dateMinute: fc.integer({ min: 0, max: 6 }),
  impact: fc.integer({ min: 0, max: 3 }),
});
type AMention = { query: string; number: number; minute: number; dateMinute: number; impact: number };

const Mentions = fc.uniqueArray(AMention, {
  maxLength: 40,
  selector: (mention) => `${mention.query}${mention.number}`,
});
const OrderBy = fc.constantFrom("date", "added", "updated", "impact");
const Direction = fc.constantFrom("asc", "desc");
const RUNS = { numRuns: 20 };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.clock.set(T0 + 60 * MINUTE);
});
afterAll(() => fixture.stop());
beforeEach(clear);

async function clear(): Promise<void> {
  await fixture.database.pool.query("delete from local_api.mention");
  await fixture.database.pool.query("update local_api.query set revision = revision + 1");
}

function stored({ query, number, minute, dateMinute, impact }: AMention): MentionVersion {
  const fields = { queryId: fixture.account.queries.get(query) ?? 0, resourceId: resourceId(number), impact };
  return mentionVersion(fields, { added: T0 + minute * MINUTE, date: T0 + dateMinute * MINUTE });
}

async function store(mentions: readonly AMention[]): Promise<void> {
  await insertMentions(createDatabase(fixture.database.pool), mentions.map(stored));
}

interface WalkPage {
  readonly keys: string[];
  readonly nextCursor: string;
  readonly prevCursor: string | undefined;
  readonly total: number;
}

async function ask(
  walk: { orderBy: string; direction: string; pageSize: number },
  more: readonly [string, string | number][] = [],
): Promise<WalkPage> {
  const { body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ...[...fixture.account.queries.values()].map((id) => ["queryId", id] as const),
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
    ["orderBy", walk.orderBy],
    ["orderDirection", walk.direction],
    ["pageSize", walk.pageSize],
    ...more,
  ]);
  const keys = body.results.map((mention: { queryId: number; resourceId: string }) => keyOf(mention));
  return { keys, nextCursor: body.nextCursor, prevCursor: body.prevCursor, total: body.resultsTotal };
}

function keyOf(mention: { queryId: number; resourceId: string }): string {
  return `${mention.queryId}!${Number(`0x${mention.resourceId}`)}`;
}

function idOf(mention: AMention): string {
  return keyOf({
    queryId: fixture.account.queries.get(mention.query) ?? 0,
    resourceId: resourceId(mention.number),
  });
}

function inOrder(mentions: readonly AMention[], orderBy: string, direction: string): string[] {
  const sign = direction === "asc" ? 1 : -1;
  const key = (mention: AMention) =>
    orderBy === "date" ? mention.dateMinute : orderBy === "impact" ? mention.impact : mention.minute;
  return [...mentions]
    .sort(
      (a, b) =>
        sign *
        (key(a) - key(b) || a.number - b.number || (a.query === b.query ? 0 : a.query < b.query ? -1 : 1)),
    )
    .map(idOf);
}

it("paging by number and by cursor shows the same mentions in the same order, and backwards too", async () => {
  await fc.assert(
    fc.asyncProperty(
      Mentions,
      OrderBy,
      Direction,
      fc.integer({ min: 1, max: 7 }),
      async (mentions, orderBy, direction, pageSize) => {
        await clear();
        await store(mentions);
        const walk = { orderBy, direction, pageSize };
        const expected = inOrder(mentions, orderBy, direction);

        const paged: string[] = [];
        for (let page = 0; page * pageSize < mentions.length + pageSize; page++)
          paged.push(...(await ask(walk, [["page", page]])).keys);
        expect(paged).toEqual(expected);

        const forward: string[] = [];
        let at = await ask(walk);
        while (at.keys.length > 0) {
          expect(at.total).toBe(mentions.length);
          forward.push(...at.keys);
          at = await ask(walk, [["cursor", at.nextCursor]]);
        }
        expect(at).not.toHaveProperty("nextCursor", expect.any(String));
        expect(forward).toEqual(expected);

        const backward: string[] = [];
        while (at.prevCursor !== undefined) {
          at = await ask(walk, [["cursor", at.prevCursor]]);
          if (at.keys.length === 0) break;
          backward.unshift(...at.keys);
        }
        expect(backward).toEqual(expected);
      },
    ),
    RUNS,
  );
});

it("paging by cursor while mentions arrive shows none twice, none out of order, and misses none ahead of it", async () => {
  await fc.assert(
    fc.asyncProperty(
      Mentions,
      fc.constantFrom("date", "added"),
      Direction,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat({ max: 12 }), { minLength: 40, maxLength: 40 }),
      async (mentions, orderBy, direction, pageSize, arrivals) => {
        await clear();
        const walk = { orderBy, direction, pageSize };
        const order = inOrder(mentions, orderBy, direction);
        const early = mentions.filter((_, index) => (arrivals[index] ?? 0) === 0);
        await store(early);
        const mustSee = new Set(early.map(idOf));
        const seen: string[] = [];
        let page = await ask(walk);
        // Of an empty page, the cursor that led to it.
        let cursor: string | undefined;
        for (let step = 1; step <= 13 || page.keys.length > 0; step++) {
          seen.push(...page.keys);
          const place = order.indexOf(seen.at(-1) ?? "");
          const arriving = mentions.filter((_, index) => arrivals[index] === step);
          await store(arriving);
          for (const id of arriving.map(idOf)) if (order.indexOf(id) > place) mustSee.add(id);
          cursor = page.nextCursor ?? cursor;
          page = await ask(walk, cursor === undefined ? [] : [["cursor", cursor]]);
        }
        expect(seen).toEqual(order.filter((id) => seen.includes(id)));
        expect(new Set(seen).size).toBe(seen.length);
        for (const id of mustSee) expect(seen).toContain(id);
      },
    ),
    RUNS,
  );
});

it("paging by descending update shows the state at its start, though mentions change meanwhile", async () => {
  const db = createDatabase(fixture.database.pool);
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const changesAt = T0 + 61 * MINUTE;
  await insertMentions(db, [
    ...[1, 2, 3].map((n) =>
      mentionVersion(
        { queryId, resourceId: resourceId(n) },
        { added: T0 + n * MINUTE, supersededAt: n === 1 ? changesAt : null },
      ),
    ),
    mentionVersion(
      { queryId, resourceId: resourceId(1) },
      { added: T0 + MINUTE, version: 2, updated: changesAt, visibleAt: changesAt },
    ),
  ]);
  const walk = { orderBy: "updated", direction: "desc", pageSize: 1 };
  const first = await ask(walk);
  fixture.clock.set(changesAt);
  const second = await ask(walk, [["cursor", first.nextCursor]]);
  const third = await ask(walk, [["cursor", second.nextCursor]]);
  expect([first, second, third].map(({ keys }) => keys)).toEqual([
    [`${queryId}!3`],
    [`${queryId}!2`],
    [`${queryId}!1`],
  ]);
  expect((await ask(walk)).keys).toEqual([`${queryId}!1`]);

  const rising = { ...walk, direction: "asc", pageSize: 2 };
  fixture.clock.set(changesAt - 1);
  const start = await ask(rising);
  expect(start.keys).toEqual([`${queryId}!1`, `${queryId}!2`]);
  fixture.clock.set(changesAt);
  expect((await ask(rising, [["cursor", start.nextCursor]])).keys).toEqual([`${queryId}!3`, `${queryId}!1`]);
});
