import { type Instant, SECOND } from "../../lib/instant.ts";
import type { LoopDelay } from "../../lib/loop-delay.ts";

/** A running process of the monitor, as it last reported itself. All moments are wall time, by the database's clock. */
export interface RunningProcess {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly roles: readonly string[];
  readonly startedAt: Instant;
  /** The version of the configuration that it runs: a short hash of earshot.yaml, the rules and the templates. */
  readonly version: string;
  /** When it began to run this version. */
  readonly since: Instant;
  /** The newest reload that it did not take; null once it took one. */
  readonly refused: RefusedReload | null;
  /** The newest request to reload that it has answered, by taking or refusing it. */
  readonly answered: string | null;
  /** How late its event loop was during the last minute. */
  readonly loop: LoopDelay;
}

/** So late on average, each piece of work takes several times as long; longer pauses cost a job its lock. */
const LATE_MS = 250;
const LONGEST_PAUSE_MS = 5 * SECOND;

export function isLoopLate({ meanMs, maxMs }: LoopDelay): boolean {
  return meanMs > LATE_MS || maxMs > LONGEST_PAUSE_MS;
}

export interface RefusedReload {
  readonly at: Instant;
  /** One sentence each: why the version before goes on. */
  readonly faults: readonly string[];
  /** Its files are valid, and differ from those that were asked for: this is their version. Null if they have faults. */
  readonly filesAre: string | null;
}

/** A request to all processes: reload your files, which are of this version. */
export interface ReloadRequest {
  readonly id: string;
  readonly version: string;
  readonly at: Instant;
}

/** Which process runs which version of the configuration. */
export interface ProcessVersions {
  /** The version that all should run; null if no process runs. */
  readonly asked: string | null;
  readonly processes: readonly (RunningProcess & {
    /** Null: it runs the version that was asked for; else since when it does not. */
    readonly differsSince: Instant | null;
  })[];
}

/**
 * Compares what runs with what was asked for. A request is out of date when all processes were restarted after it and
 * none of them runs its version: then the version that started last counts.
 */
export function compareVersions(
  processes: readonly RunningProcess[],
  request: ReloadRequest | null,
): ProcessVersions {
  const isCurrent =
    request !== null &&
    processes.some(({ version, startedAt }) => version === request.version || startedAt < request.at);
  const newest = processes.reduce<RunningProcess | null>(
    (last, one) => (last === null || one.startedAt > last.startedAt ? one : last),
    null,
  );
  const asked = (isCurrent ? request.version : newest?.version) ?? null;
  const askedAt = isCurrent
    ? request.at
    : Math.min(...processes.filter(({ version }) => version === asked).map(({ since }) => since));
  return {
    asked: processes.length === 0 ? null : asked,
    processes: processes.map((one) => ({
      ...one,
      differsSince: one.version === asked ? null : Math.max(askedAt, one.since),
    })),
  };
}

/** Why it runs another version than was asked for. */
export function whyOther({ refused, version }: RunningProcess): string {
  return refused === null ? `it was started with version ${version}` : refused.faults.join("; ");
}

/** The state of a request in one process. */
export type ReloadAnswer = "took-up" | "refused" | "waits";

export function answerOf(
  { answered, refused, version, startedAt }: RunningProcess,
  request: ReloadRequest,
): ReloadAnswer {
  if (answered === request.id && refused !== null) return "refused";
  // Started after the request, or took the version up by itself.
  if (version === request.version && (answered === request.id || startedAt >= request.at)) return "took-up";
  return "waits";
}
