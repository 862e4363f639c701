import { type Database, dueChecks, NOTHING, type ReceiveResult, scheduleChecks, sumOf } from "#listening-api";
import type { FeedRead } from "../common/define-feed.ts";
import {
  closeHost,
  endFetch,
  extendLease,
  type LeasedFeed,
  noteReading,
  putGap,
  reserveHost,
} from "../store/feeds.ts";
import { isPushed, noteHub } from "../store/hubs.ts";
import { nextReadingMs } from "./decide-next.ts";
import { type DonePart, decidePartEnd, decideReading, MOST_STORED } from "./decide-part-end.ts";
import { type FeedWork, LeaseLostError } from "./feed-work.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { readPart } from "./read-part.ts";
import { maySubscribe, newSubscription } from "./web-sub.ts";

/** Parts of one fetch; the next fetch goes on after them. */
const MOST_ROUNDS = 100;

/** All parts of a fetch, each committed by itself with its cursor. `progress` is the state that was committed last. */
export async function fetchLeased(
  work: FeedWork,
  feed: PlannedFeed,
  leased: LeasedFeed,
  progress: { state: LeasedFeed["state"] },
): Promise<ReceiveResult> {
  const { db, project, items, clock, signal, log } = work;
  const beginReading = readings(work, leased);
  let total = NOTHING;
  for (let round = 1; ; round++) {
    const done = await readPart(feed, progress.state, leased.at, {
      fetch: work.fetch,
      reserve: (host, slots) => reserveHost(db, host, slots),
      hold: () => holdLease(work, db, leased),
      ...{ beginReading, reader: work.reader },
      dueChecks: (most) => dueChecks(db, project.id, feed.key, most),
      signal,
    });
    const { read } = done;
    // A server that never comes to an end must not keep the others from their turn.
    const isLast = round >= MOST_ROUNDS || read.pauseMs !== undefined || signal.aborted;
    const chance = work.random();
    if (read.pauseMs !== undefined) await closeHost(db, feed.host, read.pauseMs);
    if (read.problem !== undefined)
      log.warn({ feed: feed.name, problem: read.problem }, "a feed was not read whole");
    const { arrived, languages } = await items.arrivedOf(feed, read.items);
    const room = MOST_STORED - total.added - total.edited;
    const part = {
      ...done,
      leased,
      before: progress.state,
      readAt: clock.now(),
      languages,
      room,
      isLast,
      chance,
    };
    // Too old to be kept, or twice in the document: nothing is missing before them.
    const dropped = read.items.length - arrived.length;
    let end = { state: done.state, goesOn: false };
    const received = await items.storeMost(feed, arrived, read.deletes, room, async (transaction, stored) => {
      if (stored.isLast) {
        const known = stored.known + dropped;
        end = await endPart(work, transaction, feed, { ...part, stored: { ...stored, known } });
        return;
      }
      signal.throwIfAborted();
      await holdLease(work, transaction, leased);
    });
    progress.state = end.state;
    total = sumOf(total, received);
    if (end.goesOn) continue;
    log.debug({ feed: feed.name, ...total }, "a feed was fetched");
    return total;
  }
}

/** Ends a part, in the transaction that stores its last items. */
async function endPart(
  work: FeedWork,
  transaction: Database,
  feed: PlannedFeed,
  part: DonePart,
): Promise<ReturnType<typeof decidePartEnd>> {
  const { project, log } = work;
  const { gap, everyMs } = decideReading(part);
  if (gap !== null) {
    await putGap(transaction, project.id, feed.key, gap);
    log.warn({ feed: feed.name, everyMs }, gap.reason);
  }
  const hasHub = await noteHubOf(work, transaction, feed, part.read);
  const end = decidePartEnd(part, everyMs, hasHub);
  if (end.leftOut !== null)
    log.warn({ feed: feed.name, leftOut: end.leftOut }, "items of a feed were left out");
  await scheduleChecks(transaction, project.id, part.checks);
  if (!(await endFetch(transaction, project.id, part.leased, end))) throw new LeaseLostError();
  return end;
}

async function holdLease({ project, leaseMs }: FeedWork, db: Database, leased: LeasedFeed): Promise<void> {
  if (!(await extendLease(db, project.id, leased, leaseMs))) throw new LeaseLostError();
}

/** Before something is read that may end the process: the next attempt is stored, later each time. */
function readings({ db, project }: FeedWork, leased: LeasedFeed): (name: string) => Promise<number> {
  let last: { readonly reading: string | null; readonly readings: number } = leased;
  return async (name) => {
    const readings = last.reading === name ? last.readings + 1 : 1;
    last = { reading: name, readings };
    const next = { name, readings, nextInMs: nextReadingMs(readings) };
    if (!(await noteReading(db, project.id, leased, next))) throw new LeaseLostError();
    return readings;
  };
}

/** Remembers the hub that a document names. Whether it pushes the feed at present. */
async function noteHubOf(
  { project, hasHubs }: FeedWork,
  transaction: Database,
  feed: PlannedFeed,
  { hub }: FeedRead,
): Promise<boolean> {
  if (hasHubs !== true) return false;
  if (hub !== undefined) {
    const subscription = hub !== null && maySubscribe(hub, feed) ? { ...hub, ...newSubscription() } : null;
    await noteHub(transaction, project.id, feed.key, subscription);
  }
  return isPushed(transaction, project.id, feed.key);
}
