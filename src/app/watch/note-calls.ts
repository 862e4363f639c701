import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { SourceError, type SourceErrorKind } from "../../source/source-error.ts";
import type { Stores } from "../../store/stores.ts";

export interface CallNotes {
  /** The call as it is; what becomes of it is noted under `scope`. */
  noted<T>(scope: string, call: () => Promise<T>): Promise<T>;
  notedPages<T>(scope: string, pages: AsyncIterable<T>): AsyncIterable<T>;
}

/** Keeps in the tables what of the source fails at the moment, for the watch of all processes. */
export function createCallNotes(parts: { readonly stores: Stores; readonly clock: Clock }): CallNotes {
  const { failures } = parts.stores;
  const works = async (scope: string): Promise<void> => {
    // A note that cannot be written is no reason to lose the page.
    await Promise.all([failures.clear("call", scope), failures.clear("call", ACCOUNT)]).catch(() => {});
  };
  const fails = async (scope: string, error: unknown): Promise<void> => {
    if (!(error instanceof SourceError) || error.kind === "aborted") return;
    const { kind } = error;
    await failures
      .note(
        {
          kind: "call",
          scope: scopeOf(kind, scope),
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
        await works(scope);
        return answer;
      } catch (error) {
        await fails(scope, error);
        throw error;
      }
    },
    notedPages: (scope, pages) =>
      notePages(
        pages,
        () => works(scope),
        (error) => fails(scope, error),
      ),
  };
}

/** The walks of one query. */
export function queryScope(query: { readonly projectId: string; readonly queryId: string }): string {
  return `query ${query.projectId}/${query.queryId}`;
}

/** What concerns the whole account is one failure, however many calls meet it. */
const ACCOUNT = "account";
const RATE_LIMIT = "rate limit";

function scopeOf(kind: SourceErrorKind, scope: string): string {
  if (kind === "login" || kind === "unauthorized") return ACCOUNT;
  return kind === "rate-limited" ? RATE_LIMIT : scope;
}

async function* notePages<T>(
  pages: AsyncIterable<T>,
  works: () => Promise<void>,
  fails: (error: unknown) => Promise<void>,
): AsyncGenerator<T> {
  let isNoted = false;
  const walk = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await walk.next().catch(async (error: unknown) => {
        await fails(error);
        throw error;
      });
      if (!isNoted) await works();
      isNoted = true;
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    await walk.return?.();
  }
}
