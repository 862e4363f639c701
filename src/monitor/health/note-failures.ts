import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { isTransient } from "../../lib/retry.ts";
import { ALL_PROJECTS } from "../model/digest.ts";
import { FEEDS_PREFIX, type SourceName } from "../model/query.ts";
import type { LiveMessages, Notifier, Shown } from "../notify/define-notifier.ts";
import { DeliveryError } from "../notify/delivery-error.ts";
import { SourceError } from "../source/source-error.ts";
import type { Stores } from "../store/stores.ts";

/** Why a call failed: a kind of the source client, or another one, which is no problem of the source. */
interface CallFailure {
  readonly kind: string;
  readonly because: string;
  readonly retryable: boolean;
}

export interface CallNotes {
  /** Makes the call and stores its outcome under `scope`. */
  noted<T>(scope: string, call: () => Promise<T>): Promise<T>;
  /**
   * Stores the outcome of a call that was made; null if it was answered. One call may be for several scopes; its
   * failure does not show which of them fails.
   */
  note(scopes: readonly string[], failure: CallFailure | null): Promise<void>;
}

/** Stores the current failures of a source, for the health checks of all processes. */
export function createCallNotes(parts: {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly source: SourceName;
}): CallNotes {
  const { failures } = parts.stores;
  const ofSource = (scope: string): string =>
    parts.source === "feeds" && !scope.startsWith(QUERY) ? FEEDS + scope : scope;
  const works = async (scopes: readonly string[]): Promise<void> => {
    // The page must not be lost because the note could not be stored.
    await failures.clear("call", [...scopes, ACCOUNT].map(ofSource)).catch(() => {});
  };
  const fails = async (
    scopes: readonly string[],
    { kind, because, retryable }: CallFailure,
  ): Promise<void> => {
    if (NO_PROBLEM.has(kind)) return;
    const scope = scopeOf(kind, scopes);
    if (scope === null) return;
    const message = because.slice(0, 300);
    await failures
      .note(
        { kind: "call", scope: ofSource(scope), reason: kind, message, final: !retryable },
        parts.clock.now(),
      )
      .catch(() => {});
  };
  return {
    noted: async (scope, call) => {
      try {
        const answer = await call();
        await works([scope]);
        return answer;
      } catch (error) {
        if (error instanceof SourceError) {
          const { kind, retryable } = error;
          await fails([scope], { kind, because: describeError(error), retryable });
        }
        throw error;
      }
    },
    note: (scopes, failure) => (failure === null ? works(scopes) : fails(scopes, failure)),
  };
}

/** The polls of one query. */
export function queryScope(query: { readonly projectId: string; readonly queryId: string }): string {
  return `${QUERY}${query.projectId}/${query.queryId}`;
}

const QUERY = "query ";
/** Before the other scopes of our own Listening API. */
const FEEDS = "feeds: ";

/** The source whose calls fail under this scope. */
export function sourceOfScope(scope: string): SourceName {
  return scope.startsWith(FEEDS) || scope.startsWith(QUERY + FEEDS_PREFIX) ? "feeds" : "account";
}

/** A failure of the whole account is stored once, however many calls meet it. */
const ACCOUNT = "account";
const RATE_LIMIT = "rate limit";

/** We stopped ourselves, sent nothing, or ask in another way next time; or the fault is ours. */
const NO_PROBLEM: ReadonlySet<string> = new Set([
  "aborted",
  "over-budget",
  "other-way",
  "by-group",
  "unproven",
  "other",
]);

function scopeOf(kind: string, [scope, another]: readonly string[]): string | null {
  if (kind === "login" || kind === "unauthorized") return ACCOUNT;
  if (kind === "rate-limited") return RATE_LIMIT;
  return another === undefined ? (scope ?? null) : null;
}

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

/** A missing chart that somebody can fix is reported to the operators once, not in every log line. */
function watchPictures(
  name: string,
  liveMessages: LiveMessages,
  { stores: { failures }, clock }: Parameters<typeof observeNotifier>[2],
): LiveMessages {
  const note = async (picture: NonNullable<Shown["picture"]>): Promise<void> => {
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
  return {
    final: !error.retryable,
    message: error.advice === null ? text : `${text}. ${error.advice}`,
  };
}
