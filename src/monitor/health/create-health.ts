import { setTimeout as delay } from "node:timers/promises";
import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { Failure } from "../model/failure.ts";
import type { HealthProblem } from "../model/operator-rules.ts";
import type { FeedHealth, QueryRhythm } from "../model/pipeline-facts.ts";
import { OWN_QUERY } from "../model/query.ts";
import type { Notifier } from "../notify/define-notifier.ts";
import { type DeliverParts, deliver } from "../notify/deliver/deliver.ts";
import { definitionOf } from "../notify/notifiers.ts";
import type { ReceiverConfig } from "../notify/receiver-config.ts";
import type { Stores } from "../store/stores.ts";
import { checkHeartbeat, type Heartbeat } from "./check-heartbeat.ts";
import { findProblems } from "./checks.ts";
import { beat, type HeartbeatConfig, type HeartbeatState } from "./heartbeat.ts";
import type { OutageLog } from "./note-outages.ts";
import type { OperatorConfig } from "./operators.ts";
import { type PipelineReadings, readPipelineHealth } from "./read-pipeline-health.ts";

/** What it needs of the configuration. */
interface HealthConfig {
  readonly operator: OperatorConfig;
  readonly heartbeat?: HeartbeatConfig;
  readonly receivers: readonly ReceiverConfig[];
  readonly sources: PipelineReadings["sources"];
}

interface HealthParts {
  readonly config: HealthConfig;
  /** Opens, continues and resolves alerts about Earshot itself, of which these failing receivers are not notified. */
  readonly recordProblems: (
    problems: readonly HealthProblem[],
    failing: ReadonlySet<string>,
  ) => Promise<unknown>;
  readonly stores: Stores;
  readonly notifiers: ReadonlyMap<string, Notifier>;
  readonly deliver: DeliverParts;
  readonly outages: OutageLog;
  /** How the public feeds are. */
  readonly feedHealth: () => Promise<readonly FeedHealth[]>;
  /** Whether sweeps run automatically. */
  readonly sweepsRun: boolean;
  /** When this process began to work. */
  readonly startedAt: Instant;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface HealthReport {
  readonly problems: readonly HealthProblem[];
  readonly heartbeat: Heartbeat;
}

/** The interval (wall time) of reading usual numbers and of checking failing receivers. */
const SLOW_MS = 5 * MINUTE;
/** Days that make up the usual numbers of a query. */
const RHYTHM_DAYS = 14;

/**
 * The health checks: read the facts, judge them, update the alerts about Earshot itself, notify the operators without
 * using the queue, and send the heartbeat while all is well. Any number of processes may check at the same time.
 */
export function createHealth(parts: HealthParts): { checkHealth(): Promise<HealthReport> } {
  const { config, stores, startedAt, clock, log, signal } = parts;
  let rhythms: readonly QueryRhythm[] = [];
  let offsetMs: number | null = null;
  /** How far the clock moved since the last check beyond the time that passed. A clock moved by hand never jumps. */
  const jumpOf = (now: Instant): number => {
    const before = offsetMs;
    offsetMs = now - monotonicMs() * clock.speed;
    return before === null || clock.speed === 0 ? 0 : (offsetMs - before) / clock.speed;
  };
  let slowAt = Number.NEGATIVE_INFINITY;
  return {
    checkHealth: async () => {
      await parts.outages.write();
      const now = clock.now();
      if (monotonicMs() - slowAt >= SLOW_MS || clock.speed === 0) {
        slowAt = monotonicMs();
        rhythms = await stores.health.rhythms(now, config.operator.silence, RHYTHM_DAYS);
        await checkFailingReceivers(parts);
      }
      const health = await readPipelineHealth({
        stores,
        receivers: config.receivers.map(({ name }) => name),
        addresses: addressesOf(config),
        withButtons: withButtons(config),
        receiversOf: parts.deliver.receiversOf,
        feeds: await parts.feedHealth(),
        sources: config.sources,
        upForMs: now - startedAt,
        sweepsRun: parts.sweepsRun,
        rhythms,
        jumpedMs: jumpOf(now),
        now,
      });
      const settings = paced(config.operator, clock.speed);
      const problems = findProblems(health, settings);
      const failing = new Set(problems.flatMap(({ labels }) => labels["receiver"] ?? []));
      await parts.recordProblems(problems, failing);
      await notifyOperators(parts);
      const heartbeat = checkHeartbeat(health, problems, settings);
      const state: HeartbeatState = { at: now, ...heartbeat };
      await beat(config.heartbeat, state, { stores, log, signal });
      return { problems, heartbeat };
    },
  };
}

function addressesOf({ receivers }: HealthConfig): ReadonlyMap<string, string> {
  return new Map(
    receivers.flatMap(({ name, notifier }): [string, string][] => {
      const address = definitionOf(notifier).reader?.(notifier);
      return address === undefined ? [] : [[name, address]];
    }),
  );
}

function withButtons({ receivers }: HealthConfig): ReadonlySet<string> {
  const some = receivers.filter(({ notifier }) => definitionOf(notifier).interactions !== undefined);
  return new Set(some.map(({ name }) => name));
}

/** The limits are real time: a demo runs faster than it can be polled. */
function paced(settings: OperatorConfig, speed: number): OperatorConfig {
  const factor = Math.max(1, speed);
  return {
    ...settings,
    lag: settings.lag * factor,
    digestLate: settings.digestLate * factor,
    standstill: settings.standstill * factor,
  };
}

/**
 * Clears the failures of receivers whose own checks pass after they had failed. All at once: the loop waits for them, and
 * several that hang would hold up the heartbeat and the messages to the operators.
 */
async function checkFailingReceivers(parts: HealthParts): Promise<void> {
  const failing = (await parts.stores.failures.open()).filter(({ kind }) => kind === "receiver");
  await Promise.all(failing.map((failure) => checkFailingReceiver(parts, failure)));
}

async function checkFailingReceiver(
  { stores, notifiers, signal }: HealthParts,
  { scope, checkFailed }: Pick<Failure, "scope" | "checkFailed">,
): Promise<void> {
  const notifier = notifiers.get(scope);
  if (notifier === undefined) return stores.failures.clear("receiver", [scope]);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(CHECK_PATIENCE_MS)]);
  const works = await notifier.check({ signal: patience }).then(
    () => true,
    () => false,
  );
  if (works && checkFailed) await stores.failures.clear("receiver", [scope]);
  else if (!works) await stores.failures.noteCheck(scope, true);
}

const CHECK_PATIENCE_MS = 15_000;

/** Sent directly and not by a job: the queue itself may stand still. The row is claimed like any other. */
async function notifyOperators(parts: HealthParts): Promise<void> {
  const due = await parts.stores.health.ownDue(OWN_QUERY.projectId);
  await Promise.all(
    due.map(async (job) => {
      const result = await deliver(parts.deliver, job, parts.signal).catch((error: unknown) => ({
        outcome: "Failed" as const,
        error: describeError(error),
      }));
      if (result.outcome === "Failed" || result.outcome === "Dead")
        parts.log.warn({ ...job, ...result }, "an operator could not be notified");
    }),
  );
}

/** Pause between two checks. */
const EVERY_MS = 5_000;

/**
 * Checks the health until `signal` aborts. It has its own timer and is no job, because it must notice a queue that
 * stands still. A failed check (the database is down) is repeated.
 */
export async function checkHealthLoop(
  health: { checkHealth(): Promise<unknown> },
  parts: { readonly onFailed: (error: unknown) => void; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const { onFailed, log, signal } = parts;
  while (!signal.aborted) {
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    await health.checkHealth().catch((error: unknown) => {
      if (signal.aborted) return;
      onFailed(error);
      log.warn({ error: describeError(error) }, "the health check failed");
    });
  }
}
