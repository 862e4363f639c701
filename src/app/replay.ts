import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Earshot, ROLES, startEarshot } from "../app.ts";
import { type Clock, createManualClock, createScaledClock, type ManualClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { DAY, floorTo, type Instant, MINUTE, SECOND, toIso } from "../lib/instant.ts";
import { importJsonl } from "../local-api/import/import-jsonl.ts";
import { seedAccount } from "../local-api/seed-account.ts";
import { migrateLocalApi } from "../local-api/store/migrate-local-api.ts";
import type { Logger } from "../log.ts";
import { BUCKET_MS } from "../model/count-change.ts";
import { loadRules } from "../rules/load-rules.ts";
import type { Rule } from "../rules/rule.ts";
import { openDatabase, openPool } from "../store/database.ts";
import { migrate } from "../store/migrate.ts";
import { createSettingStore } from "../store/settings.ts";
import { dropSiblingDatabase, ensureSiblingDatabase } from "../store/sibling-database.ts";
import { LOCAL_ACCOUNT, type LocalParts, localConfig, startLocalParts, sweepEveryMs } from "./local-parts.ts";

/** How fast: a multiple of the wall, or as fast as the machine goes. */
export type ReplaySpeed = number | "max";

export interface ReplayOptions {
  readonly file: string;
  readonly speed: ReplaySpeed;
  /** The server that holds the replay's own database. */
  readonly databaseUrl: string;
  /** Where the queues live; null: in the replay's own database. */
  readonly redisUrl: string | null;
  readonly rules: string;
  readonly templates: string;
  readonly consoleUrl: () => string | null;
  readonly log: Logger;
  readonly onProgress: (progress: ReplayProgress) => void;
  readonly signal: AbortSignal;
}

export type ReplayProgress =
  | { readonly phase: "import"; readonly lines: number }
  | { readonly phase: "replay"; readonly at: Instant; readonly share: number };

/** What a replay came to. Moments are the replay's own. */
export interface ReplayReport {
  readonly mentions: readonly { readonly query: string; readonly served: number; readonly stored: number }[];
  readonly alerts: readonly {
    readonly rule: string;
    readonly query: string;
    readonly severity: string;
    readonly openedAt: string;
    readonly resolvedAt: string | null;
    readonly mentions: number;
    readonly because: string;
  }[];
  readonly deliveries: readonly {
    readonly receiver: string;
    readonly sent: number;
    readonly failed: number;
    readonly pending: number;
  }[];
  readonly apiCalls: number;
}

/** A replay that is under way: the parts for a page, and its end. */
export interface Replay {
  readonly clock: Clock;
  readonly earshot: Earshot;
  readonly local: LocalParts;
  readonly databaseUrl: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Lines of the file that are no mentions, with their reasons. */
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  /** Runs to the end of the file. Rejects with the signal's reason when it is aborted; the next start goes on from there. */
  run(): Promise<ReplayReport>;
  stop(): Promise<void>;
}

/**
 * Imports a file into the local Listening API and lets the monitor live through it. The replay has a database of its
 * own, named after the file: one that was interrupted goes on where it was, one that had ended begins anew.
 */
export async function startReplay(options: ReplayOptions): Promise<Replay> {
  const { log, signal } = options;
  const name = await databaseName(options.file);
  const url = await openReplayDatabase(options.databaseUrl, name);
  const onError = (error: Error) =>
    log.warn({ error: describeError(error) }, "a database connection of the replay broke");
  return openTogether(async (closing) => {
    const book = openDatabase({ url, connections: 3, onError });
    closing.add(book.close);
    const pool = openPool({ url, connections: 8, onError });
    closing.add(() => pool.end());
    await migrateLocalApi(pool);
    const settings = createSettingStore(book.db);
    const plan = ((await settings.get("replay")) as Plan | null) ?? (await importFile(options, pool));
    await settings.put("replay", plan);

    const end = plan.to + tailOf((await loadRules(options.rules)).rules);
    const at = ((await settings.get("replay-clock")) as Instant | null) ?? plan.from;
    const clock = clockFor(options.speed, at, end);
    const local = await startLocalParts({ pool, db: book.db, clock, log });
    closing.add(local.close);
    const waiter = createWaiter();
    const earshot = await startEarshot({
      config: localConfig(local, {
        rules: options.rules,
        templates: options.templates,
        pollEvery: pollEvery(options.speed),
        updatesEvery: "2h",
      }),
      databaseUrl: url,
      queue: options.redisUrl
        ? { kind: "redis", url: options.redisUrl, prefix: `earshot-${name}` }
        : { kind: "postgres", url, schema: "earshot_queue" },
      clock,
      log,
      roles: ROLES,
      watchFrom: plan.from,
      sweepEveryMs: sweepEveryMs(clock),
      consoleUrl: options.consoleUrl,
      onDone: waiter.done,
    });
    closing.add(earshot.stop);
    await earshot.refreshQueries();

    const keepTime = async (now: Instant): Promise<void> => {
      options.onProgress({
        phase: "replay",
        at: now,
        share: Math.min(1, (now - plan.from) / (end - plan.from)),
      });
      await settings.put("replay-clock", now);
    };
    const run = { clock, earshot, waiter, end, keepTime, signal };
    return {
      clock,
      earshot,
      local,
      databaseUrl: url,
      from: plan.from,
      to: end,
      skipped: plan.skipped,
      run: async () => {
        await (isManual(clock) ? runStepwise({ ...run, clock }) : runByClock(run));
        const report = await reportOf(earshot, local);
        await settings.put("replay", { ...plan, ended: true });
        return report;
      },
      stop: closing.close,
    };
  });
}

function isManual(clock: Clock): clock is ManualClock {
  return clock.speed === 0;
}

interface Plan {
  readonly from: Instant;
  readonly to: Instant;
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  readonly ended: boolean;
}

/** The same file, unchanged, is the same replay. */
async function databaseName(file: string): Promise<string> {
  const found = await stat(file).catch((error: unknown) => {
    throw new UserError(`the file to replay cannot be read: ${describeError(error)}`);
  });
  const hash = createHash("sha256")
    .update(`${basename(file)} ${found.size} ${found.mtimeMs}`)
    .digest("hex");
  return `earshot_replay_${hash.slice(0, 12)}`;
}

/** The replay's own database; made anew when the last run through the file had come to its end. */
async function openReplayDatabase(serverUrl: string, name: string): Promise<string> {
  const found = await ensureSiblingDatabase(serverUrl, name);
  await migrate(found.url);
  if (!found.created && (await hasEnded(found.url))) {
    await dropSiblingDatabase(serverUrl, name);
    await ensureSiblingDatabase(serverUrl, name);
    await migrate(found.url);
  }
  return found.url;
}

async function hasEnded(url: string): Promise<boolean> {
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    const plan = (await createSettingStore(database.db).get("replay")) as Plan | null;
    return plan?.ended === true;
  } finally {
    await database.close();
  }
}

async function importFile(options: ReplayOptions, pool: Parameters<typeof seedAccount>[0]): Promise<Plan> {
  const seeded = await seedAccount(pool, {
    client: { name: "Replay" },
    user: { username: LOCAL_ACCOUNT.username, password: LOCAL_ACCOUNT.password },
    project: { name: projectName(options.file) },
    at: 0,
  });
  const imported = await importJsonl({
    pool,
    path: options.file,
    projectId: seeded.projectId,
    onProgress: ({ linesRead }) => options.onProgress({ phase: "import", lines: linesRead }),
    signal: options.signal,
  });
  if (imported.from === null || imported.to === null) {
    const first = imported.skipped[0];
    throw new UserError(
      `${options.file} holds no mention`,
      first === undefined ? [] : [`line ${first.line}: ${first.reason}`],
    );
  }
  return {
    from: floorTo(imported.from, BUCKET_MS),
    to: imported.to,
    skipped: imported.skipped,
    ended: false,
  };
}

/** `airline-tweets.jsonl` → `Airline tweets`. */
function projectName(file: string): string {
  const words = basename(file)
    .replace(/\.[^.]*$/, "")
    .replaceAll(/[-_]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1) || "Replay";
}

function clockFor(speed: ReplaySpeed, at: Instant, last: Instant): Clock {
  if (speed === "max") return createManualClock(at);
  const running = createScaledClock({ startAt: at, speed });
  // Work that is still under way at the end must not see a time after it.
  return { speed, now: () => Math.min(running.now(), last) };
}

/** About once a second of ours, so that somebody who watches sees mentions come; at full speed, once a step. */
function pollEvery(speed: ReplaySpeed): string {
  const ms = speed === "max" ? STEP_MS : Math.min(STEP_MS, Math.max(MINUTE, speed * SECOND));
  return `${Math.round(ms / SECOND)}s`;
}

/** Until every alert that can end by quiet has ended, and the bucket that shows it has closed. */
function tailOf(rules: readonly Rule[]): number {
  const quiet = Math.max(0, ...rules.map((rule) => rule.overAfterMs));
  return Math.min(DAY, floorTo(quiet, BUCKET_MS) + 3 * BUCKET_MS);
}

interface Run {
  readonly clock: Clock;
  readonly earshot: Earshot;
  readonly waiter: Waiter;
  readonly end: Instant;
  readonly keepTime: (now: Instant) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The clock stands still while anything is due, and then goes on by one poll interval. */
async function runStepwise(run: Run & { readonly clock: ManualClock }): Promise<void> {
  for (let at = run.clock.now(); ; at = Math.min(at + STEP_MS, run.end)) {
    run.clock.set(at);
    await settle(run);
    await run.keepTime(at);
    if (at >= run.end) return;
  }
}

/**
 * Alerts depend on when mentions arrived, not on when they were polled, so the step decides only how fine the messages
 * follow them.
 */
const STEP_MS = 30 * MINUTE;

async function runByClock(run: Run): Promise<void> {
  while (run.clock.now() < run.end) {
    await run.keepTime(run.clock.now());
    await delay(200, undefined, { signal: run.signal });
  }
  await settle(run);
  await run.keepTime(run.end);
}

/**
 * Until the tables say that nothing is due and nobody is at work. Twice in a row: a walk that ends between two of the
 * questions is not due in the first and not held in the second, and the windows that it closed are in neither.
 */
async function settle({ earshot, waiter, signal }: Run): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    signal.throwIfAborted();
    const seen = waiter.count();
    const { polls, windows, deliveries, digests } = await earshot.sweep();
    const due = polls + windows + deliveries + digests;
    const busy = (await earshot.stores.walks.unsettled()) + (await earshot.stores.notifications.inFlight());
    quiet = due + busy === 0 ? quiet + 1 : 0;
    if (due > 0) await waiter.reach(seen + due);
    else if (busy > 0) await waiter.reach(waiter.count() + 1);
  }
}

interface Waiter {
  readonly done: () => void;
  count(): number;
  /** Resolves when so many jobs have ended in all, or after a while: a job may have been another worker's. */
  reach(count: number): Promise<void>;
}

function createWaiter(): Waiter {
  let count = 0;
  let wake: (() => void) | undefined;
  return {
    done: () => {
      count += 1;
      wake?.();
    },
    count: () => count,
    reach: async (wanted) => {
      const late = AbortSignal.timeout(PATIENCE_MS);
      while (count < wanted && !late.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          late.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
  };
}

const PATIENCE_MS = 500;

async function reportOf(earshot: Earshot, local: LocalParts): Promise<ReplayReport> {
  const apiCalls = local.calls();
  const { stores } = earshot;
  const stored = await stores.mentions.countByQuery();
  const served = await earshot.totals();
  const alerts = await stores.alerts.openedBetween(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  return {
    mentions: stored.map((query) => ({
      query: query.name,
      served: served.get(query.queryId) ?? 0,
      stored: query.stored,
    })),
    alerts: alerts
      .filter((alert) => alert.firedAt !== null)
      .map(({ rule, queryName, severity, openedAt, resolvedAt, mentions, because }) => ({
        rule,
        query: queryName,
        severity,
        openedAt: toIso(openedAt),
        resolvedAt: resolvedAt === null ? null : toIso(resolvedAt),
        mentions,
        because,
      })),
    deliveries: await stores.notifications.tally(),
    apiCalls,
  };
}
