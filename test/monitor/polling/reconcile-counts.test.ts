import { sql } from "kysely";
import { beforeEach, expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { reconcile } from "../../../src/monitor/polling/reconcile-counts.ts";
import type { CountedSpan } from "../../../src/monitor/store/coverage.ts";
import { useWalks } from "../ingest/use-polls.ts";

const { clock, db, stores, reset } = useWalks(["1", "2"]);
/** How many mentions the source has of each query; nothing is stored. */
const CLAIMED: Readonly<Record<string, number>> = { "1": 0, "2": 3 };

beforeEach(async () => {
  await reset();
  clock.advance(2 * HOUR);
  await polled();
});

/** All queries were polled to their ends just now. */
async function polled(): Promise<void> {
  clock.advance(MINUTE);
  const now = new Date(clock.now());
  await sql`update earshot.polls set complete_until = ${now}, polled_at = ${now},
    state = case jsonb_typeof(state) when 'object' then state else '{}' end where poll = 'added'`.execute(
    db(),
  );
}

/** `meet`: what a call waits for before it is answered. */
function round(meet: () => Promise<void> = async () => {}): Promise<void> {
  const parts = {
    stores: stores(),
    historyMs: DAY,
    mostQueries: async () => 200,
    countAt: async ({ queryIds }: CountedSpan) => {
      await meet();
      return queryIds.reduce((sum, id) => sum + (CLAIMED[id] ?? 0), 0);
    },
  };
  return reconcile(parts, clock.now());
}

async function checks(): Promise<string[]> {
  const { rows } = await sql<{ ids: string; outcome: string | null }>`
    select array_to_string(query_ids, ' ') as ids, outcome from earshot.count_checks order by asked_at, 1
  `.execute(db());
  return rows.map(({ ids, outcome }) => `${ids}: ${outcome ?? "open"}`);
}

/** The next two calls are answered when both were made. */
function together(): () => Promise<void> {
  let made = 0;
  let answer = (): void => {};
  const both = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return () => {
    made += 1;
    if (made === 2) answer();
    return both;
  };
}

/** Rows of the table of which this holds are refused meanwhile. */
async function refusing(table: string, which: string, work: () => Promise<void>): Promise<void> {
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'out of ink'; end $$`.execute(db());
  await sql
    .raw(
      `create trigger refuse before insert on earshot.${table} for each row when (${which}) execute function refuse()`,
    )
    .execute(db());
  await work();
  await sql`drop function refuse() cascade`.execute(db());
}

test("a check whose halves cannot be stored stays open, and is answered once", async () => {
  await round();
  await polled();
  await refusing("count_checks", "new.query_ids = '{2}'", () =>
    expect(round()).rejects.toThrow("out of ink"),
  );
  expect(await checks()).toEqual(["1 2: open"]);
  await round();
  expect(await checks()).toEqual(["1 2: Narrowed", "1: open", "2: open"]);
});

test("what a check found is stored together: no query is read again for a check that stays open", async () => {
  await round();
  await polled();
  await round();
  await polled();
  await refusing("counted_queries", "new.query_id = '2'", () =>
    expect(round()).rejects.toThrow("out of ink"),
  );
  expect(await checks()).toEqual(["1 2: Narrowed", "1: Agrees", "2: open"]);
  const { rows } = await sql`select from earshot.polls where jsonb_typeof(state -> 'gap') = 'object'`.execute(
    db(),
  );
  expect(rows).toHaveLength(0);
  await round();
  expect(await checks()).toEqual(["1 2: Narrowed", "1: Agrees", "2: Missing"]);
});

test("of two rounds at the same time one asks", async () => {
  const meet = together();
  const { both } = await db()
    .transaction()
    .execute(async (tx) => {
      // Both have looked for questions that wait, or wait for each other, before one is stored.
      await sql`lock table earshot.count_checks in share mode`.execute(tx);
      const rounds = Promise.all([round(meet), round(meet)]);
      await vi.waitFor(async () => {
        const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database()`.execute(db());
        expect(rows).toHaveLength(2);
      });
      return { both: rounds };
    });
  await both;
  expect(await checks()).toEqual(["1 2: open"]);
});

test("of two rounds at the same time one stores the answer", async () => {
  await round();
  await polled();
  const meet = together();
  await Promise.all([round(meet), round(meet)]);
  expect(await checks()).toEqual(["1 2: Narrowed", "1: open", "2: open"]);
});

test("a query whose poll fails for long holds up no check of the others", async () => {
  await round();
  const fail = () =>
    sql`update earshot.polls set failures = 3, polled_at = 'epoch', state = '{"running": {"cursor": "c"}}'
      where query_id = '2' and poll = 'added'`.execute(db());
  for (const expected of [
    ["1 2: Narrowed", "1: open", "2: open"],
    ["1 2: Narrowed", "1: Agrees", "2: Missing"],
  ]) {
    await polled();
    await fail();
    await round();
    expect(await checks()).toEqual(expected);
  }
});

test("a gap that opened since a check was asked is widened, and holds up no check", async () => {
  await round();
  await polled();
  await round();
  await polled();
  const gapAt = clock.now() - MINUTE;
  await sql`update earshot.polls set state = ${JSON.stringify({ gap: { from: gapAt, tries: 9, missing: 1, nextAt: clock.now() + DAY } })}
    where query_id = '2' and poll = 'added'`.execute(db());
  await round();
  expect(await checks()).toEqual(["1 2: Narrowed", "1: Agrees", "2: Missing"]);
  const { rows } = await sql<{ gap: object; asked: number }>`
    select w.state -> 'gap' as gap, c.from_at as asked from earshot.polls w join earshot.count_checks c
      on w.query_id = all(c.query_ids) where w.query_id = '2' and w.poll = 'added'`.execute(db());
  expect(rows[0]?.gap).toEqual({ from: rows[0]?.asked, tries: 9, missing: 1, nextAt: clock.now() + DAY });
});
