import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { isTransient } from "../../lib/retry.ts";
import { ALL_PROJECTS } from "../model/digest.ts";
import { jobScope, type RetriedJob } from "../model/failure.ts";
import type { ListenDeps, LiveMessages, Notifier, UpdateResult } from "../notify/define-notifier.ts";
import { DeliveryError } from "../notify/delivery-error.ts";
import type { Stores } from "../store/stores.ts";

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

/** Wraps a notifier and stores the outcome of its messages, for the health checks of all processes. */
export function observeNotifier(
  name: string,
  notifier: Notifier,
  parts: { readonly stores: Stores; readonly clock: Clock },
): Notifier {
  const { failures } = parts.stores;
  const { send: _, liveMessages, ...rest } = notifier;
  return {
    ...rest,
    ...(liveMessages !== undefined && { liveMessages: watchPictures(name, liveMessages, parts) }),
    send: async (message, options) => {
      try {
        const sent = await notifier.send(message, options);
        // A sent message must not look unsent because the note could not be stored.
        await failures.clear("receiver", [name]).catch(() => {});
        return sent;
      } catch (error) {
        if (!options.signal.aborted) {
          const { final, message: text } = judge(error);
          const reason = final ? "refused" : "failing";
          await failures
            .note({ kind: "receiver", scope: name, reason, message: text, final }, parts.clock.now())
            .catch(() => {});
        }
        throw error;
      }
    },
  };
}

/** Under this and their name stand the connections over which clicks come. */
export const BUTTONS = "buttons: ";

/** Stores how a connection for clicks fares, for the health checks of all processes. */
export function noteConnections({
  stores: { failures },
  clock,
}: Parameters<typeof observeNotifier>[2]): ListenDeps["onConnection"] {
  return (name, problem) => {
    const scope = BUTTONS + name;
    const noted =
      problem === null
        ? failures.clear("extra", [scope])
        : failures.note({ kind: "extra", scope, reason: "socket", ...problem }, clock.now());
    // The next try notes it again.
    noted.catch(() => {});
  };
}

/** A missing chart that somebody can fix is reported to the operators once, not in every log line. */
function watchPictures(
  name: string,
  liveMessages: LiveMessages,
  { stores: { failures }, clock }: Parameters<typeof observeNotifier>[2],
): LiveMessages {
  const note = async (picture: NonNullable<UpdateResult["picture"]>): Promise<void> => {
    if (picture.outcome === "Brought") return failures.clear("extra", [name]);
    const { because: message } = picture;
    await failures.note({ kind: "extra", scope: name, reason: "picture", message, final: true }, clock.now());
  };
  return {
    ...liveMessages,
    updateMessage: async (message, options) => {
      const shown = await liveMessages.updateMessage(message, options);
      // A shown message must not look as if it failed because the note could not be stored.
      if (shown.picture !== null) await note(shown.picture).catch(() => {});
      return shown;
    },
  };
}

function judge(error: unknown): { readonly final: boolean; readonly message: string } {
  const text = describeError(error).slice(0, 300);
  if (!(error instanceof DeliveryError)) return { final: false, message: text };
  return { final: !error.retryable, message: error.advice === null ? text : `${text}. ${error.advice}` };
}
