import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { PollRequest } from "../../../src/monitor/model/poll-state.ts";
import { pollQuery, pollTogether, type TogetherParts } from "../../../src/monitor/polling/poll-queries.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { runs } from "../../runs.ts";
import { NOON, negative, RULE, useWalks } from "../ingest/use-polls.ts";
import { dueWork } from "../store/due-work.ts";

const IDS = ["1", "2", "3", "4"];
const { clock, db, stores, parts, reset } = useWalks(IDS);

/** A source that answers as the API does: ascending, after `since`, page by page, with its own total. */
function sourceOf(mentions: () => readonly Mention[], pageSize: number) {
  const requests: { queryIds: readonly string[]; since: number }[] = [];
  async function* pages(queryIds: readonly string[], request: PollRequest): AsyncGenerator<SourcePage> {
    const since = request.sinceAdded ?? 0;
    requests.push({ queryIds, since });
    const found = mentions()
      .filter((one) => queryIds.includes(one.queryId) && one.addedAt > since && one.addedAt <= clock.now())
      .sort((a, b) => a.addedAt - b.addedAt);
    for (let from = Number(request.cursor ?? 0); from === 0 || from < found.length; from += pageSize) {
      const nextCursor = from + pageSize < found.length ? String(from + pageSize) : null;
      yield {
        mentions: found.slice(from, from + pageSize),
        rejected: [],
        nextCursor,
        total: found.length,
        pageSize,
      };
    }
  }
  return { requests, pages };
}

type Pages = ReturnType<typeof sourceOf>["pages"];

function poll(pages: Pages, ids: readonly string[] = IDS, proven = true, more: Partial<TogetherParts> = {}) {
  const together: TogetherParts = {
    ...parts({
      fetchPages: (queries, request) =>
        pages(
          queries.map(({ queryId }) => queryId),
          request,
        ),
    }),
    pollAlone: stores().polls.pollAlone,
    everyMs: () => SECOND,
    ...more,
  };
  const keys = ids.map((queryId) => ({ projectId: "p", queryId, poll: "added" as const }));
  return pollTogether(together, keys, new AbortController().signal, proven);
}

function mention(queryId: string, number: number, addedAt: number): Mention {
  return negative(`m${number}`, addedAt, queryId);
}

async function stored(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select query_id || ' ' || resource_id as id from earshot.mentions order by 1`.execute(db());
  return rows.map(({ id }) => id);
}

async function ledger() {
  const { rows } = await sql<{ queryId: string; claimed: number | null; seen: number; gap: number }>`
    select query_id as "queryId", claimed, seen, gap from earshot.coverage order by query_id, started_at`.execute(
    db(),
  );
  return rows;
}

test("several queries share one call, and each is complete on its own account", async () => {
  const all = [mention("1", 1, NOON - 50), mention("2", 2, NOON - 40), mention("1", 3, NOON - 30)];
  const source = sourceOf(() => all, 100);
  const outcome = await poll(source.pages);
  expect(source.requests).toHaveLength(1);
  expect(outcome.sharing).toBe("proven");
  expect(outcome.members.map(({ result }) => result.outcome)).toEqual(IDS.map(() => "Complete"));
  expect(await stored()).toEqual(["1 m1", "1 m3", "2 m2"]);
  expect(await ledger()).toEqual([
    { queryId: "1", claimed: 2, seen: 2, gap: 0 },
    { queryId: "2", claimed: 1, seen: 1, gap: 0 },
    { queryId: "3", claimed: 0, seen: 0, gap: 0 },
    { queryId: "4", claimed: 0, seen: 0, gap: 0 },
  ]);
  expect(await stores().polls.completeUntil("p", "4")).toBe(NOON);
});

test("a quiet query does not make the busy ones be read again: it has been seen as far as they have", async () => {
  const all = [mention("1", 1, NOON - DAY / 2), mention("2", 2, NOON - 40)];
  const source = sourceOf(() => all, 100);
  await poll(source.pages);
  clock.advance(MINUTE);
  await poll(source.pages);
  expect(source.requests.at(-1)?.since).toBe(NOON - 40 - 5 * MINUTE);
});

test("with any arrivals, delays and page sizes, shared polls store what single polls would", async () => {
  const arrival = fc.record({
    queryId: fc.constantFrom(...IDS),
    atMs: fc.integer({ min: 0, max: 20 * MINUTE }),
    lateMs: fc.integer({ min: 0, max: 4 * MINUTE }),
  });
  const round = fc.record({
    waitMs: fc.integer({ min: SECOND, max: 8 * MINUTE }),
    ids: fc.subarray(IDS, { minLength: 1 }),
    breaksAfter: fc.option(fc.integer({ min: 0, max: 3 })),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { maxLength: 40 }),
      fc.array(round, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 12 }),
      async (arrivals, rounds, pageSize) => {
        await reset();
        const all = arrivals.map(({ queryId, atMs, lateMs }, number) => ({
          ...mention(queryId, number, NOON + atMs),
          visibleAt: NOON + atMs + lateMs,
        }));
        const source = sourceOf(() => all.filter(({ visibleAt }) => visibleAt <= clock.now()), pageSize);
        const broken = (after: number | null): Pages =>
          async function* (ids, request) {
            let left = after ?? Number.POSITIVE_INFINITY;
            for await (const page of source.pages(ids, request)) {
              if (left-- <= 0) throw sourceFailure("cut");
              yield page;
            }
          };
        for (const { waitMs, ids, breaksAfter } of rounds) {
          clock.advance(waitMs);
          await poll(broken(breaksAfter), ids);
        }
        clock.set(NOON + 40 * MINUTE);
        await poll(source.pages);
        expect(await stored()).toEqual(all.map((one) => `${one.queryId} ${one.resourceId}`).sort());
        expect((await ledger()).every(({ gap }) => gap === 0)).toBe(true);
      },
    ),
    { numRuns: runs(25) },
  );
});

test("a source that answers for one of the queries only is detected, and its answer ends no poll", async () => {
  const all = [mention("1", 1, NOON - 50), mention("2", 2, NOON - 40)];
  const source = sourceOf(() => all, 100);
  const onlyFirst: Pages = (ids, request) => source.pages(ids.slice(0, 1), request);
  const outcome = await poll(onlyFirst, IDS, false);
  expect(outcome.sharing).toBe("unknown");
  expect(outcome.members.map(({ result }) => result.outcome)).toEqual(IDS.map(() => "Postponed"));
  expect(await ledger()).toEqual([]);
  // And each is free for a call of its own at once.
  expect((await dueWork(stores(), NOON)).polls).toHaveLength(8);
});

test("a source that is not proven is asked for two pages, and for none in vain", async () => {
  const all = Array.from({ length: 5 }, (_, nth) => mention("1", nth, NOON - 50 + nth));
  const source = sourceOf(() => all, 1);
  let asked = 0;
  const counted: Pages = async function* (ids, request) {
    for await (const page of source.pages(ids.slice(0, 1), request)) {
      asked += 1;
      yield page;
    }
  };
  const { members } = await poll(counted, IDS, false);
  expect(members.map(({ result }) => result.outcome)).toEqual(IDS.map(() => "Postponed"));
  expect(asked).toBe(2);
});

test("a source that refuses several queries in one call is asked for them one by one from then on", async () => {
  const refusal = sourceFailure("one queryId, please", {
    kind: "rejected",
    status: 400,
    retryable: false,
    retryAfterMs: null,
  });
  const outcome = await poll(() => failing(refusal), IDS, false);
  expect(outcome.sharing).toBe("refused");
  const candidates = await stores().polls.candidates(0, clock.now());
  await sql`update earshot.polls set retry_at_wall = null`.execute(db());
  expect(candidates).toHaveLength(4);
  const alone = (await stores().polls.candidates(0, clock.now()))
    .filter((one) => one.alone)
    .map(({ poll }) => poll);
  expect(alone).toEqual(IDS.map(() => "added"));
});

async function* failing(error: Error): AsyncGenerator<SourcePage> {
  yield await Promise.reject(error);
}

test("mentions missing from the source's total count for every query until one finds them", async () => {
  const all = [mention("1", 1, NOON - 50), mention("2", 2, NOON - 40), mention("3", 3, NOON - 30)];
  const source = sourceOf(() => all, 100);
  const hidesOne: Pages = async function* (ids, request) {
    for await (const page of source.pages(ids, request))
      yield { ...page, mentions: page.mentions.filter(({ queryId }) => queryId !== "3") };
  };
  await poll(hidesOne);
  expect((await ledger()).map(({ gap }) => gap)).toEqual([1, 1, 1, 1]);
  const alone = async () => {
    const candidates = await stores().polls.candidates(0, clock.now());
    return candidates.filter((one) => one.alone).map(({ queryId }) => queryId);
  };
  // A gap is polled again by one call for all of them, and then alone.
  expect(await alone()).toEqual([]);
  clock.advance(SECOND);
  await poll(hidesOne);
  expect(source.requests.map(({ since }) => since)).toEqual([NOON - DAY, NOON - DAY]);
  expect((await alone()).sort()).toEqual(IDS);
});

/** Makes the calls that a plan would make, every minute: returns how many were for one query alone. */
async function pollAsPlanned(pages: Pages, minutes: number): Promise<readonly number[]> {
  const alone: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    clock.advance(MINUTE);
    const candidates = await stores().polls.candidates(0, clock.now());
    const added = candidates.filter((one) => one.poll === "added");
    const own = added.filter((one) => one.alone).map(({ queryId }) => queryId);
    for (const queryId of own) await poll(pages, [queryId]);
    const others = added.map(({ queryId }) => queryId).filter((queryId) => !own.includes(queryId));
    if (others.length > 0) await poll(pages, others);
    alone.push(own.length);
  }
  return alone;
}

test("a total that is too high once costs one more call for all queries, and not one for each", async () => {
  const source = sourceOf(() => [mention("1", 1, NOON - 50)], 100);
  let calls = 0;
  const once: Pages = async function* (ids, request) {
    calls += 1;
    const isWrong = calls === 1;
    for await (const page of source.pages(ids, request))
      yield isWrong ? { ...page, total: (page.total ?? 0) + 1 } : page;
  };
  expect(await pollAsPlanned(once, 4)).toEqual([0, 0, 0, 0]);
  expect(calls).toBe(4);
  expect((await ledger()).filter(({ gap }) => gap > 0)).toHaveLength(4);
  const { rows } = await sql`select from earshot.polls where jsonb_typeof(state -> 'gap') = 'object'`.execute(
    db(),
  );
  expect(rows).toHaveLength(0);
});

test("a query of which the source always counts one too many is read alone, and spoils no call of the others", async () => {
  const source = sourceOf(() => [mention("1", 1, NOON - 50)], 100);
  const pages: Pages = async function* (ids, request) {
    for await (const page of source.pages(ids, request))
      yield ids.includes("3") ? { ...page, total: (page.total ?? 0) + 1 } : page;
  };
  const alone = await pollAsPlanned(pages, 30);
  // All of them once, then the third ever less often.
  expect(alone.slice(0, 4)).toEqual([0, 0, 4, 0]);
  expect(alone.slice(4).filter((calls) => calls > 0)).toEqual([1]);
});

test("a query that resumes from a cursor of its own has a call of its own, and the others share theirs", async () => {
  const all = [mention("1", 1, NOON - 50), mention("1", 2, NOON - 40), mention("2", 3, NOON - 30)];
  const source = sourceOf(() => all, 1);
  const cut = async function* (_queries: unknown, request: PollRequest): AsyncGenerator<SourcePage> {
    for await (const page of source.pages(["1"], request)) {
      yield page;
      throw sourceFailure("cut");
    }
  };
  const key = { projectId: "p", queryId: "1", poll: "added" } as const;
  await pollQuery(parts({ fetchPages: cut }), key, new AbortController().signal);
  await sql`update earshot.polls set retry_at_wall = null`.execute(db());
  const cursors = new Map<string, string | null>();
  const outcome = await poll((ids, request) => {
    cursors.set(ids.join(" "), request.cursor);
    return source.pages(ids, request);
  });
  expect([...cursors].sort()).toEqual([
    ["1", "1"],
    ["2 3 4", null],
  ]);
  expect(outcome.members.map(({ result }) => result.outcome)).toEqual(IDS.map(() => "Complete"));
  expect(await stored()).toEqual(["1 m1", "1 m2", "2 m3"]);
});

test("a query that another worker polls takes no part, and the others do not wait for it", async () => {
  const all = [mention("1", 1, NOON - 50), mention("2", 2, NOON - 40)];
  const source = sourceOf(() => all, 100);
  await stores().polls.claim({ projectId: "p", queryId: "2", poll: "added" }, NOON);
  const outcome = await poll(source.pages);
  expect(outcome.members.map(({ result }) => result.outcome)).toEqual([
    "Complete",
    "NotDue",
    "Complete",
    "Complete",
  ]);
  expect(source.requests).toMatchObject([{ queryIds: ["1", "3", "4"] }]);
});

test("a member whose own commit fails is polled alone next time, and blocks no other", async () => {
  const all = [mention("1", 1, NOON - 50), mention("2", 2, NOON - 40)];
  const source = sourceOf(() => all, 100);
  const outcome = await poll(source.pages, IDS, true, {
    rulesFor: ({ queryId }) => {
      if (queryId === "2") throw new Error("poison");
      return [RULE];
    },
  });
  expect(outcome.members.map(({ result }) => result.outcome)).toEqual([
    "Complete",
    "BrokenOff",
    "Complete",
    "Complete",
  ]);
  await sql`update earshot.polls set retry_at_wall = null`.execute(db());
  const alone = (await stores().polls.candidates(0, clock.now())).filter((one) => one.alone);
  expect(alone.map(({ queryId }) => queryId)).toEqual(["2"]);
});

test("rows of no requested query become dead letters with their reason", async () => {
  const all = [mention("1", 1, NOON - 50), mention("2", 2, NOON - 40), mention("9", 3, NOON - 30)];
  const source = sourceOf(() => all, 100);
  await poll((ids, request) => source.pages([...ids, "9"], request));
  expect(await stored()).toEqual(["1 m1", "2 m2"]);
  const { rows } = await sql<{ reason: string }>`select reason from earshot.dead_letters`.execute(db());
  expect(rows).toEqual([{ reason: "it belongs to query 9, which was not asked for" }]);
});

test("a change of an old mention moves no watermark of a poll for new ones, if the call breaks off behind it", async () => {
  const changed = { ...mention("1", 1, NOON - 20 * MINUTE), updatedAt: NOON - SECOND };
  const all = [changed, mention("2", 2, NOON - 15 * MINUTE), mention("1", 3, NOON - 14 * MINUTE)];
  const source = sourceOf(() => all, 1);
  let calls = 0;
  const breaksOnce: Pages = async function* (ids, request) {
    const isFirst = ++calls === 1;
    for await (const page of source.pages(ids, request)) {
      yield page;
      if (isFirst) throw sourceFailure("cut");
    }
  };
  await poll(breaksOnce);
  await sql`update earshot.polls set next_at = to_timestamp(0), retry_at_wall = null`.execute(db());
  clock.advance(MINUTE);
  await poll(breaksOnce);
  expect(await stored()).toEqual(["1 m1", "1 m3", "2 m2"]);
});

test("a shared page that comes again and again behind new cursors ends the polls of all", async () => {
  let calls = 0;
  const endless: Pages = async function* () {
    for (; calls < 50; ) {
      calls += 1;
      const mentions = [mention("1", 1, NOON - 50), mention("2", 2, NOON - 40)];
      yield { mentions, rejected: [], nextCursor: `cursor ${calls}`, total: 2, pageSize: 2 };
    }
  };
  await poll(endless);
  expect(calls).toBe(3);
  expect((await ledger()).map(({ seen, gap }) => [seen, gap])).toEqual([
    [1, 0],
    [1, 0],
    [0, 0],
    [0, 0],
  ]);
});
