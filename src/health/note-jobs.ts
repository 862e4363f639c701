import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { isTransient } from "../lib/retry.ts";
import type { Logger } from "../log.ts";
import { ALL_PROJECTS } from "../model/digest.ts";
import type { Stores } from "../store/stores.ts";

/** Jobs that the tables request again until they are done, so one that always fails must be stopped. */
export type RetriedJob = "close-windows" | "reconsider-alerts" | "build-digest";

/** Tries of a failing job, in all processes together. */
const MOST_TRIES = 10;

/** Runs a job and stores its failures; after MOST_TRIES it becomes a dead letter and is not requested any more. */
export async function trackJob<T>(
  parts: { readonly stores: Stores; readonly clock: Clock; readonly log: Logger },
  job: RetriedJob,
  payload: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const { stores, clock, log } = parts;
  const scope = jobScope(job, payload);
  try {
    const result = await work();
    await stores.failures.clear("job", [scope]);
    return result;
  } catch (error) {
    if (!isTransient(error)) {
      const message = describeError(error).slice(0, 300);
      const reason = error instanceof Error ? error.name : "error";
      const now = clock.now();
      const times = await stores.failures.note({ kind: "job", scope, reason, message, final: false }, now);
      if (times >= MOST_TRIES) {
        const { projectId = ALL_PROJECTS, queryId = "" } = payload;
        const body = { job, payload };
        await stores.deadLetters.add(
          { projectId, queryId, kind: "job", scope, reason: message, tries: times, body },
          now,
        );
        log.error(
          { job, ...payload, times },
          "a job always fails and is now a dead letter; see earshot dead-letters",
        );
      }
    }
    throw error;
  }
}

export function jobScope(job: RetriedJob, payload: Readonly<Record<string, string>>): string {
  const keys = Object.keys(payload).sort();
  return [job, ...keys.map((key) => payload[key])].join(" ");
}
