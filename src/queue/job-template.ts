import { JOBS, type JobName } from "./jobs.ts";

/**
 * Options of every job of this name. Finished jobs are removed at once. Failed ones are kept for inspection: the newest
 * 200, for a week.
 */
export function jobTemplate(job: JobName) {
  return {
    attempts: JOBS[job].attempts,
    backoff: { type: "earshot" },
    removeOnComplete: true,
    removeOnFail: { count: 200, age: 7 * 24 * 3_600 },
    stackTraceLimit: 0,
  };
}
