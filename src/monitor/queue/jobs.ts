import { z } from "zod";

/** One queue for each family of jobs, so that a slow family never delays another, and each can be scaled alone. */
export const QUEUE_NAMES = ["poll", "poll-feeds", "tick", "deliver", "digest", "sweep"] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

interface JobDefinition {
  readonly queue: QueueName;
  /** Ids only: a job points at a fact in the tables and is never the fact. */
  readonly payload: z.ZodType;
  /** All tries, the first included. The sweep finds work again that must not be given up. */
  readonly attempts: number;
}

const id = z.string().min(1).max(200);

export const JOBS = {
  "poll-query": {
    queue: "poll",
    payload: z.strictObject({ projectId: id, queryId: id, poll: z.enum(["added", "updated"]) }),
    attempts: 5,
  },
  // A query of our own Listening API. Calls that an account answers slowly, or never, do not delay it.
  "poll-feeds": {
    queue: "poll-feeds",
    payload: z.strictObject({ projectId: id, queryId: id, poll: z.enum(["added", "updated"]) }),
    attempts: 5,
  },
  // Queries of one project that share their calls.
  "poll-together": {
    queue: "poll",
    payload: z.strictObject({
      projectId: id,
      queryIds: z.array(id).min(1).max(20_000),
      poll: z.enum(["added", "updated"]),
      // Groups of the account that name some of them.
      groupIds: z.array(id).max(1_000).exactOptional(),
    }),
    attempts: 5,
  },
  "close-windows": { queue: "tick", payload: z.strictObject({ projectId: id, queryId: id }), attempts: 5 },
  // Decides again about the notifications of alerts that an action, a silence or the time has changed.
  "reconsider-alerts": {
    queue: "tick",
    payload: z.strictObject({ projectId: id, queryId: id }),
    attempts: 5,
  },
  deliver: { queue: "deliver", payload: z.strictObject({ notificationId: id, projectId: id }), attempts: 5 },
  // Updates the live message of an alert.
  "update-message": {
    queue: "deliver",
    payload: z.strictObject({ projectId: id, alertId: id, receiver: id }),
    // The next sweep is the retry.
    attempts: 1,
  },
  // Corrects a message that shows something that was deleted since.
  "correct-message": {
    queue: "deliver",
    payload: z.strictObject({ projectId: id, notificationId: id }),
    // The next sweep is the retry.
    attempts: 1,
  },
  "build-digest": { queue: "digest", payload: z.strictObject({ name: id, localDate: id }), attempts: 5 },
  // Counts the quarters again whose mentions changed. The next sweep is the retry.
  "count-mentions": { queue: "digest", payload: z.strictObject({}), attempts: 1 },
  // The next sweep is the retry.
  sweep: { queue: "sweep", payload: z.strictObject({}), attempts: 1 },
} as const satisfies Record<string, JobDefinition>;

export type JobName = keyof typeof JOBS;
export type Payload<N extends JobName> = z.infer<(typeof JOBS)[N]["payload"]>;

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

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
