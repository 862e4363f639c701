import { inventLocalSecrets } from "#console";
import { migrateLocalApi } from "#listening-api";
import {
  BUCKET_MS,
  createSettingStore,
  type Earshot,
  loadRules,
  openDatabase,
  openPool,
  ROLES,
  type Rule,
  startEarshot,
  sweepEveryMs,
} from "#monitor";
import { type Clock, createManualClock, createScaledClock, type ManualClock } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import { DAY, floorTo, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { type LocalParts, localConfig, startLocalParts } from "../local/local-parts.ts";
import { runByClock, runStepwise, STEP_MS } from "./drive.ts";
import { importFile, openReplayAccount, type ReplayPlan } from "./import-file.ts";
import { createJobWaiter } from "./job-waiter.ts";
import { openReplayDatabase, replayDatabaseName } from "./replay-database.ts";
import { type ReplayReport, reportOf } from "./report.ts";

/** A multiple of wall time, or as fast as possible. */
export type ReplaySpeed = number | "max";

export interface ReplayOptions {
  readonly file: string;
  readonly speed: ReplaySpeed;
  /** The server that holds the replay's own database. */
  readonly databaseUrl: string;
  /** The Redis of the queues; null for the replay's own database. */
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

/** A running replay: the parts for the console, and its end. */
export interface Replay {
  readonly clock: Clock;
  readonly earshot: Earshot;
  readonly local: LocalParts;
  readonly databaseUrl: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Lines of the file that are no mentions, with the reasons. */
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  /** Runs to the end of the file. Rejects with the signal's reason if aborted; the next start continues from there. */
  run(): Promise<ReplayReport>;
  stop(): Promise<void>;
}

/**
 * Imports a file into the local Listening API and runs the monitor over it. Each file has its own database: an
 * interrupted replay continues, a finished one starts again.
 */
export async function startReplay(options: ReplayOptions): Promise<Replay> {
  const { log, signal } = options;
  const name = await replayDatabaseName(options.file, options.rules);
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
    const secrets = inventLocalSecrets();
    const projectId = await openReplayAccount(pool, options.file, secrets.password);
    const plan =
      ((await settings.get("replay")) as ReplayPlan | null) ??
      (await importFile(pool, {
        file: options.file,
        projectId,
        signal,
        onLines: (lines) => options.onProgress({ phase: "import", lines }),
      }));
    await settings.put("replay", plan);

    const end = plan.to + tailOf((await loadRules(options.rules)).rules);
    const at = ((await settings.get("replay-clock")) as Instant | null) ?? plan.from;
    const clock = clockFor(options.speed, at, end);
    const local = await startLocalParts({ pool, db: book.db, clock, log, secrets });
    closing.add(local.close);
    const waiter = createJobWaiter();
    const earshot = await startEarshot({
      config: await localConfig(local, {
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
      checksHealth: false,
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

function clockFor(speed: ReplaySpeed, at: Instant, last: Instant): Clock {
  if (speed === "max") return createManualClock(at);
  const running = createScaledClock({ startAt: at, speed });
  // Work still running at the end must not see a later time.
  return { speed, now: () => Math.min(running.now(), last) };
}

/** About once a second of wall time, so that a viewer sees mentions arrive; at full speed, once a step. */
function pollEvery(speed: ReplaySpeed): string {
  const ms = speed === "max" ? STEP_MS : Math.min(STEP_MS, Math.max(MINUTE, speed * SECOND));
  return `${Math.round(ms / SECOND)}s`;
}

/** Until every alert that resolves after quiet has resolved, and the bucket that shows it has closed. */
function tailOf(rules: readonly Rule[]): number {
  const quiet = Math.max(0, ...rules.map((rule) => rule.overAfterMs));
  return Math.min(DAY, floorTo(quiet, BUCKET_MS) + 3 * BUCKET_MS);
}
