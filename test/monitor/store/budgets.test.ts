import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { monotonicMs } from "../../../src/lib/clock.ts";
import { MINUTE, SECOND } from "../../../src/lib/instant.ts";
import { PRIORITIES } from "../../../src/monitor/model/poll.ts";
import { slotsOf } from "../../../src/monitor/polling/planner/allowance.ts";
import { type CallSlot, createBudgetStore } from "../../../src/monitor/store/budgets.ts";
import { type Database, openDatabase } from "../../../src/monitor/store/database.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";
import { runs } from "../../runs.ts";
import { changedBy } from "./changed-by.ts";
import { begun } from "./waiting.ts";

let testDatabase: TestDatabase;
/** Eight workers, each a process with connections of its own. */
let workers: Database[];
let nowMs = 0;
const manual = () => sql`to_timestamp(${nowMs}::double precision / 1000)`;
let account = "";
let accounts = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const onError = (error: Error) => expect.fail(error.message);
  workers = Array.from({ length: 8 }, () => openDatabase({ url: testDatabase.url, connections: 2, onError }));
});
afterAll(async () => {
  for (const worker of workers) await worker.close();
  await testDatabase.drop();
});
beforeEach(() => newAccount());

function newAccount(): void {
  account = `account ${accounts++}`;
  nowMs = Date.UTC(2026, 2, 2);
}

function budgetOf(worker: number, now?: () => ReturnType<typeof manual>) {
  return createBudgetStore((workers[worker] as Database).db, account, now);
}

const anotherBudget = () => createBudgetStore(db(), `another ${account}`, manual);
const db = () => (workers[0] as Database).db;

const LIMIT = { limit: 6, periodMs: 10 * MINUTE };
const ALL = { from: 1, to: LIMIT.limit };
const ASKED = { slots: ALL, priority: "live", timeoutMs: MINUTE } as const;

/** The most of these moments that lie in one rolling window. */
function mostInWindow(calls: readonly number[], periodMs: number): number {
  return Math.max(0, ...calls.map((at) => calls.filter((one) => one >= at && one < at + periodMs).length));
}

test("before anybody has said so, the documented default of the API holds", async () => {
  expect(await budgetOf(0).read()).toMatchObject({
    limit: { limit: 30, periodMs: 10 * MINUTE },
    learnedFrom: "assumed",
    used: 0,
  });
});

test("eight workers that take calls as fast as they can never pass the limit in any rolling window", async () => {
  const limit = { limit: 10, periodMs: 400 };
  await budgetOf(0).learn(limit, "client");
  const calls: number[] = [];
  const until = monotonicMs() + 2_500;
  await Promise.all(
    workers.map(async (_, index) => {
      const budget = budgetOf(index);
      while (monotonicMs() < until) {
        const slots = { from: 1, to: 10 };
        const taken = await budget.take(limit, { slots, priority: "live", timeoutMs: 1_000 });
        if (taken === null) continue;
        // The call reaches the source at some moment between taking and settling.
        calls.push(monotonicMs());
        await budget.settle(taken, limit.periodMs);
      }
    }),
  );
  expect(mostInWindow(calls, limit.periodMs)).toBe(10);
  // And the budget is used: a window is a little longer than the period, by the time that taking takes.
  expect(calls.length).toBeGreaterThan(30);
});

test("with any number of workers and any delay of answers, no window has a call too many", async () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 4 * MINUTE }),
    takers: fc.array(fc.constantFrom(...PRIORITIES), { minLength: 0, maxLength: 8 }),
    /** How many of the calls under way are answered now, the oldest last. */
    answers: fc.integer({ min: 0, max: 8 }),
    used: fc.option(fc.integer({ min: 0, max: 8 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      newAccount();
      await budgetOf(0, manual).learn(LIMIT, "client");
      const under: { taken: CallSlot; takenAt: number }[] = [];
      const calls: number[] = [];
      for (const { waitMs, takers, answers, used } of steps) {
        nowMs += waitMs;
        // An answer does not come later than its timeout.
        for (const late of under.splice(0)) {
          if (late.takenAt + ASKED.timeoutMs >= nowMs) under.push(late);
          else calls.push(late.takenAt + ASKED.timeoutMs);
        }
        for (const { taken } of under.splice(-answers, answers)) {
          calls.push(nowMs);
          await budgetOf(1, manual).settle(taken, LIMIT.periodMs);
        }
        if (used !== null) await budgetOf(2, manual).reconcile(LIMIT, used);
        const taken = await Promise.all(
          takers.map((priority, index) => budgetOf(index, manual).take(LIMIT, { ...ASKED, priority })),
        );
        for (const one of taken) if (one !== null) under.push({ taken: one, takenAt: nowMs });
        const window = calls.filter((at) => at > nowMs - LIMIT.periodMs).length;
        expect(window + under.length).toBeLessThanOrEqual(LIMIT.limit);
      }
      for (const { takenAt } of under) calls.push(takenAt);
      expect(mostInWindow(calls, LIMIT.periodMs)).toBeLessThanOrEqual(LIMIT.limit);
    }),
    { numRuns: runs(40) },
  );
});

test("a place is free one window after the answer, not after the question", async () => {
  const budget = budgetOf(0, manual);
  await budget.learn({ limit: 1, periodMs: MINUTE }, "client");
  const ask = () =>
    budget.take(
      { limit: 1, periodMs: MINUTE },
      { ...ASKED, slots: { from: 1, to: 1 }, timeoutMs: 30 * SECOND },
    );
  const taken = await ask();
  nowMs += 20 * SECOND;
  await budget.settle(taken as CallSlot, MINUTE);
  nowMs += MINUTE - 1;
  expect(await ask()).toBeNull();
  expect(await budget.waitMs({ from: 1, to: 1 })).toBe(1);
  nowMs += 1;
  expect(await ask()).not.toBeNull();
});

test("a worker that dies with a call in its hands gives it back after its timeout and a window", async () => {
  const budget = budgetOf(0, manual);
  await budget.learn({ limit: 1, periodMs: MINUTE }, "client");
  const asked = { ...ASKED, slots: { from: 1, to: 1 }, timeoutMs: 30 * SECOND };
  await budget.take({ limit: 1, periodMs: MINUTE }, asked);
  nowMs += 90 * SECOND - 1;
  expect(await budget.take({ limit: 1, periodMs: MINUTE }, asked)).toBeNull();
  nowMs += 1;
  expect(await budget.take({ limit: 1, periodMs: MINUTE }, asked)).not.toBeNull();
});

test("calls that others make with the account take slots as soon as an answer shows them", async () => {
  const budget = budgetOf(0, manual);
  await budget.learn(LIMIT, "client");
  await budget.take(LIMIT, ASKED);
  await Promise.all(workers.map((_, index) => budgetOf(index, manual).reconcile(LIMIT, 4)));
  expect(await budget.read()).toMatchObject({ used: 4, usedByOthers: 3 });
  nowMs += LIMIT.periodMs;
  expect(await budget.read()).toMatchObject({ usedByOthers: 0 });
});

test("a refusal closes the budget until a place of ours is free again, and a second one for longer", async () => {
  const budget = budgetOf(0, manual);
  await budget.learn(LIMIT, "client");
  const taken = await budget.take(LIMIT, ASKED);
  await budget.settle(taken as CallSlot, LIMIT.periodMs);
  nowMs += 4 * MINUTE;
  await budget.refuse(null);
  expect(await budget.take(LIMIT, ASKED)).toBeNull();
  expect(await budget.waitMs(ALL)).toBe(6 * MINUTE);
  nowMs += 6 * MINUTE;
  expect(await budget.take(LIMIT, ASKED)).not.toBeNull();
  await budget.refuse(null);
  expect((await budget.read()).closedForMs).toBe(LIMIT.periodMs / 4);
  await budget.accept();
  await budget.refuse(20 * MINUTE);
  expect((await budget.read()).closedForMs).toBe(20 * MINUTE);
});

test("a limit that shrinks counts the calls that were made under the larger one", async () => {
  const budget = budgetOf(0, manual);
  const large = { limit: 20, periodMs: 10 * MINUTE };
  await budget.learn(large, "client");
  for (let i = 0; i < 12; i++) await budget.take(large, { ...ASKED, slots: { from: 1, to: 20 } });
  await budget.learn(LIMIT, "answer");
  expect(await budget.take(LIMIT, ASKED)).toBeNull();
  nowMs += LIMIT.periodMs + ASKED.timeoutMs;
  expect(await budget.take(LIMIT, ASKED)).not.toBeNull();
});

test("no priority starves: each end of the window is kept for one of them", async () => {
  const limit = { limit: 30, periodMs: 10 * MINUTE };
  const budget = budgetOf(0, manual);
  await budget.learn(limit, "client");
  const { of } = slotsOf(30);
  const takeAll = async (priority: (typeof PRIORITIES)[number]) => {
    let count = 0;
    while ((await budget.take(limit, { slots: of[priority], priority, timeoutMs: MINUTE })) !== null) count++;
    return count;
  };
  expect(await takeAll("shell")).toBe(25);
  expect(await takeAll("live")).toBe(1);
  expect(await takeAll("background")).toBe(1);
  expect(await takeAll("crisis")).toBe(1);
  expect((await budget.read()).used).toBe(28);
});

test("planned calls are spread over the window, for all processes together", async () => {
  await budgetOf(0, manual).learn(LIMIT, "client");
  const turns = async () =>
    (await Promise.all(workers.map((_, index) => budgetOf(index, manual).nextTurn(MINUTE, MINUTE))))
      .filter((turn) => turn !== null)
      .sort((a, b) => a - b);
  expect(await turns()).toEqual([1, 2]);
  nowMs += MINUTE;
  expect(await turns()).toEqual([3]);
  nowMs += MINUTE / 2;
  expect(await turns()).toEqual([]);
  nowMs += MINUTE;
  expect(await turns()).toEqual([4]);
});

test("calls that fell due between two sweeps are made up for, those before them are not", async () => {
  const budget = budgetOf(0, manual);
  await budget.learn(LIMIT, "client");
  const turns = async (): Promise<number> => {
    let count = 0;
    while ((await budget.nextTurn(SECOND / 4, SECOND)) !== null) count++;
    return count;
  };
  await turns();
  nowMs += SECOND;
  expect(await turns()).toBe(4);
  nowMs += MINUTE;
  expect(await turns()).toBe(5);
});

test("a call is taken within the limit that holds, and once the source answers again, whatever another account does", async () => {
  const [budget, other] = [budgetOf(0, manual), anotherBudget()];
  for (const one of [budget, other]) await one.learn(LIMIT, "client");
  expect((await budget.read()).pacedMsAgo).toBeNull();
  expect(await budget.take({ ...LIMIT, limit: LIMIT.limit - 1 }, ASKED)).toBeNull();
  expect(await budget.take({ ...LIMIT, periodMs: LIMIT.periodMs + 1 }, ASKED)).toBeNull();
  await other.refuse(MINUTE);
  await budget.accept();
  expect([(await budget.read()).refusals, (await other.read()).refusals]).toEqual([0, 1]);
  expect(await other.take(LIMIT, ASKED)).toBeNull();
  expect([await budget.nextTurn(MINUTE, MINUTE), await other.nextTurn(MINUTE, MINUTE)]).toEqual([1, null]);
  nowMs += MINUTE - 1;
  expect(await other.take(LIMIT, ASKED)).toBeNull();
  nowMs += 1;
  const taken = await other.take(LIMIT, ASKED);
  expect([taken?.slot, await other.nextTurn(MINUTE, MINUTE)]).toEqual([6, 1]);
  expect([await other.waitMs({ from: 6, to: 6 }), await other.waitMs(ALL)]).toEqual([11 * MINUTE, 0]);

  // Its slot is free again and another call's: the end of the first one says nothing about that.
  nowMs += 11 * MINUTE;
  expect((await other.take(LIMIT, ASKED))?.slot).toBe(6);
  await other.settle(taken as CallSlot, 1);
  expect(await other.waitMs({ from: 6, to: 6 })).toBe(11 * MINUTE);
  // A turn that was planned by a clock that has been set back since says nothing of when the last one was.
  nowMs -= 30 * MINUTE;
  expect((await other.read()).pacedMsAgo).toBeNull();
});

test("calls above a limit that shrinks move to its highest free slots, one each; calls of others take those, too", async () => {
  const [budget, other] = [budgetOf(0, manual), anotherBudget()];
  const large = { limit: 20, periodMs: 10 * MINUTE };
  for (const one of [budget, other]) await one.learn(large, "client");
  for (const slot of [1, 6, 20]) await budget.take(large, { ...ASKED, slots: { from: slot, to: slot } });
  const changed = async (work: () => Promise<unknown>) =>
    (await changedBy(db(), "budget_slots", ["account", "slot"], work)).map((one) =>
      one.replace(account, "own"),
    );
  expect(await changed(() => budget.learn(LIMIT, "client"))).toEqual(["own 5"]);
  expect((await budget.read()).used).toBe(3);
  expect(await changed(() => budget.reconcile(LIMIT, 3))).toEqual([]);
  expect(await changed(() => budget.reconcile(LIMIT, 4))).toEqual(["own 4"]);
  await budget.learn({ ...LIMIT, limit: 3 }, "client");
  nowMs += 20 * MINUTE;
  expect(await changed(() => budget.reconcile({ ...LIMIT, limit: 3 }, 1))).toEqual(["own 3"]);
});

test("whoever takes a slot keeps it while a limit shrinks or calls of others are counted, and nobody waits to take another", async () => {
  const large = { limit: 9, periodMs: 10 * MINUTE };
  for (const count of [
    (store: ReturnType<typeof budgetOf>) => store.reconcile(LIMIT, 3),
    (store: ReturnType<typeof budgetOf>) => store.learn(LIMIT, "client"),
  ]) {
    newAccount();
    const budget = budgetOf(0, manual);
    await budget.learn(large, "client");
    // A call above the limit to come.
    await budget.take(large, { ...ASKED, slots: { from: 9, to: 9 } });
    await sql`update earshot.budgets set calls = ${LIMIT.limit} where account = ${account}`.execute(db());
    const { result, mine, theirs } = await db()
      .transaction()
      .execute(async (tx) => {
        const held = await createBudgetStore(tx, account, manual).take(LIMIT, ASKED);
        const next = await begun(db(), () =>
          budgetOf(1, manual).take(LIMIT, { ...ASKED, slots: { from: 1, to: 6 } }),
        );
        expect(next.waits).toBe(false);
        return {
          mine: held,
          theirs: await next.result,
          ...(await begun(db(), () => count(budgetOf(2, manual)))),
        };
      });
    await result;
    expect([mine?.slot, theirs?.slot]).toEqual([6, 5]);
    // Both calls are there still, and end.
    const settled = async (slot: CallSlot | null) =>
      changedBy(db(), "budget_slots", ["slot"], () => budget.settle(slot as CallSlot, 1));
    expect([await settled(mine), await settled(theirs)]).toEqual([["6"], ["5"]]);
  }
});
