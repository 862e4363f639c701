import { commitPage } from "../ingest/commit-page.ts";
import type { DeadLetterParts } from "../ingest/commit-with-dead-letters.ts";
import { describeError } from "../lib/errors.ts";
import { isTransient } from "../lib/retry.ts";
import type { Mention } from "../model/mention.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { PageBody, PollState } from "./poll-state.ts";
import { abandonPoll } from "./watermark.ts";

/**
 * Replays the dead mentions of a query one by one, under the lease of its poll; one that fails again stays a dead
 * letter. A page is replayed by a poll that begins where the page's poll began. Returns the pending notifications, and
 * the state from which the poll continues.
 */
export async function replayDeadLetters(
  parts: DeadLetterParts,
  run: Parameters<typeof commitPage>[1],
  state: PollState,
): Promise<{ readonly pending: readonly PendingNotification[]; readonly state: PollState }> {
  const { key, lease } = run;
  const { projectId, queryId } = key;
  const { deadLetters } = parts.store;
  const pending: PendingNotification[] = [];
  let begun = state;
  for (const { id, kind, body } of await deadLetters.wanted(projectId, queryId)) {
    if (kind === "page") {
      const { poll, from } = body as PageBody;
      if (poll !== key.poll) continue;
      begun = { ...abandonPoll(begun), gap: { from: Math.min(from, begun.gap?.from ?? from), tries: 0 } };
      await parts.store.polls.advance(key, lease, begun);
      await deadLetters.settle(projectId, [id], parts.clock.now());
      continue;
    }
    if (kind !== "mention" || key.poll !== "added") continue;
    try {
      // We wrote it, from what the source client had accepted.
      const mentions = [body as Mention];
      const page = { mentions, rejected: [], nextCursor: null, total: null, pageSize: null };
      const committed = await commitPage(parts, run, parts.prepare(page), begun);
      pending.push(...committed.pending);
      await deadLetters.settle(projectId, [id], parts.clock.now());
    } catch (error) {
      if (isTransient(error)) throw error;
      await deadLetters.failedAgain(
        projectId,
        id,
        `it could not be stored: ${describeError(error).slice(0, 200)}`,
      );
    }
  }
  return { pending, state: begun };
}
