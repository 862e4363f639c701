import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DAY, SECOND } from "../../src/lib/instant.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { MENTION_ORDERS } from "../../src/listening-api/store/mention-orders.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import { runs } from "../runs.ts";
import { anyMention } from "./filters/any-mention.ts";
import { type Fixture, startFixture, T0 } from "./fixture.ts";

let fixture: Fixture;
let AnyMention: ReturnType<typeof anyMention>;
beforeAll(async () => {
  fixture = await startFixture();
  AnyMention = anyMention([...fixture.account.queries.values()], fixture.account.categories);
});
afterAll(() => fixture.stop());

async function clear(): Promise<void> {
  await fixture.database.pool.query("truncate local_api.mention");
  await fixture.database.pool.query("update local_api.query set revision = revision + 1");
  fixture.clock.set(T0 + 2 * DAY);
}

const store = (versions: readonly MentionVersion[]) =>
  insertMentions(createDatabase(fixture.database.pool), versions);

/** As an edit does it: the version of before ends when the next one begins. */
async function replace(before: MentionVersion, after: MentionVersion): Promise<void> {
  await fixture.database.pool.query(
    "update local_api.mention set superseded_at = $1 where query_id = $2 and resource_id = $3 and version = $4",
    [new Date(after.visibleAt), before.record.queryId, before.record.resourceId, before.version],
  );
  await store([after]);
}

interface Walk {
  readonly orderBy: string;
  readonly orderDirection: string;
  readonly pageSize: number;
}

interface Page {
  readonly ids: readonly string[];
  readonly nextCursor: string;
}

async function ask(walk: Walk, more: readonly [string, string | number][] = []): Promise<Page> {
  const { status, body } = await fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ["projectId", fixture.account.projectId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
    ...Object.entries(walk),
    ...more,
  ]);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  return { ids: body.results.map(idOf), nextCursor: body.nextCursor };
}

function idOf(record: { queryId: number; resourceId: string }): string {
  return `${record.queryId}!${record.resourceId}`;
}

/** Null comes before every value; equal ones by resource id, then by query. */
function naiveOrder(versions: readonly MentionVersion[], { orderBy, orderDirection }: Walk): string[] {
  const sign = orderDirection === "asc" ? 1 : -1;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return [...versions]
    .sort(
      (a, b) =>
        sign *
        (compare(naiveKey(a, orderBy), naiveKey(b, orderBy)) ||
          compare(a.record.resourceId, b.record.resourceId) ||
          a.record.queryId - b.record.queryId),
    )
    .map(({ record }) => idOf(record));
}

function naiveKey({ record, date, added, updated }: MentionVersion, orderBy: string): string | number {
  const special: Readonly<Record<string, string | number>> = {
    date: date ?? added,
    added,
    updated,
    md5: record.resourceId,
    publicationname: record.weblogTitle?.toLowerCase() ?? "",
    priority: ["low", "medium", "high"].indexOf(record.priority ?? ""),
    status: ["open", "pending", "closed"].indexOf(record.status ?? ""),
    twitterLikeCount: 0,
  };
  const [, value] =
    Object.entries(record).find(([name]) => name.toLowerCase() === orderBy.toLowerCase()) ?? [];
  const isText = ["accounttype", "assignment", "author", "authorVerifiedType", "facebookrole", "gender"]
    .concat(["lastassignmentdate", "resourcetype", "subtype", "threadentrytype", "title", "twitterrole"])
    .includes(orderBy);
  if (special[orderBy] !== undefined) return special[orderBy];
  return isText ? String(value ?? "").toLowerCase() : Number(value ?? -1);
}

it("every order, rising and falling, is the same by pages, by cursor and by hand", async () => {
  await clear();
  const given = fc.uniqueArray(AnyMention, {
    minLength: 40,
    maxLength: 40,
    selector: ({ number }) => number,
  });
  const versions = fc
    .sample(given, { numRuns: 1, seed: 7 })
    .flatMap((all) => all.map(({ version }) => version));
  await store(versions);
  expect(MENTION_ORDERS.size).toBe(46);
  for (const orderBy of MENTION_ORDERS.keys()) {
    for (const orderDirection of ["asc", "desc"]) {
      const walk = { orderBy, orderDirection, pageSize: 19 };
      const pages = await Promise.all([0, 1, 2].map((page) => ask(walk, [["page", page]])));
      const byPage = pages.flatMap(({ ids }) => ids);
      expect({ walk, ids: byPage }).toEqual({ walk, ids: naiveOrder(versions, walk) });
      const byCursor: string[] = [];
      for (
        let page = await ask(walk);
        page.ids.length > 0;
        page = await ask(walk, [["cursor", page.nextCursor]])
      )
        byCursor.push(...page.ids);
      expect({ walk, ids: byCursor }).toEqual({ walk, ids: byPage });
    }
  }
}, 120_000);

it("paging while mentions arrive and change shows each exactly once, and after its end the new ones", async () => {
  const Change = fc.record({ target: fc.nat(), mention: AnyMention, isNew: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MENTION_ORDERS.keys()),
      fc.constantFrom("asc", "desc"),
      fc.integer({ min: 1, max: 4 }),
      fc.uniqueArray(AnyMention, { minLength: 3, maxLength: 12, selector: ({ number }) => number }),
      fc.array(Change, { maxLength: 10 }),
      async (orderBy, orderDirection, pageSize, first, changes) => {
        await clear();
        const current = first.map(({ version }) => version);
        await store(current);
        const walk = { orderBy, orderDirection, pageSize };
        const atStart = naiveOrder(current, walk);
        const seen: string[] = [];
        let page = await ask(walk);
        // Of an empty page, the cursor that led to it.
        let cursor = page.nextCursor;
        for (let step = 0; page.ids.length > 0 || step < changes.length; step++) {
          seen.push(...page.ids);
          fixture.clock.advance(SECOND);
          const change = changes[step];
          if (change !== undefined) await apply(change, current, step);
          cursor = page.nextCursor ?? cursor;
          page = await ask(walk, [["cursor", cursor]]);
        }
        // Only paging by ascending update shows a mention again, when it was updated again.
        if (orderBy === "updated" && orderDirection === "asc") {
          expect([...new Set(seen)].sort()).toEqual(current.map(({ record }) => idOf(record)).sort());
          return;
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => atStart.includes(id))).toEqual(atStart);
      },
    ),
    { numRuns: runs(60) },
  );
}, 120_000);

/** A new mention, or another state of one of those that are there; neither is older than the change itself. */
async function apply(
  change: { target: number; mention: { version: MentionVersion }; isNew: boolean },
  current: MentionVersion[],
  step: number,
): Promise<void> {
  const now = fixture.clock.now();
  const at = change.target % current.length;
  const before = current[at];
  if (before === undefined) throw new Error("nothing to change");
  const { version } = change.mention;
  if (change.isNew) {
    const resourceId = `e${step}`.padEnd(32, "0");
    const times = { date: now, added: now, updated: now, visibleAt: now };
    const record = {
      ...version.record,
      resourceId,
      date: wireTime(now),
      added: wireTime(now),
      updated: wireTime(now),
    };
    const arrived = { ...version, ...times, record };
    current.push(arrived);
    await store([arrived]);
    return;
  }
  const { queryId, resourceId, date, added } = before.record;
  const after = {
    ...before,
    version: before.version + 1,
    record: { ...version.record, queryId, resourceId, date, added, updated: wireTime(now) },
    updated: now,
    visibleAt: now,
  };
  current[at] = after;
  await replace(before, after);
}

it("paging by a position that may change continues after its end with what has become visible since", async () => {
  await clear();
  const [one, two, three] = fc.sample(AnyMention, { numRuns: 3, seed: 3 }).map(({ version }, n) => ({
    ...version,
    record: { ...version.record, resourceId: `${n}`.repeat(32), impact: n },
  }));
  if (!one || !two || !three) throw new Error("no sample");
  await store([one, two]);
  const walk = { orderBy: "impact", orderDirection: "asc", pageSize: 2 };
  const whole = await ask(walk);
  expect(whole.ids).toEqual([idOf(one.record), idOf(two.record)]);
  let end = await ask(walk, [["cursor", whole.nextCursor]]);
  expect(end.ids).toEqual([]);
  expect(end.nextCursor).toBeUndefined();
  fixture.clock.advance(SECOND);
  const now = fixture.clock.now();
  await store([{ ...three, visibleAt: now }]);
  await replace(one, { ...one, version: 2, visibleAt: now, record: { ...one.record, impact: 50 } });
  end = await ask(walk, [["cursor", whole.nextCursor]]);
  expect(end.ids).toEqual([idOf(three.record)]);
  expect((await ask(walk, [["cursor", end.nextCursor]])).ids).toEqual([]);
});
