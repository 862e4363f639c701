import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { isTransient, TransientError } from "../../../src/lib/retry.ts";
import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { PollRequest } from "../../../src/monitor/model/poll-state.ts";
import type { PollParts } from "../../../src/monitor/polling/poll-parts.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { negative as aNegative, createMemoryKnowledge, NOON, useWalks } from "../ingest/use-polls.ts";

const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;
const { clock, db, stores, parts } = useWalks();

function negative(number: number): Mention {
  return aNegative(`m${number}`, NOON - 30 * MINUTE + number * 1_000);
}

function page(mentions: readonly Mention[], nextCursor: string | null, total: number): SourcePage {
  return { mentions, rejected: [], nextCursor, total, pageSize: 2 };
}

type Pages = (request: PollRequest) => AsyncIterable<SourcePage>;

function poll(pages: Pages) {
  return pollQuery(
    parts({ fetchPages: (_query, request) => pages(request) }),
    KEY,
    new AbortController().signal,
  );
}

async function stored() {
  const { rows } = await sql<{ mentions: number; counted: number; error: string | null; polls: number }>`
    select (select count(*) from earshot.mentions) as mentions, (select coalesce(sum(n), 0) from earshot.counts) as counted,
      (select last_error from earshot.polls where poll = 'added') as error,
      (select count(*) from earshot.coverage) as polls`.execute(db());
  return rows[0];
}

test("a poll whose last page is full ends where the source has nothing more", async () => {
  const outcome = await poll(async function* () {
    yield page([negative(1), negative(2)], "a", 4);
    yield page([negative(3), negative(4)], "b", 4);
  });
  expect(outcome).toMatchObject({ outcome: "Complete", pages: 2, added: 4, windowsDue: true });
  expect(await stores().polls.completeUntil("p", "1")).toBe(NOON);
  expect(await stored()).toEqual({ mentions: 4, counted: 4, error: null, polls: 1 });
});

test("a poll that fails keeps what it has and resumes from there", async () => {
  const outcome = await poll(async function* () {
    yield page([negative(1), negative(2)], "a", 3);
    throw sourceFailure("the source went away");
  });
  expect(outcome).toEqual({ outcome: "BrokenOff", error: "mentions: the source went away", retryable: true });
  expect(await stored()).toEqual({
    mentions: 2,
    counted: 2,
    error: "mentions: the source went away",
    polls: 0,
  });
  // It is tried again soon, and not only at its next regular time.
  const { rows } = await sql`select failures, retry_at_wall < now() + interval '1 minute' as soon
    from earshot.polls where poll = 'added'`.execute(db());
  expect(rows).toEqual([{ failures: 1, soon: true }]);
  const cursors: (string | null)[] = [];
  await poll(async function* ({ cursor }) {
    cursors.push(cursor);
    yield page([negative(3)], null, 3);
  });
  expect(cursors).toEqual(["a"]);
  expect(await stored()).toEqual({ mentions: 3, counted: 3, error: null, polls: 1 });
});

test("a cursor that is refused is given up for the watermark, and nothing counts twice", async () => {
  const all = [negative(1), negative(2), negative(3)];
  await poll(async function* () {
    yield page(all.slice(0, 2), "a", 3);
    throw sourceFailure("no such cursor", { kind: "rejected", status: 400, retryable: false });
  });
  const requests: PollRequest[] = [];
  await poll(async function* (request) {
    requests.push(request);
    yield page(all.slice(0, 2), "b", 3);
    yield page(all.slice(2), null, 3);
  });
  expect(requests).toMatchObject([{ cursor: null, sinceAdded: negative(2).addedAt - 5 * MINUTE }]);
  expect(await stored()).toEqual({ mentions: 3, counted: 3, error: null, polls: 1 });
});

test("of two workers that start a poll at once, one runs it", async () => {
  const outcomes = await Promise.all(
    [1, 2, 3].map(() =>
      poll(async function* () {
        yield page([negative(1)], null, 1);
      }),
    ),
  );
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["Complete", "NotDue", "NotDue"]);
  expect(await stored()).toEqual({ mentions: 1, counted: 1, error: null, polls: 1 });
});

test("a worker that was thought dead commits nothing after another took over", async () => {
  const all = [negative(1), negative(2), negative(3)];
  let goOn = (): void => {};
  let takenOver: ReturnType<typeof poll> | undefined;
  const stuck = poll(async function* () {
    yield page(all.slice(0, 2), "a", 3);
    // This page is requested while the first is committed; the other one begins where that commit led.
    await expect.poll(async () => (await stored())?.mentions).toBe(2);
    await new Promise<void>((resolve) => {
      goOn = resolve;
      takenOver = takeOver();
    });
    yield page(all.slice(2), null, 3);
  });
  const takeOver = async () => {
    await sql`update earshot.polls set leased_until_wall = now() - interval '1 s'`.execute(db());
    const outcome = await poll(async function* ({ cursor }) {
      expect(cursor).toBe("a");
      yield page(all.slice(2), null, 3);
    });
    goOn();
    return outcome;
  };
  expect(await stuck).toMatchObject({
    outcome: "BrokenOff",
    retryable: false,
    error: "the poll added of query 1 was taken over",
  });
  expect(await takenOver).toMatchObject({ outcome: "Complete", added: 1 });
  expect(await stored()).toEqual({ mentions: 3, counted: 3, error: null, polls: 1 });
});

test("a poll that breaks off does not wait for the page that is under way", async () => {
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let [isFetched, isAborted] = [false, false];
  async function* pages(_query: unknown, _request: PollRequest, signal: AbortSignal) {
    isFetched = true;
    yield page([negative(1), negative(2)], "a", 4);
    const aborted = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    asked();
    await aborted.finally(() => {
      isAborted = true;
    });
  }
  const store: PollParts["store"] = {
    ...stores(),
    transaction: async (work) => {
      const result = await stores().transaction(work);
      if (!isFetched) return result;
      // The next page is requested while this one is stored.
      await isAsked;
      throw new TransientError("ConnectionFailed", "Connection terminated");
    },
  };
  const outcome = await pollQuery(parts({ fetchPages: pages, store }), KEY, new AbortController().signal);
  expect(outcome).toMatchObject({ outcome: "BrokenOff", error: "Connection terminated" });
  await expect.poll(() => isAborted).toBe(true);
});

test("a lost lease is no fault of the page: nothing of it is tried again or becomes a dead letter", async () => {
  const lost = await stores()
    .polls.advance(KEY, "00000000-0000-4000-8000-000000000000", {})
    .catch((error: unknown) => error);
  expect(lost).toMatchObject({ message: "the poll added of query 1 was taken over" });
  expect(isTransient(lost)).toBe(true);
});

test("what a poll covers is stored with its end, or not at all", async () => {
  const store: PollParts["store"] = {
    ...stores(),
    transaction: (work) =>
      stores().transaction(async (facts) => {
        const result = await work(facts);
        const { rows } = await sql<{ n: number }>`select count(*) as n from earshot.mentions`.execute(db());
        // The page is stored; the end of the poll is not.
        if (rows[0]?.n === 1) throw new TransientError("ConnectionFailed", "Connection terminated");
        return result;
      }),
  };
  const fetchPages = async function* () {
    yield page([negative(1)], null, 1);
  };
  await pollQuery(parts({ fetchPages, store }), KEY, new AbortController().signal);
  expect(await stored()).toMatchObject({ mentions: 1, polls: 0 });
});

test("a source that answers after more than a lease loses nothing: the lease is renewed meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const leftMs = async () => {
      const { rows } = await sql<{ ms: number }>`
        select extract(epoch from leased_until_wall - now())::float8 * 1000 as ms from earshot.polls where poll = 'added'`.execute(
        db(),
      );
      return rows[0]?.ms ?? 0;
    };
    const outcome = await poll(async function* () {
      await sql`update earshot.polls set leased_until_wall = now() + interval '3 s'`.execute(db());
      await vi.advanceTimersByTimeAsync(4_000);
      await expect.poll(leftMs).toBeGreaterThan(4_000);
      yield page([negative(1)], null, 1);
    });
    expect(outcome).toMatchObject({ outcome: "Complete", added: 1 });
  } finally {
    vi.useRealTimers();
  }
});

/** A server that sends the same page again and again, each time with a new cursor. Ends the test when it was asked often. */
function endless(stopAfter: number, calls: { n: number }): Pages {
  return async function* () {
    for (let nth = 1; nth <= stopAfter; nth++) {
      calls.n += 1;
      yield page([negative(1), negative(2)], `cursor ${calls.n}`, 5);
    }
    throw sourceFailure("no call is left", { kind: "over-budget", retryAfterMs: 0 });
  };
}

test.each([30, 1])(
  "a page that comes again and again behind new cursors ends the poll, with %i calls in a run, and the rest is missing",
  async (inRun) => {
    const calls = { n: 0 };
    const quirkLog = createMemoryKnowledge(() => NOON);
    const pages = endless(inRun, calls);
    for (let run = 0; run < 6 && (await stored())?.polls === 0; run++)
      await pollQuery(
        parts({ quirkLog, fetchPages: (_query, request) => pages(request) }),
        KEY,
        new AbortController().signal,
      );
    expect(calls.n).toBe(3);
    const { rows } = await sql`select claimed, seen, gap from earshot.coverage`.execute(db());
    expect(rows).toEqual([{ claimed: 5, seen: 2, gap: 3 }]);
    expect((await quirkLog.quirks()).get("last-page")?.value).toBe("again");
  },
);

test("rows of a query that was not asked for become dead letters, and count for no query", async () => {
  const outcome = await poll(async function* () {
    yield page([negative(1), { ...negative(2), queryId: "2" }], null, 2);
  });
  expect(outcome).toMatchObject({ outcome: "Complete", added: 1 });
  expect(await stored()).toEqual({ mentions: 1, counted: 1, error: null, polls: 1 });
  const { rows } = await sql`select resource_id as id, reason from earshot.dead_letters`.execute(db());
  expect(rows).toEqual([{ id: "m2", reason: "it belongs to query 2, which was not asked for" }]);
});

test("what the runs of a poll found that broke off counts with it, however they did", async () => {
  await poll(async function* () {
    yield page([negative(1), negative(2)], "a", 5);
    throw sourceFailure("no call is left", { kind: "over-budget", retryAfterMs: 0 });
  });
  await poll(async function* () {
    yield { ...page([negative(3)], "b", 5), rejected: [{ resourceId: "m9", reason: "no date" }] };
    throw sourceFailure("the source went away");
  });
  await sql`update earshot.polls set retry_at_wall = null`.execute(db());
  const outcome = await poll(async function* () {
    yield page([negative(4)], null, 5);
  });
  expect(outcome).toMatchObject({ outcome: "Complete", pages: 1, added: 4 });
  const ledger = async () =>
    (await sql`select seen, stored, rejected from earshot.coverage order by started_at`.execute(db())).rows;
  expect(await ledger()).toEqual([{ seen: 5, stored: 4, rejected: 1 }]);
  await sql`update earshot.polls set next_at = to_timestamp(0)`.execute(db());
  clock.advance(MINUTE);
  await poll(async function* () {
    yield page([negative(4)], null, 1);
  });
  expect((await ledger())[1]).toEqual({ seen: 1, stored: 0, rejected: 0 });
});
