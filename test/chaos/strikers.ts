import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Random } from "../../src/local-api/simulate/random.ts";
import { insertFault, type NewFault } from "../../src/local-api/store/faults.ts";
import type { SlackFault } from "../fakes/slack.ts";
import type { SmtpFault } from "../fakes/smtp.ts";
import type { Crew } from "./crew.ts";
import type { Strike } from "./plan-strikes.ts";
import { until } from "./until.ts";
import type { World } from "./world.ts";

/** Carries a strike out as soon as what it hits is there. False: it did not come back from an earlier one. */
export async function strike(what: Strike, world: World, crew: Crew): Promise<boolean> {
  const isTables = what.kind !== "worker" && !(what.kind === "queue" && world.redis !== null);
  if (isTables && !(await until(60_000, () => ask(world, "select")))) return false;
  switch (what.kind) {
    case "worker":
      return crew.kill(what.place);
    case "database":
      return killDatabase(world);
    case "queue":
      return world.redis === null ? emptyQueueTables(world) : killRedis(world.redis);
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

/** It keeps nothing, so it comes back empty. */
async function killRedis(redis: NonNullable<World["redis"]>): Promise<boolean> {
  await redis.stop();
  await redis.start();
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
  where datname = current_database() and pid <> pg_backend_pid() and application_name like 'earshot%'`;

async function ask({ factsPool }: World, sql: string): Promise<boolean> {
  try {
    await factsPool.query(sql);
    return true;
  } catch {
    return false;
  }
}

/** Every kind of fault that the local API knows, as long as the strikes last. */
export async function disturbApi({ api }: World): Promise<void> {
  for (const [kind, probability, amount] of API_FAULTS) {
    const path = MENTIONS_ONLY.has(kind) ? "data/mentions" : null;
    await insertFault(api, { kind, probability, amount, path, remaining: null });
  }
}

const API_FAULTS: readonly (readonly [NewFault["kind"], number, number | null])[] = [
  ["429", 0.01, 500],
  ["500", 0.02, null],
  ["502", 0.02, null],
  ["503", 0.02, null],
  ["slow", 0.03, 400],
  ["dropped", 0.02, null],
  ["truncated", 0.02, null],
  ["hang-up", 0.02, null],
  ["token-revoked", 0.005, null],
  ["cursor-refused", 0.03, null],
  ["cursor-ends", 0.2, null],
  ["duplicates", 0.2, 3],
  ["empty-page", 0.02, null],
  ["wrong-total", 0.03, 5],
  ["late", 0.3, 4_000],
];
const MENTIONS_ONLY = new Set(["empty-page", "late", "wrong-total", "duplicates"]);

/** Lets something go wrong with the next message to a vendor. */
export function disturbVendors({ slack, smtp }: World, random: Random): void {
  if (slack.faults.length < 2) slack.faults.push(random.weighted(SLACK_FAULTS));
  if (smtp.faults.length === 0) smtp.faults.push(random.pick(SMTP_FAULTS));
  if (random.chance(0.05)) smtp.breakAfterData = true;
}

export function calmVendors({ slack, smtp }: World): void {
  slack.faults.length = 0;
  smtp.faults.length = 0;
  smtp.breakAfterData = false;
}

const method = "chat.postMessage";
const SLACK_FAULTS: readonly (readonly [SlackFault, number])[] = [
  [{ method, answer: { status: 429, headers: { "retry-after": "1" }, body: "" } }, 3],
  [{ method, answer: { status: 503, body: "" } }, 3],
  [{ method, drop: "before" }, 3],
  [{ method, drop: "after" }, 3],
  [{ method, hang: "before" }, 1],
  [{ method, hang: "after" }, 1],
];
const SMTP_FAULTS: readonly SmtpFault[] = [
  { at: "mail", code: 421, text: "too busy" },
  { at: "rcpt", code: 450, text: "greylisted" },
  { at: "data", code: 451, text: "try again" },
];
