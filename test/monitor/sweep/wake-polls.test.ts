import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { PollKey } from "../../../src/monitor/model/poll.ts";
import { createQueues, type Queues } from "../../../src/monitor/queue/queues.ts";
import { createWorker } from "../../../src/monitor/queue/worker.ts";
import { createPollWaker, type PollWaker } from "../../../src/monitor/sweep/wake-polls.ts";
import { oddQuery } from "../../odd-world.ts";
import { until } from "../../until.ts";
import { useStores } from "../../use-stores.ts";
import { dueWork } from "../store/due-work.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { stores } = await useStores();
const clock = createManualClock(NOON);
const log = pino({ level: "silent" });
const ADDED = { projectId: "p", queryId: "1", poll: "added" } as const;
const UPDATED = { ...ADDED, poll: "updated" } as const;
const ran: PollKey[] = [];
let queues: Queues;
let worker: ReturnType<typeof createWorker>;
let waker: PollWaker;

beforeAll(async () => {
  queues = await createQueues({ backend: { kind: "in-process" }, log });
  const poll = async (key: PollKey) => void ran.push(key);
  worker = createWorker({
    queues,
    log,
    concurrency: { poll: 1 },
    handlers: { "poll-query": poll },
  });
  await worker.start();
  const queries = ["1", "2"].map((queryId) => oddQuery({ queryId }));
  await stores.queries.register(queries, NOON, NOON - DAY);
  await stores.polls.ensure(NOON);
  waker = createPollWaker({ stores, queues, clock, log });
});
afterAll(async () => {
  await waker.close();
  await worker.stop();
  await queues.close();
});
beforeEach(async () => {
  ran.splice(0);
  for (const queryId of ["1", "2"])
    for (const poll of ["added", "updated"] as const) await finish({ ...ADDED, queryId, poll });
});

/** A poll that ended at noon, and is due again an hour later. */
async function finish(key: PollKey, lease?: string): Promise<void> {
  const held = lease ?? (await stores.polls.claim(key, clock.now() + HOUR))?.lease;
  if (held === undefined) throw new Error("the poll is held");
  await stores.polls.finish(key, held, {
    completeUntil: NOON,
    polledAt: clock.now(),
    nextAt: clock.now() + HOUR,
  });
}

const duePolls = async () => (await dueWork(stores, clock.now())).polls;

test("announced queries are polled at once, each poll once however often it is announced", async () => {
  for (let n = 0; n < 20; n++) waker.wake({ added: ["1"], updated: [] });
  await until("the poll ran", () => ran.length > 0, { withinMs: 5_000 });
  expect(ran).toEqual([ADDED]);
  expect(await duePolls()).toEqual([ADDED]);
});

test("a query that is not watched, and an unknown one, wake nothing", async () => {
  waker.wake({ added: ["9"], updated: [] });
  waker.wake({ added: [], updated: ["1"] });
  await until("the other poll ran", () => ran.length > 0, { withinMs: 5_000 });
  expect(ran).toEqual([UPDATED]);
});

test("a poll that was woken while it ran is due again when it ends, and only once", async () => {
  const claimed = await stores.polls.claim(ADDED, clock.now() + HOUR);
  if (claimed === null) throw new Error("it is due");
  waker.wake({ added: ["1"], updated: [] });
  await until("it was woken", () => ran.length > 0, { withinMs: 5_000 });
  await finish(ADDED, claimed.lease);
  expect(await duePolls()).toEqual([ADDED]);
  await finish(ADDED);
  expect(await duePolls()).toEqual([]);
});

test("a poll that waits for a retry goes on waiting", async () => {
  const claimed = await stores.polls.claim(ADDED, clock.now() + HOUR);
  await stores.polls.fail(ADDED, claimed?.lease ?? "", "away", MINUTE);
  waker.wake({ added: ["1"], updated: [] });
  await until("a job was added", () => ran.length > 0, { withinMs: 5_000 });
  expect(await stores.polls.claim(ADDED, clock.now())).toBeNull();
});
