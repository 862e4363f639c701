import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { scopeOfSource } from "../model/failure.ts";
import type { SourceName } from "../model/query.ts";
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
  const ofSource = (scope: string) => scopeOfSource(parts.source, scope);
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
