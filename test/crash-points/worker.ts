import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createAlertActions } from "../../src/alerts/actions/alert-actions.ts";
import { ROLES } from "../../src/app/roles.ts";
import { type Earshot, startEarshot } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/log.ts";
import { createUnsubscribing, linkSecret } from "../../src/notify/view/signed-links.ts";
import { createOutcomes, type Order, type Report } from "./orders.ts";

/**
 * A worker with all roles, as a process that waits for orders: loaded, warm, and without a database until an order
 * names it. Its clock does not move between two orders, so everything that is due at a moment is done before the next
 * moment comes.
 */
const clock = createManualClock(0);
const done = createOutcomes();
let earshot: Earshot | null = null;
let wall: pg.Pool | null = null;

async function run(order: Order): Promise<Report> {
  if (order.do === "start") return start(order);
  if (order.do === "stop") return stop();
  if (earshot === null) throw new Error("the worker has not begun to work");
  clock.set(order.now);
  if (order.do === "unsubscribe") {
    const { stores } = earshot;
    const unsubscribing = createUnsubscribing({ stores, secret: await linkSecret(stores), clock });
    if ((await unsubscribing.set(order.token, false)) === null) throw new Error("the link is not taken");
  }
  if (order.do === "resolve") await resolveByLink(earshot);
  if (order.do === "replay") await earshot.stores.deadLetters.replay("all", clock.now());
  if (order.do === "redeliver") await earshot.stores.notifications.redeliver(order.receiver, 0);
  await settle(earshot);
  return { done: "settled" };
}

/** What the console does when somebody follows the link in a mail; it counts as often as the link is followed. */
async function resolveByLink({ stores }: Earshot): Promise<void> {
  const [alert] = await stores.alerts.findByPrefix("");
  if (alert === undefined) throw new Error("there is no alert");
  const by = { via: "mail", login: "team", typed: null } as const;
  await createAlertActions({ stores, clock }).useLink("resolve", 1, async (actions) => {
    const acted = await actions.act(alert.id, { do: "resolve" }, by);
    return acted?.outcome === "Refused" ? acted.because : null;
  });
}

async function start({
  config,
  databaseUrl,
  queue,
  now,
  wallUrl,
}: Extract<Order, { do: "start" }>): Promise<Report> {
  clock.set(now);
  wall = new pg.Pool({ connectionString: wallUrl, max: 1 });
  wall.on("error", () => {});
  done.reset();
  const parsed = parseConfig(config);
  earshot = await startEarshot({
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
  return { done: "started" };
}

async function stop(): Promise<Report> {
  await earshot?.stop();
  await wall?.end();
  earshot = null;
  return { done: "stopped" };
}

/**
 * Waits until no worker is busy and the tables say that nothing is due. Work that waits for the wall's clock (a retry,
 * the next edit) waits only until all busy workers are done: then that clock is moved forward.
 */
async function settle(running: Earshot): Promise<void> {
  const { polls, notifications, alertMessages } = running.stores;
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    await idle(running);
    const swept = await running.sweep();
    const due =
      swept.polls +
      swept.windows +
      swept.decisions +
      swept.deliveries +
      swept.edits +
      swept.corrections +
      swept.digests;
    if (due > 0) continue;
    const waiting =
      (await polls.unsettled()) + (await notifications.unsettled()) + (await alertMessages.inHand());
    if (waiting === 0) return;
    await wall?.query("select harness.put_forward($1)", [STEP_S]);
  }
  throw new Error("nothing settles");
}

const MOST_ROUNDS = 200;
const STEP_S = 2;

/** Until no job waits or runs. */
async function idle(running: Earshot): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    const tallies = await running.queueCounts();
    quiet = tallies.every(({ waiting, active }) => waiting + active === 0) ? quiet + 1 : 0;
    if (quiet === 0) await done.next(LOOK_MS);
    else if (quiet < 2) await delay(2);
  }
}

const LOOK_MS = 20;

process.on("message", (order: Order) => {
  run(order).then(
    (report) => process.send?.(report),
    (error: unknown) =>
      process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// The process that gave the orders has ended.
process.on("disconnect", () => process.exit(1));
process.on("error", () => process.exit(1));
process.send?.({ done: "ready" });
