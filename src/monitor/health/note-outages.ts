import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { SECOND } from "../../lib/instant.ts";
import { isTransient } from "../../lib/retry.ts";
import type { Outage } from "../model/failure.ts";
import type { Stores } from "../store/stores.ts";

/** An outage as the engine shows it, when it is back. */
type EngineOutage = Pick<Outage, "outcome" | "because"> & { readonly forMs: number };

export interface OutageLog {
  /** The queue's engine is back. */
  queueIsBack(outage: EngineOutage): void;
  /** The tables could not be read. */
  checkFailed(error: unknown): void;
  /** Stores the outages that have ended. Called when the tables answer. */
  write(): Promise<void>;
}

/** A sweep comes out of the queue every five seconds: after a pause this long, no process was running. */
const NOBODY_WORKED_MS = 60 * SECOND;

/** Remembers outages while nothing can be stored, and stores them as soon as possible. */
export function createOutageLog(parts: {
  readonly stores: Stores;
  readonly clock: Clock;
  /** Whether sweeps run automatically, so that a pause has a meaning. */
  readonly sweepsRun: boolean;
  /** If the queue is in the same PostgreSQL, both are down together. */
  readonly queueIn: "postgres" | "redis" | "in-process";
}): OutageLog {
  const { stores, clock, sweepsRun, queueIn } = parts;
  let pending: Outage[] = [];
  const startedAt = monotonicMs();
  let failing: { readonly since: number; readonly because: string } | null = null;
  let isFirst = true;

  const ended = (engine: Outage["engine"], outage: EngineOutage): void => {
    const to = clock.now();
    const { outcome, forMs, because } = outage;
    pending.push({ engine, outcome, from: to - forMs * Math.max(1, clock.speed), to, because });
  };

  return {
    queueIsBack: (outage) => {
      if (queueIn === "redis" || outage.outcome === "Emptied") ended("queue", outage);
    },
    checkFailed: (error) => {
      if (isTransient(error)) failing ??= { since: monotonicMs(), because: describeError(error) };
    },
    write: async () => {
      const lastSweepAgoMs = isFirst && sweepsRun ? ((await stores.health.pulses()).get("sweep") ?? 0) : 0;
      // This process has worked since its start, also if the database was away before it could say so.
      if (isFirst && lastSweepAgoMs - (monotonicMs() - startedAt) > NOBODY_WORKED_MS)
        ended("earshot", { outcome: "Away", forMs: lastSweepAgoMs, because: null });
      isFirst = false;
      if (failing !== null)
        ended("database", {
          outcome: "Away",
          forMs: monotonicMs() - failing.since,
          because: failing.because,
        });
      failing = null;
      for (let next = pending[0]; next !== undefined; next = pending[0]) {
        await stores.outages.note(next);
        pending = pending.slice(1);
      }
    },
  };
}
