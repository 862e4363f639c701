import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs, systemClock } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/concurrency.ts";
import type { OpenQueue } from "./backend.ts";
import { describeQueueError } from "./failure.ts";
import { JOBS, type JobName, jobTemplate, type QueueName } from "./jobs.ts";

interface Reminder {
  readonly job: JobName;
  readonly payload: unknown;
  readonly everyMs: number;
  readonly key: string;
}

/** Outages of the queue's engine that the reminders show: it was away, or it came back empty. */
export interface EngineOutage {
  readonly outcome: "Away" | "Emptied";
  /** Real time from the first unanswered question to the first answer. */
  readonly forMs: number;
  readonly because: string | null;
}

interface Reminders {
  add(reminder: Reminder): Promise<void>;
  /** Whether the engine left the last question unanswered. */
  isAway(): boolean;
  stop(): void;
}

/** Until a reminder is added again, nothing shows that the engine works. */
const MEND_EVERY_MS = 5_000;
const PATIENCE_MS = 5_000;

/**
 * Keeps recurring jobs in the engine. It reads them every few seconds, adds the lost ones again, and reports what that
 * shows about the engine.
 */
export function keepReminders(
  queueOf: (name: QueueName) => OpenQueue,
  report: { onOutage: (outage: EngineOutage) => void; onError: (error: unknown) => void },
): Reminders {
  const reminders = new Map<string, Reminder>();
  const stopping = new AbortController();
  let away: { readonly since: number; readonly because: string } | null = null;

  const lookAfter = async (reminder: Reminder): Promise<void> => {
    const askedAt = monotonicMs();
    try {
      const mended = await withTimeout(PATIENCE_MS, mend(queueOf(JOBS[reminder.job].queue), reminder));
      if (away !== null)
        report.onOutage({ outcome: "Away", forMs: monotonicMs() - away.since, because: away.because });
      away = null;
      if (mended === "was lost") report.onOutage({ outcome: "Emptied", forMs: 0, because: null });
    } catch (error) {
      if (stopping.signal.aborted) return;
      away ??= { since: askedAt, because: describeQueueError(error) };
      report.onError(error);
    }
  };
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await delay(MEND_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      for (const reminder of stopping.signal.aborted ? [] : reminders.values()) await lookAfter(reminder);
    }
  };
  void keep();

  return {
    add: async (reminder) => {
      reminders.set(reminder.key, reminder);
      await upsert(queueOf(JOBS[reminder.job].queue), reminder);
    },
    isAway: () => away !== null,
    stop: () => stopping.abort(),
  };
}

/**
 * An overdue reminder is added again as well: its next run was lost with a process that died. So is one whose next run
 * is further away than its interval: a clock was ahead when it was planned.
 */
async function mend(
  queue: OpenQueue,
  reminder: Reminder,
): Promise<"is there" | "was overdue" | "was ahead" | "was lost"> {
  const found = await queue.getJobScheduler(reminder.key);
  const overdueMs = found?.next === undefined ? Number.POSITIVE_INFINITY : systemClock.now() - found.next;
  if (-overdueMs > reminder.everyMs + MEND_EVERY_MS) {
    // An upsert alone would keep the planned run.
    await queue.removeJobScheduler(reminder.key);
    await upsert(queue, reminder);
    return "was ahead";
  }
  if (overdueMs <= reminder.everyMs + MEND_EVERY_MS) return "is there";
  await upsert(queue, reminder);
  return found === undefined ? "was lost" : "was overdue";
}

/** An upsert replaces the next run by one at the same moment, so a repetition changes nothing. */
async function upsert(queue: OpenQueue, { key, job, payload, everyMs }: Reminder): Promise<void> {
  await queue.upsertJobScheduler(
    key,
    { every: everyMs, startDate: nextSlot(key, everyMs, systemClock.now()) },
    { name: job, data: payload, opts: jobTemplate(job) },
  );
}

/** The next moment of this key's own phase of the interval. Every process computes the same one. */
function nextSlot(key: string, everyMs: number, now: number): number {
  const phase = createHash("sha256").update(key).digest().readUInt32BE(0) % everyMs;
  const slot = Math.floor(now / everyMs) * everyMs + phase;
  return slot <= now ? slot + everyMs : slot;
}
