import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Random } from "../../src/listening-api/simulate/random.ts";
import { insertFault, type NewFault } from "../../src/listening-api/store/faults.ts";
import type { SlackFault } from "../fakes/slack.ts";
import type { SmtpFault } from "../fakes/smtp.ts";
import type { Kill } from "./plan-kills.ts";
import { until } from "./until.ts";
import type { WorkerPool } from "./worker-pool.ts";
import type { World } from "./world.ts";

/** Kills the target as soon as it is running. False: it did not come back from an earlier kill. */
export async function kill(what: Kill, world: World, workers: WorkerPool): Promise<boolean> {
  const isRedis = what.kind === "older queue" || (what.kind === "queue" && world.redis !== null);
  const isTables = what.kind !== "worker" && !isRedis;
  if (isTables && !(await until(60_000, () => ask(world, "select")))) return false;
  switch (what.kind) {
    case "worker":
      return workers.kill(what.slot);
    case "database":
      return killDatabase(world);
    case "queue":
      return world.redis === null ? emptyQueueTables(world) : killRedis(world.redis, "empty");
    case "older queue":
      return world.redis !== null && killRedis(world.redis, "older");
    case "connections":
      return ask(world, CUT_CONNECTIONS);
  }
}

/** The postmaster and all its children at once, as when memory runs out. It is started again by its supervisor. */
async function killDatabase({ facts }: World): Promise<boolean> {
  const { stdout } = await promisify(execFile)("pgrep", ["-P", String(facts.pid)]).catch(() => ({
    stdout: "",
  }));
  const children = stdout.split("\n").filter((line) => line !== "");
  if (children.length === 0) return false;
  for (const pid of [facts.pid, ...children.map(Number)]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone already.
    }
  }
  return true;
}

/** It comes back without anything, or with stale jobs: what it had a second before. */
async function killRedis(redis: NonNullable<World["redis"]>, how: "empty" | "older"): Promise<boolean> {
  await redis.stop();
  await (how === "empty" ? redis.start() : redis.startOlder());
  return true;
}

/** What a killed Redis is to queues in Redis. */
function emptyQueueTables(world: World): Promise<boolean> {
  return ask(
    world,
    "truncate earshot_queue.job, earshot_queue.scheduler, earshot_queue.dedup, earshot_queue.dedup_next cascade",
  );
}

const CUT_CONNECTIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

async function ask({ factsPool }: World, sql: string): Promise<boolean> {
  try {
    await factsPool.query(sql);
    return true;
  } catch {
    return false;
  }
}

/** Adds a fault of the local API, for the next call that it can happen to. */
export async function disturbApi({ api }: World, fault: ApiFault): Promise<void> {
  const [kind, amount] = fault;
  await insertFault(api, {
    kind,
    probability: 1,
    amount,
    path: "data/mentions",
    remaining: MOST_AT_ONCE.get(kind) ?? 1,
  });
}

/** A fault that only hits a second page needs more than one try. */
const MOST_AT_ONCE: ReadonlyMap<NewFault["kind"], number> = new Map([
  ["late", 3],
  ["cursor-refused", 1],
]);

export type ApiFault = readonly [NewFault["kind"], number | null];

export const API_FAULTS: readonly ApiFault[] = [
  ["429", 500],
  ["500", null],
  ["502", null],
  ["503", null],
  ["slow", 400],
  ["dropped", null],
  ["truncated", null],
  ["hang-up", null],
  ["token-revoked", null],
  ["cursor-refused", null],
  ["cursor-ends", null],
  ["duplicates", 3],
  ["empty-page", null],
  ["wrong-total", 5],
  ["late", 4_000],
];

/** Adds a fault for the next message to each vendor. Returns the names of those that were added. */
export function disturbVendors(
  { slack, smtp }: World,
  faults: { readonly slack: () => SlackFault; readonly smtp: () => SmtpFault; readonly random: Random },
): string[] {
  const names: string[] = [];
  // One that waits for its call holds up no other.
  if (slack.faults.length < 4) {
    const fault = faults.slack();
    slack.faults.push(fault);
    names.push(nameOfSlackFault(fault));
  }
  if (smtp.faults.length === 0) {
    const fault = faults.smtp();
    smtp.faults.push(fault);
    names.push(`smtp ${fault.code}`);
  }
  if (faults.random.chance(0.05)) smtp.breakAfterData = true;
  return names;
}

export function nameOfSlackFault(fault: SlackFault): string {
  const of = `slack ${fault.method ?? ""}`;
  if ("answer" in fault) return `${of} ${fault.answer.status}`;
  return "drop" in fault ? `${of} dropped ${fault.drop}` : `${of} hung ${fault.hang}`;
}

export function calmVendors({ slack, smtp }: World): void {
  slack.faults.length = 0;
  smtp.faults.length = 0;
  smtp.breakAfterData = false;
}

const method = "chat.postMessage";
export const SLACK_FAULTS: readonly SlackFault[] = [
  { method, answer: { status: 429, headers: { "retry-after": "1" }, body: "" } },
  { method, answer: { status: 503, body: "" } },
  { method, drop: "before" },
  { method, drop: "after" },
  { method, hang: "before" },
  { method, hang: "after" },
  { method: "chat.update", answer: { status: 429, headers: { "retry-after": "1" }, body: "" } },
  { method: "chat.update", drop: "before" },
  { method: "chat.update", drop: "after" },
  // Asked before a second try.
  { method: "conversations.history", answer: { status: 503, body: "" } },
];
export const SMTP_FAULTS: readonly SmtpFault[] = [
  { at: "mail", code: 421, text: "too busy" },
  { at: "rcpt", code: 450, text: "greylisted" },
  { at: "data", code: 451, text: "try again" },
];
