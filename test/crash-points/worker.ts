import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { parseConfig } from "../../src/admin/config/config.ts";
import { forget } from "../../src/admin/forget.ts";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import { type Earshot, startEarshot } from "../../src/monitor/monitor.ts";
import { createUnsubscribing, linkSecret } from "../../src/monitor/notify/view/signed-links.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { correctMention } from "./correct-mention.ts";
import { POLLS_THAT_WAIT, runLoopsOnce } from "./loops.ts";
import { type Addressed, createOutcomes, type Order, type Report } from "./orders.ts";
import { workOnMentions } from "./work-on-mention.ts";

/**
 * Workers with all roles, in one process that waits for orders: loaded, warm, and without a database until an order
 * names it. The clock of a worker does not move between two orders, so everything that is due at a moment is done
 * before the next moment comes. Workers share nothing but the code: each is opened as a new process opens it, and
 * closed and forgotten at its end.
 */
interface Worker {
  readonly earshot: Earshot;
  readonly databaseUrl: string;
  readonly clock: ManualClock;
  readonly done: ReturnType<typeof createOutcomes>;
  /** Leads past every relay. */
  readonly wall: pg.Pool;
  /** The statement that counts jobs that wait or run; null where the queue is not in these tables. */
  readonly countJobs: string | null;
}

const workers = new Map<number, Worker>();

async function run(id: number, order: Order): Promise<Report> {
  if (order.do === "start") {
    workers.set(id, await start(order));
    return { done: "started" };
  }
  const worker = workers.get(id);
  if (order.do === "stop") {
    workers.delete(id);
    await worker?.earshot.stop();
    await worker?.wall.end();
    return { done: "stopped" };
  }
  if (worker === undefined) throw new Error("the worker has not begun to work");
  const { clock, earshot } = worker;
  clock.set(order.now);
  if (order.do === "unsubscribe") {
    const { stores } = earshot;
    const unsubscribing = createUnsubscribing({ stores, secret: await linkSecret(stores), clock });
    if ((await unsubscribing.set(order.token, false)) === null) throw new Error("the link is not taken");
  }
  if (order.do === "resolve") await resolveByLink(worker);
  if (order.do === "replay") await earshot.stores.deadLetters.replay("all", clock.now());
  if (order.do === "forget") await forgetAuthor(worker, order.author);
  if (order.do === "upkeep") await keepUp(worker);
  if (order.do === "work") await workOnMentions(earshot.stores, order.work, clock.now());
  if (order.do === "correct")
    await correctMention(earshot.stores, order.correct, order.to, { now: clock.now() });
  if (order.do === "redeliver") await earshot.stores.notifications.redeliver(order.receiver, 0);
  await settle(worker);
  return { done: "settled" };
}

/**
 * What the console does when somebody follows the link in a mail; it counts as often as the link is followed. Where the
 * alert was lost there is no link to follow, and the comparison of the facts says so.
 */
async function resolveByLink({ earshot: { stores }, clock }: Worker): Promise<void> {
  const [alert] = await stores.alerts.findByPrefix("");
  if (alert === undefined) return;
  const by = { via: "mail", login: "team", typed: null } as const;
  await createAlertActions({ stores, clock }).useLink("resolve", 1, async (actions) => {
    const acted = await actions.act(alert.id, { do: "resolve" }, by);
    return acted?.outcome === "Refused" ? acted.because : null;
  });
}

/** What `earshot forget` does. */
async function forgetAuthor({ earshot: { stores, rules }, clock }: Worker, author: string): Promise<void> {
  const rulesFor: Parameters<typeof forget>[0]["rulesFor"] = (query) =>
    rules.filter((rule) => rule.appliesTo(query));
  const asked = { what: "author", value: author, source: null } as const;
  const by = { via: "shell", login: "ann", typed: null } as const;
  await forget({ stores, clock, rulesFor, local: null, removeCopies: async () => {} }, asked, by);
}

async function start({
  config,
  databaseUrl,
  queue,
  now,
  wallUrl,
}: Extract<Order, { do: "start" }>): Promise<Worker> {
  const clock = createManualClock(now);
  const done = createOutcomes();
  const wall = new pg.Pool({ connectionString: wallUrl, max: 1 });
  wall.on("error", () => {});
  const parsed = await parseConfig(config);
  const earshot = await startEarshot({
    config: parsed,
    databaseUrl,
    queue,
    clock,
    log: createLog({ level: process.env["LOG_LEVEL"] ?? "silent" }),
    roles: ROLES,
    watchFrom: now,
    sweepEveryMs: null,
    checksHealth: false,
    consoleUrl: () => "http://console.example",
    onDone: done.notify,
  });
  await earshot.refreshQueries();
  const countJobs =
    queue.kind === "postgres"
      ? `select count(*)::int as n from ${queue.schema}.job where state in ('waiting', 'active')`
      : null;
  return { earshot, databaseUrl, clock, done, wall, countJobs };
}

/** A page is counted half a minute after it came, by the wall's clock. Then each loop has its round. */
async function keepUp(worker: Worker): Promise<void> {
  await worker.wall.query("select harness.put_forward($1)", [GATHERED_S]);
  await worker.earshot.sweep();
  await idle(worker);
  await runLoopsOnce(worker);
}

const GATHERED_S = 31;

/**
 * Waits until no worker is busy and the tables say that nothing is due. Work that waits for the wall's clock (a retry,
 * the next edit) waits only until all busy workers are done: then that clock is moved forward.
 */
async function settle(worker: Worker): Promise<void> {
  const { earshot, wall } = worker;
  const { dueWork, notifications } = earshot.stores;
  let swept = {};
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    await idle(worker);
    // Asked before the sweep: what becomes due between the two is waited for here, or is found there.
    const waiting = (await dueWork.unsettled()) + (await notifications.unsettled());
    const [later] = (await wall.query<{ seconds: number }>(LATER, [new Date(worker.clock.now())])).rows;
    swept = await earshot.sweep();
    const due = Object.values<number>(swept).reduce((sum, count) => sum + count, 0);
    if (due > 0) continue;
    if (waiting === 0 && later === undefined) return;
    const seconds = waiting > 0 ? STEP_S : Math.max(STEP_S, later?.seconds ?? 0);
    await wall.query("select harness.put_forward($1)", [seconds]);
  }
  throw new Error(
    `nothing settles: ${JSON.stringify(swept)} at ${new Date(worker.clock.now()).toISOString()}`,
  );
}

const MOST_ROUNDS = 200;
const STEP_S = 2;

/**
 * In how many seconds the next of this is due. A worker that died has corrections longer than the harness lets pass at a
 * death; an edit that failed is tried later, and not before its channel is open again.
 */
const LATER = `select seconds::float8 from (
  select ${STEP_S} as seconds from earshot.corrections where problem is null
  union all select extract(epoch from next_edit_wall - now()) from earshot.alert_messages
    where watched and next_edit_wall > now()
  union all select extract(epoch from closed_until_wall - now()) from earshot.channel_limits
    where closed_until_wall > now()
  union all select ${STEP_S} where exists (${POLLS_THAT_WAIT})
  ) later order by seconds limit 1`;

/** Until no job waits or runs. */
async function idle(worker: Worker): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    quiet = (await openJobs(worker)) === 0 ? quiet + 1 : 0;
    if (quiet === 0) await worker.done.next(LOOK_MS);
    else if (quiet < 2) await delay(2);
  }
}

const LOOK_MS = 20;

/**
 * On PostgreSQL one statement says that jobs are open, where BullMQ would take one for each queue. That none is, is asked of
 * the queues: they know what was handed over without the engine.
 */
async function openJobs({ earshot, wall, countJobs }: Worker): Promise<number> {
  if (countJobs !== null) {
    const { rows } = await wall.query<{ n: number }>({ name: "count jobs", text: countJobs });
    const [{ n } = { n: 0 }] = rows;
    if (n > 0) return n;
  }
  const counts = await earshot.queueCounts();
  return counts.reduce((sum, { waiting, active }) => sum + waiting + active, 0);
}

const report = (said: Report | Addressed<Report>): void => void process.send?.(said, () => {});

process.on("message", ({ worker, ...order }: Addressed<Order>) => {
  run(worker, order as Order).then(
    (said) => report({ worker, ...said }),
    (error: unknown) =>
      report({ worker, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// The process that gave the orders has ended.
process.on("disconnect", () => process.exit(1));
process.on("error", () => process.exit(1));
report({ done: "ready" });
