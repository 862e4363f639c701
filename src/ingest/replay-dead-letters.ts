import { describeError } from "../lib/errors.ts";
import { isTransient } from "../lib/is-transient.ts";
import type { Mention } from "../model/mention.ts";
import type { PendingNotification } from "../model/notification.ts";
import { commitPage } from "./commit-page.ts";
import type { DeadLetterParts } from "./commit-with-dead-letters.ts";
import type { PollState } from "./poll-state.ts";
import type { PageBody } from "./skip-poison-page.ts";
import { abandonPoll } from "./watermark.ts";

/**
 * Commits the mentions of a query that somebody wants to be tried again, one by one, under the lease of its walk; what
 * fails again stays aside. A page is tried again by letting the walk begin where it began. Returns what is owed, and
 * the state from which the walk goes on.
 */
export async function replayDeadLetters(
  parts: DeadLetterParts,
  walking: Parameters<typeof commitPage>[1],
  state: PollState,
): Promise<{ readonly owed: readonly PendingNotification[]; readonly state: PollState }> {
  const { key, lease } = walking;
  const { projectId, queryId } = key;
  const { setAside } = parts.store;
  const owed: PendingNotification[] = [];
  let begun = state;
  for (const { id, kind, body } of await setAside.wanted(projectId, queryId)) {
    if (kind === "page") {
      const { walk, from } = body as PageBody;
      if (walk !== key.walk) continue;
      begun = { ...abandonPoll(begun), gap: { from: Math.min(from, begun.gap?.from ?? from), tries: 0 } };
      await parts.store.walks.advance(key, lease, begun);
      await setAside.settle(projectId, [id], parts.clock.now());
      continue;
    }
    if (kind !== "mention" || key.walk !== "added") continue;
    try {
      // It was written by us, from what had passed the door of the source.
      const mentions = [body as Mention];
      const page = { mentions, rejected: [], nextCursor: null, total: null, pageSize: null };
      const committed = await commitPage(parts, walking, parts.prepare(page), begun);
      owed.push(...committed.owed);
      await setAside.settle(projectId, [id], parts.clock.now());
    } catch (error) {
      if (isTransient(error)) throw error;
      await setAside.failedAgain(
        projectId,
        id,
        `it could not be stored: ${describeError(error).slice(0, 200)}`,
      );
    }
  }
  return { owed, state: begun };
}
