import type { Instant } from "./lib/instant.ts";
import { BUCKET_MS } from "./model/count-change.ts";
import type { Queues } from "./queue/queues.ts";
import type { Stores } from "./store/stores.ts";

/** Work that the tables say is due, by kind. */
export interface Swept {
  readonly polls: number;
  readonly windows: number;
  readonly deliveries: number;
  readonly digests: number;
}

/**
 * Finds due work in the tables and adds a job for each piece. Jobs are reminders: whatever a crash, a full queue or an
 * emptied Redis took away is found here again. A job whose like already waits is not added twice.
 */
export async function sweep(parts: { stores: Stores; queues: Queues }, now: Instant): Promise<Swept> {
  const { stores, queues } = parts;
  const [polls, windows, decisions, deliveries, digests] = await Promise.all([
    stores.walks.due(now, MOST),
    stores.walks.windowsDue(BUCKET_MS),
    stores.notifications.decisionsDue(now),
    stores.notifications.due(MOST),
    stores.digests.due(),
  ]);
  const ticks = new Map(
    [...windows, ...decisions].map((query) => [`${query.projectId} ${query.queryId}`, query]),
  );
  await Promise.all([
    ...polls.map((walk) =>
      queues.add("poll-query", walk, { dedupe: `${walk.projectId}-${walk.queryId}-${walk.walk}` }),
    ),
    ...[...ticks.values()].map((query) =>
      queues.add("close-windows", query, { dedupe: `${query.projectId}-${query.queryId}` }),
    ),
    ...deliveries.map((due) => queues.add("deliver", due, { dedupe: due.notificationId })),
    ...digests.map(({ projectId, name, localDate }) =>
      queues.add("build-digest", { projectId, name, localDate }, { dedupe: `${name}-${localDate}` }),
    ),
  ]);
  return { polls: polls.length, windows: ticks.size, deliveries: deliveries.length, digests: digests.length };
}

/** More than this at once is left to the next sweep, so that no sweep is long. */
const MOST = 500;
