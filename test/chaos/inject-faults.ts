import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Random } from "../../src/listening-api/simulate/random.ts";
import { insertFault, type NewFault } from "../../src/listening-api/store/faults.ts";
import type { SlackFault } from "../fakes/slack.ts";
import type { SmtpFault } from "../fakes/smtp.ts";
import { deal, type Kill } from "./plan-kills.ts";
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

/** Faults that are dealt, for Slack by what they disturb. */
export interface VendorFaults {
  readonly slack: ReadonlyMap<string, () => FaultOfMethod>;
  readonly smtp: () => SmtpFault;
  readonly random: Random;
}

export function dealVendorFaults(random: Random): VendorFaults {
  const of = (wanted: string) => SLACK_FAULTS.filter(({ method }) => workOf(method) === wanted);
  const works = new Set(SLACK_FAULTS.map(({ method }) => workOf(method)));
  return {
    slack: new Map([...works].map((work) => [work, deal(of(work), random)])),
    smtp: deal(SMTP_FAULTS, random),
    random,
  };
}

/** The three steps of a chart are one work: with a fault at each, none would get through. */
function workOf(method: string): string {
  return method === "upload" || method.startsWith("files.") ? "chart" : method;
}

/**
 * Adds a fault for each work of Slack and for the next mail, where none waits for its call. Returns the names of those that
 * were added.
 */
export function disturbVendors({ slack, smtp }: World, faults: VendorFaults): string[] {
  const names: string[] = [];
  for (const [work, next] of faults.slack) {
    if (slack.faults.some(({ method = "" }) => workOf(method) === work)) continue;
    const fault = next();
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

/**
 * The same for kinds that have met no call yet: only those, for else a fault at one step keeps all calls from the next. What
 * is asked only before a second try gets a first one that fails. `met`: names.
 */
export function catchUpWithVendors({ slack, smtp }: World, met: ReadonlySet<string>): string[] {
  const missing = SLACK_FAULTS.filter((fault) => !met.has(nameOfSlackFault(fault)));
  const names: string[] = [];
  const add = (fault: FaultOfMethod): void => {
    if (slack.faults.some(({ method }) => method === fault.method)) return;
    slack.faults.push(fault);
    names.push(nameOfSlackFault(fault));
  };
  for (const fault of missing) {
    add(fault);
    const first = ASKED_AFTER.get(fault.method);
    if (first !== undefined) add({ method: first, drop: "before" });
  }
  const mail = SMTP_FAULTS.find(({ code }) => !met.has(`smtp ${code}`));
  if (mail !== undefined && smtp.faults.length === 0) {
    smtp.faults.push(mail);
    names.push(`smtp ${mail.code}`);
  }
  return names;
}

export function nameOfSlackFault(fault: SlackFault): string {
  const of = `slack ${fault.method ?? ""}`;
  if ("answer" in fault)
    return `${of} ${fault.answer.status}${fault.done === true ? " when it was done" : ""}`;
  return "drop" in fault ? `${of} dropped ${fault.drop}` : `${of} hung ${fault.hang}`;
}

export function calmVendors({ slack, smtp }: World): void {
  slack.faults.length = 0;
  smtp.faults.length = 0;
  smtp.breakAfterData = false;
}

const TOO_FAST = { status: 429, headers: { "retry-after": "1" }, body: "" };
const AWAY = { status: 503, body: "" };
const TROUBLE = { status: 200, body: JSON.stringify({ ok: false, error: "internal_error" }) };

const NO_ANSWER = [{ hang: "before" }, { hang: "after" }, { drop: "before" }, { drop: "after" }] as const;
/** Of what changes something. What takes longest comes first: others go on meanwhile. */
const OF_CHANGES = [
  ...NO_ANSWER,
  { answer: TOO_FAST },
  { answer: AWAY },
  { answer: TROUBLE, done: true },
] as const;
/** Of the bytes of a file: their answer is its status alone. */
const OF_BYTES = [...NO_ANSWER, { answer: AWAY }, { answer: AWAY, done: true }] as const;
const OF_QUESTIONS = [
  { hang: "before" },
  { drop: "before" },
  { answer: TOO_FAST },
  { answer: AWAY },
] as const;

const CHANGES = ["chat.postMessage", "chat.update", "files.completeUploadExternal"];
/** They change nothing that anybody sees. */
const QUESTIONS = ["files.getUploadURLExternal", "conversations.history", "conversations.replies"];

type FaultOfMethod = SlackFault & { readonly method: string };
export const SLACK_FAULTS: readonly FaultOfMethod[] = [
  ...CHANGES.flatMap((method) => OF_CHANGES.map((fault) => ({ method, ...fault }))),
  ...OF_BYTES.map((fault) => ({ method: "upload", ...fault })),
  ...QUESTIONS.flatMap((method) => OF_QUESTIONS.map((fault) => ({ method, ...fault }))),
];

/** What is asked before a second try, and the call that has to fail first. */
const ASKED_AFTER: ReadonlyMap<string, string> = new Map([
  ["conversations.history", "chat.postMessage"],
  ["conversations.replies", "files.completeUploadExternal"],
]);

export const SMTP_FAULTS: readonly SmtpFault[] = [
  { at: "mail", code: 421, text: "too busy" },
  { at: "rcpt", code: 450, text: "greylisted" },
  { at: "data", code: 451, text: "try again" },
];
