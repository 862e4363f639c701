import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { PollKey } from "../../../src/monitor/model/poll.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { decideSkip, skipUnchanged } from "../../../src/monitor/polling/skip-unchanged.ts";
import { SourceConfig } from "../../../src/monitor/source/source-config.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { NOON, negative, useWalks } from "../ingest/use-polls.ts";

const ADDED = { projectId: "p", queryId: "1", poll: "added" } as const;
const { clock, db, stores, parts } = useWalks(["1", "2"]);
const source = {
  name: "account" as const,
  ...SourceConfig.parse({
    ...{ baseUrl: "http://127.0.0.1", username: "ann", password: "secret", clientId: "c" },
    ...{ pollEvery: "1m", updatesEvery: "1m", overlap: "5s", settle: "10s" },
  }),
};

let asked = 0;

/** The source says that the mentions had this revision before its page was read. */
async function poll(revision: string | null, key: PollKey = ADDED, version: string | null = null) {
  const fetchPages = async function* () {
    asked += 1;
    yield {
      ...{ mentions: [negative("m1", NOON - HOUR)], rejected: [], nextCursor: null, total: 1 },
      ...{ pageSize: 5_000, revision },
    };
  };
  return pollQuery(parts({ fetchPages, version }), key, new AbortController().signal);
}

async function skip(revisions: Readonly<Record<string, string>>, meanwhile: () => unknown = () => {}) {
  const revisionsOf = async () => {
    await meanwhile();
    return new Map(Object.entries(revisions));
  };
  await skipUnchanged({ stores: stores(), source, revisionsOf, version: null, openedAt: NOON }, clock.now());
}

async function stored({ queryId, poll: kind }: PollKey = ADDED) {
  const { rows } = await sql<{ completeUntil: number; polledAt: number; nextAt: number }>`
    select complete_until as "completeUntil", polled_at as "polledAt", next_at as "nextAt"
    from earshot.polls where query_id = ${queryId} and poll = ${kind}`.execute(db());
  return rows[0];
}

const isSkipped = async () => (await stored())?.polledAt === clock.now();

test("a query that was not written to is complete without a call, and due again within its interval", async () => {
  asked = 0;
  await poll("7");
  for (let n = 1; n <= 3; n++) {
    clock.advance(MINUTE);
    await skip({ 1: "7", 2: "3" });
    const after = await stored();
    expect(after).toMatchObject({ polledAt: clock.now(), completeUntil: clock.now() - 10_000 });
    expect(after?.nextAt).toBeGreaterThan(clock.now());
    expect(after?.nextAt).toBeLessThanOrEqual(clock.now() + MINUTE);
  }
  expect(asked).toBe(1);
  // Nothing was ever read of the second one.
  expect(await stored({ ...ADDED, queryId: "2" })).toMatchObject({ polledAt: null });
});

test("a poll that is not due yet is left alone", async () => {
  await poll("7");
  const before = await stored();
  clock.advance(100);
  await skip({ 1: "7" });
  expect(await stored()).toEqual(before);
});

test("changes are skipped by themselves: their poll has its own revision", async () => {
  const updated = { ...ADDED, poll: "updated" as const };
  await poll("7");
  await poll("8", updated);
  clock.advance(MINUTE);
  await skip({ 1: "8" });
  expect(await stored(updated)).toMatchObject({ polledAt: clock.now() });
  expect(await isSkipped()).toBe(false);
});

describe("is polled as always", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["a query that was woken", () => stores().polls.wake([{ queryId: "1", poll: "added" }], clock.now())],
    ["a query that a worker holds", () => stores().polls.claim(ADDED, clock.now())],
    ["a query that is not watched", () => sql`update earshot.queries set active = false`.execute(db())],
    [
      "a query that a group may have left out",
      () => sql`update earshot.polls set reread_from = now()`.execute(db()),
    ],
    [
      "a query that lacks mentions by count",
      () =>
        sql`update earshot.polls set state = jsonb_set(state, '{gap}', '{"from": 1, "tries": 3}') where poll = 'added' and query_id = '1'`.execute(
          db(),
        ),
    ],
    [
      "a query whose poll was stopped in the middle",
      () =>
        sql`update earshot.polls set state = jsonb_set(state, '{running}', '{}') where state <> 'null'`.execute(
          db(),
        ),
    ],
    [
      "a query whose last poll failed",
      async () => {
        await sql`update earshot.polls set next_at = ${new Date(NOON)}`.execute(db());
        const fetchPages = async function* () {
          yield* [];
          throw sourceFailure("the source went away");
        };
        await pollQuery(parts({ fetchPages }), ADDED, new AbortController().signal);
        await sql`update earshot.polls set retry_at_wall = null`.execute(db());
      },
    ],
    [
      "a query with a dead letter to replay",
      () =>
        sql`insert into earshot.dead_letters (project_id, query_id, at, id, kind, reason, replay_wanted_at)
          values ('p', '1', now(), gen_random_uuid(), 'mention', 'x', now())`.execute(db()),
    ],
  ])("%s", async (_, happens) => {
    await poll("7");
    clock.advance(MINUTE);
    await happens();
    await skip({ 1: "7" });
    expect(await isSkipped()).toBe(false);
  });

  test("a query that was written to, or that is gone there", async () => {
    await poll("7");
    clock.advance(MINUTE);
    await skip({ 1: "8" });
    await skip({});
    expect(await isSkipped()).toBe(false);
  });

  test("a query of a source that says no revision", async () => {
    await poll(null);
    clock.advance(MINUTE);
    await skip({ 1: "7" });
    expect(await isSkipped()).toBe(false);
  });
});

test("what wakes its poll while revisions are read is not skipped", async () => {
  await poll("7");
  clock.advance(MINUTE);
  await skip({ 1: "7" }, () => stores().polls.wake([{ queryId: "1", poll: "added" }], clock.now()));
  expect(await isSkipped()).toBe(false);
  expect(await stores().polls.claim(ADDED, clock.now())).not.toBeNull();
});

test("a poll that ends while revisions are read keeps its own next moment", async () => {
  await poll("7");
  clock.advance(MINUTE);
  const after: unknown[] = [];
  await skip({ 1: "7" }, async () => {
    await poll("8");
    after.push(await stored());
  });
  expect([await stored()]).toEqual(after);
});

test("a wake after the skip makes the poll due at once", async () => {
  await poll("7");
  clock.advance(MINUTE);
  await skip({ 1: "7" });
  await stores().polls.wake([{ queryId: "1", poll: "added" }], clock.now());
  expect(await stores().polls.claim(ADDED, clock.now())).not.toBeNull();
});

test("two at once end the poll once", async () => {
  await poll("7");
  clock.advance(MINUTE);
  await Promise.all([skip({ 1: "7" }), skip({ 1: "7" })]);
  expect(await isSkipped()).toBe(true);
});

test("the revision is that of the first page: what is written meanwhile is read by the next poll", async () => {
  const fetchPages = async function* () {
    const page = (revision: string, nextCursor: string | null) => ({
      ...{ mentions: [negative(`of ${revision}`, NOON - HOUR)], rejected: [], nextCursor, total: 2 },
      ...{ pageSize: 1, revision },
    });
    yield page("7", "a");
    yield page("9", null);
  };
  await pollQuery(parts({ fetchPages }), ADDED, new AbortController().signal);
  clock.advance(MINUTE);
  await skip({ 1: "9" });
  expect(await isSkipped()).toBe(false);
  await skip({ 1: "7" });
  expect(await isSkipped()).toBe(true);
});

test.each([
  ["Skips", {}],
  ["Changed", { revision: "6" }],
  ["OfAnotherVersion", { version: "a1" }],
  ["OfAnotherVersion", { readAt: NOON - 1 }],
  ["LongAgo", { now: NOON + 6 * HOUR }],
] as const)(
  "%s: %o",
  (decision, {
    now = NOON + 5 * HOUR,
    ...more
  }: Partial<{
    now: number;
    revision: string;
    version: string;
    readAt: number;
  }>) => {
    const read = { ...ADDED, revision: "7", readAt: NOON, version: "b2", ...more };
    const runs = { version: "b2", openedAt: NOON };
    expect(decideSkip(read, new Map([["1", "7"]]), runs, now)).toBe(decision);
  },
);
