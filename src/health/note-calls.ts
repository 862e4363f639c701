import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { SourceError, type SourceErrorKind } from "../source/source-error.ts";
import type { Stores } from "../store/stores.ts";

export interface CallNotes {
  /** Makes the call and stores its outcome under `scope`. */
  noted<T>(scope: string, call: () => Promise<T>): Promise<T>;
  /** One call may be for several scopes; its failure does not show which of them fails. */
  notedPages<T>(scopes: readonly string[], pages: AsyncIterable<T>): AsyncIterable<T>;
}

/** Stores the current failures of the source, for the health checks of all processes. */
export function createCallNotes(parts: { readonly stores: Stores; readonly clock: Clock }): CallNotes {
  const { failures } = parts.stores;
  const works = async (scopes: readonly string[]): Promise<void> => {
    // The page must not be lost because the note could not be stored.
    await failures.clear("call", [...scopes, ACCOUNT]).catch(() => {});
  };
  const fails = async (scopes: readonly string[], error: unknown): Promise<void> => {
    if (!(error instanceof SourceError) || error.kind === "aborted" || error.isPostponed) return;
    const { kind } = error;
    const scope = scopeOf(kind, scopes);
    if (scope === null) return;
    await failures
      .note(
        {
          kind: "call",
          scope,
          reason: kind,
          message: describeError(error).slice(0, 300),
          final: !error.retryable,
        },
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
        await fails([scope], error);
        throw error;
      }
    },
    notedPages: (scopes, pages) =>
      notePages(
        pages,
        () => works(scopes),
        (error) => fails(scopes, error),
      ),
  };
}

/** The polls of one query. */
export function queryScope(query: { readonly projectId: string; readonly queryId: string }): string {
  return `query ${query.projectId}/${query.queryId}`;
}

/** A failure of the whole account is stored once, however many calls meet it. */
const ACCOUNT = "account";
const RATE_LIMIT = "rate limit";

function scopeOf(kind: SourceErrorKind, [scope, another]: readonly string[]): string | null {
  if (kind === "login" || kind === "unauthorized") return ACCOUNT;
  if (kind === "rate-limited") return RATE_LIMIT;
  return another === undefined ? (scope ?? null) : null;
}

async function* notePages<T>(
  pages: AsyncIterable<T>,
  works: () => Promise<void>,
  fails: (error: unknown) => Promise<void>,
): AsyncGenerator<T> {
  let isNoted = false;
  const poll = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await poll.next().catch(async (error: unknown) => {
        await fails(error);
        throw error;
      });
      if (!isNoted) await works();
      isNoted = true;
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    await poll.return?.();
  }
}
