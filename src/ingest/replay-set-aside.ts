import { describeError } from "../lib/errors.ts";
import { isPassing } from "../lib/is-passing.ts";
import type { Mention } from "../model/mention.ts";
import type { OwedNotification } from "../model/notification.ts";
import { commitPage } from "./commit-page.ts";
import type { SoundParts } from "./commit-soundly.ts";
import type { PageBody } from "./pass-poison-page.ts";
import type { WalkState } from "./walk-state.ts";
import { abandonWalk } from "./watermark.ts";

/**
 * Commits the mentions of a query that somebody wants to be tried again, one by one, under the lease of its walk; what
 * fails again stays aside. A page is tried again by letting the walk begin where it began. Returns what is owed, and
 * the state from which the walk goes on.
 */
export async function replaySetAside(
  parts: SoundParts,
  walking: Parameters<typeof commitPage>[1],
  state: WalkState,
): Promise<{ readonly owed: readonly OwedNotification[]; readonly state: WalkState }> {
  const { key, lease } = walking;
  const { projectId, queryId } = key;
  const { setAside } = parts.store;
  const owed: OwedNotification[] = [];
  let begun = state;
  for (const { id, kind, body } of await setAside.wanted(projectId, queryId)) {
    if (kind === "page") {
      const { walk, from } = body as PageBody;
      if (walk !== key.walk) continue;
      begun = { ...abandonWalk(begun), gap: { from: Math.min(from, begun.gap?.from ?? from), tries: 0 } };
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
      if (isPassing(error)) throw error;
      await setAside.failedAgain(
        projectId,
        id,
        `it could not be stored: ${describeError(error).slice(0, 200)}`,
      );
    }
  }
  return { owed, state: begun };
}
