import { groupBy } from "../lib/group-by.ts";
import type { Logger } from "../lib/log.ts";
import { buildDigest, type DigestParts } from "./digest/build-digest.ts";
import { type CloseWindowsParts, closeWindows } from "./ingest/close-windows.ts";
import { reconsiderAlerts } from "./ingest/reconsider-alerts.ts";
import type { RetriedJob } from "./model/failure.ts";
import type { PendingNotification } from "./model/notification.ts";
import type { PollKey } from "./model/poll.ts";
import { type CorrectParts, correctMessage } from "./notify/deliver/correct-message.ts";
import { type DeliverParts, deliver } from "./notify/deliver/deliver.ts";
import { type UpdateMessageParts, updateMessage } from "./notify/deliver/update-message.ts";
import type { CompletedPoll, SourcePolls } from "./polling/create-poll-parts.ts";
import type { PollOutcome } from "./polling/poll-member.ts";
import { pollQuery, pollTogether } from "./polling/poll-queries.ts";
import type { Queues } from "./queue/queues.ts";
import type { Handlers, JobContext } from "./queue/worker.ts";

interface HandlerParts {
  /** The polls of the source that a project is of; undefined if that source is not configured any more. */
  readonly pollsOf: (projectId: string) => SourcePolls | undefined;
  readonly windows: CloseWindowsParts;
  readonly deliver: DeliverParts;
  readonly updateMessage: UpdateMessageParts;
  readonly correctMessage: CorrectParts;
  readonly digest: Omit<DigestParts, "onPending">;
  readonly countMentions: (signal: AbortSignal) => Promise<void>;
  readonly sweep: () => Promise<void>;
  /** Repeats the work of a job until the tables have no more of it, and stores its failures. */
  readonly noted: <T>(
    job: RetriedJob,
    payload: Readonly<Record<string, string>>,
    work: () => Promise<T>,
  ) => Promise<T>;
  readonly queues: Queues;
  readonly log: Logger;
  /** Called after every job, with its outcome: drivers and tests wait for it. */
  readonly onDone: (job: string, outcome: { readonly outcome: string }) => void;
}

/**
 * Those of new notifications that get a job: a few of each receiver. Each that was sent reminds of the next one, and the
 * sweep of all that were forgotten. A job for each would be a queue of ten thousands in a storm.
 */
export function worthReminding(pending: readonly PendingNotification[]): readonly PendingNotification[] {
  const byReceiver = groupBy(pending, ({ receiver }) => receiver);
  return [...byReceiver.values()].flatMap((ofOne) => ofOne.slice(0, MOST_REMINDERS));
}

/** More than one receiver may use of the slots of a process. */
const MOST_REMINDERS = 4;

/** What each job does: its work, and the jobs for what is due next. */
export function createHandlers(parts: HandlerParts): Required<Handlers> {
  const { queues, log } = parts;
  const onPending = async (pending: readonly PendingNotification[]): Promise<void> => {
    for (const { projectId, id } of worthReminding(pending))
      await queues.handOver("deliver", { projectId, notificationId: id }, { dedupe: id });
  };
  const onPolled = async (
    { onCompleted }: SourcePolls,
    polled: readonly { key: PollKey; result: PollOutcome }[],
    signal: AbortSignal,
  ): Promise<void> => {
    const completed: { key: PollKey; result: CompletedPoll }[] = [];
    for (const { key, result } of polled) {
      if (result.outcome === "Complete") {
        log.debug({ ...key, ...result }, "a poll is complete");
        completed.push({ key, result });
        const { projectId, queryId } = key;
        if (result.windowsDue)
          await queues.add("close-windows", { projectId, queryId }, { dedupe: `${projectId}-${queryId}` });
      }
      if (result.outcome === "BrokenOff" && signal.aborted)
        log.info({ ...key, ...result }, "a poll was stopped and will be resumed later");
      else if (result.outcome === "BrokenOff")
        log.warn({ ...key, ...result }, "a poll failed and will be resumed later");
      if (result.outcome === "Postponed") log.info({ ...key, ...result }, "a poll waits for a call");
    }
    await onCompleted(completed);
  };
  const pollOne = async (key: PollKey, { signal }: JobContext): Promise<void> => {
    const source = parts.pollsOf(key.projectId);
    if (source === undefined) return parts.onDone("poll-query", NOT_DUE);
    const result = await pollQuery({ ...source.poll, onPending }, key, signal);
    await onPolled(source, [{ key, result }], signal);
    parts.onDone("poll-query", result);
  };
  return {
    "poll-query": pollOne,
    "poll-feeds": pollOne,
    "poll-together": async ({ projectId, queryIds, poll, groupIds }, { signal }) => {
      const source = parts.pollsOf(projectId);
      if (source === undefined) return parts.onDone("poll-together", NOT_DUE);
      const keys = queryIds.map((queryId) => ({ projectId, queryId, poll }));
      const proven = await source.sharing.isProven();
      const result = await pollTogether({ ...source.poll, onPending }, keys, signal, proven, groupIds);
      await onPolled(source, result.members, signal);
      if (result.sharing === "refused" || (result.sharing === "proven" && !proven))
        await source.sharing.learn(result.sharing);
      parts.onDone("poll-together", result);
    },
    "close-windows": async (query) => {
      const result = await parts.noted("close-windows", query, () => closeWindows(parts.windows, query));
      await onPending(result.pending);
      if (result.more)
        await queues.add("close-windows", query, { dedupe: `${query.projectId}-${query.queryId}` });
      parts.onDone("close-windows", { outcome: result.judged > 0 ? "judged" : "nothing-closed" });
    },
    "reconsider-alerts": async (query) => {
      const result = await parts.noted("reconsider-alerts", query, () =>
        reconsiderAlerts(parts.windows, query),
      );
      if (result.outcome === "Decided") await onPending(result.pending);
      parts.onDone("reconsider-alerts", result);
    },
    deliver: async (job, { signal }) => {
      const result = await deliver(parts.deliver, job, signal);
      if (result.outcome === "Failed")
        log.warn({ ...job, ...result }, "a delivery failed and will be tried again");
      if (result.outcome === "Dead") log.error({ ...job, ...result }, "a delivery was given up");
      if (result.outcome === "Sent") {
        const next = await parts.deliver.log.nextDue([result.receiver]);
        if (next !== null) await queues.add("deliver", next, { dedupe: next.notificationId });
      }
      parts.onDone("deliver", result);
    },
    "update-message": async (key, { signal }) => {
      const result = await updateMessage(parts.updateMessage, key, signal);
      if (result.outcome === "Failed" || result.outcome === "GivenUp")
        log.warn({ ...key, ...result }, "a message could not be updated");
      parts.onDone("update-message", result);
    },
    "correct-message": async (key, { signal }) => {
      const result = await correctMessage(parts.correctMessage, key, signal);
      if (result.outcome === "Failed")
        log.warn({ ...key, ...result }, "a message could not be corrected yet");
      if (result.outcome === "GivenUp")
        log.error({ ...key, ...result }, "a message still shows what was deleted: delete it by hand");
      parts.onDone("correct-message", result);
    },
    "build-digest": async (edition) => {
      const result = await parts.noted("build-digest", edition, () =>
        buildDigest({ ...parts.digest, onPending }, edition),
      );
      log.info({ ...edition, ...result }, "digest");
      parts.onDone("build-digest", result);
    },
    "count-mentions": (_, { signal }) => parts.countMentions(signal),
    sweep: async () => {
      await parts.sweep();
    },
  };
}

/** Of a job that was left from another configuration. */
const NOT_DUE = { outcome: "NotDue" };
