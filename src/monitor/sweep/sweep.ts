import { groupBy } from "../../lib/group-by.ts";
import { floorTo, type Instant } from "../../lib/instant.ts";
import { fitsQuery } from "../../lib/patterns.ts";
import { announceDigests } from "../digest/announce-digests.ts";
import type { PlannedDigest } from "../digest/planned-digest.ts";
import { readinessOf } from "../digest/schedule.ts";
import { planViews } from "../digest/view-digests.ts";
import { DIGEST_PATIENCE_MS, type DigestEdition } from "../model/digest.ts";
import { jobScope } from "../model/failure.ts";
import { BUCKET_MS } from "../model/judging.ts";
import type { PollKey } from "../model/poll.ts";
import { type SourceName, sourceOfProject } from "../model/query.ts";
import type { Queues } from "../queue/queues.ts";
import type { Stores } from "../store/stores.ts";
import type { createSkipWaiting } from "./skip-waiting.ts";

/** Due work in the tables, by kind. */
export interface SweepResult {
  /** Also those that were skipped. */
  readonly polls: number;
  readonly windows: number;
  /** Queries with a notification decision that is due. */
  readonly decisions: number;
  readonly deliveries: number;
  /** Live messages that show an older state of their alert. */
  readonly edits: number;
  /** Messages that show something that was deleted. */
  readonly corrections: number;
  readonly digests: number;
}

export interface SweepOptions {
  /** Absent: true. False leaves live messages as they are: a driver of a replayed past knows that nobody looks. */
  readonly editsMessages?: boolean;
}

export interface SweepParts extends SweepOptions {
  readonly stores: Stores;
  readonly queues: Queues;
  /** The configuration that runs here, and since when. */
  readonly runs: { readonly version: string | null; readonly openedAt: Instant };
  /** Of the configuration; those of views are read. */
  readonly digests: readonly PlannedDigest[];
  readonly skipWaiting: ReturnType<typeof createSkipWaiting>;
  /** The receivers whose messages use this channel limit. */
  readonly receiversOf: (channel: string) => readonly string[];
  /** Receivers whose messages can be edited now, with these channels closed. */
  readonly liveReceivers: (closed: ReadonlySet<string>) => readonly string[];
  /**
   * The calls that the rate limits of sources allow now, each with the polls that share it, and the sources without a
   * limit, whose polls are asked whenever they are due.
   */
  readonly planPolls: (now: Instant) => Promise<{
    readonly calls: readonly { readonly keys: readonly PollKey[]; readonly groupIds: readonly string[] }[];
    readonly unplanned: readonly SourceName[];
  }>;
  /** Ends due polls that would find nothing, and returns them. */
  readonly skipUnchanged: (now: Instant) => Promise<readonly PollKey[]>;
}

/**
 * Finds due work in the tables and adds a job for each piece. Jobs only point at work: what a crash, a full queue or an
 * emptied Redis lost is found here again. A job is not added if the same one waits already.
 */
export async function sweep(parts: SweepParts, now: Instant): Promise<SweepResult> {
  const { stores, queues } = parts;
  const planned = await parts.planPolls(now);
  const due = await stores.dueWork.find({
    now,
    bucketMs: BUCKET_MS,
    liveReceivers: editable(parts, new Set()),
    unplanned: planned.unplanned,
    mostPolls: MOST,
    mostDeliveries: MOST,
    mostEdits: MOST_EDITS,
  });
  const skipped = due.polls.length === 0 ? [] : await parts.skipUnchanged(now);
  const needless = new Set(skipped.map(pollName));
  const needed = due.polls.filter((poll) => !needless.has(pollName(poll)));
  // Each call with the polls that share it.
  const polls = [
    ...planned.calls,
    ...(await toAdd(parts, needed)).map((poll) => ({ keys: [poll], groupIds: [] })),
  ];
  const { decisions: allDecisions, corrections } = due;
  const { deliveries, edits } = await toOpenChannels(parts, due);
  // Before the digests, which wait until the windows of their period are closed.
  const closed = new Set((await closeAsleep(parts, due.windows)).map(nameOf));
  const windows = due.windows.filter((query) => !closed.has(nameOf(query)));
  const allDigests = await digestsDue(parts, due, now);
  // A failed job runs again when a person requests its replay.
  const given = new Set(due.deadJobs);
  const digests = allDigests.filter(
    ({ name, localDate }) => !given.has(jobScope("build-digest", { name, localDate })),
  );
  // Closing windows makes the decisions of its query as well.
  const closing = new Set(windows.map(nameOf));
  const ticks = windows.filter((query) => !given.has(jobScope("close-windows", query)));
  const decisions = allDecisions.filter(
    (query) => !closing.has(nameOf(query)) && !given.has(jobScope("reconsider-alerts", query)),
  );
  await Promise.all([
    ...polls.map(({ keys, groupIds }) => addPoll(queues.add, keys, groupIds)),
    ...ticks.map((query) => queues.add("close-windows", query, { dedupe: nameOf(query) })),
    ...decisions.map((query) =>
      queues.add("reconsider-alerts", query, { dedupe: `decide-${nameOf(query)}` }),
    ),
    ...deliveries.map((due) => queues.add("deliver", due, { dedupe: due.notificationId })),
    ...edits.map((key) =>
      queues.add("update-message", key, { dedupe: `show-${key.projectId}-${key.alertId}-${key.receiver}` }),
    ),
    ...corrections.map((key) =>
      queues.add("correct-message", key, { dedupe: `correct-${key.notificationId}` }),
    ),
    ...digests.map(({ name, localDate }) =>
      queues.add("build-digest", { name, localDate }, { dedupe: `${name}-${localDate}` }),
    ),
    ...(due.hasStaleCounts ? [queues.add("count-mentions", {}, { dedupe: "count-mentions" })] : []),
  ]);
  return {
    polls: polls.length + skipped.length,
    windows: ticks.length,
    decisions: decisions.length,
    deliveries: deliveries.length,
    edits: edits.length,
    corrections: corrections.length,
    digests: digests.length,
  };
}

function nameOf({ projectId, queryId }: { readonly projectId: string; readonly queryId: string }): string {
  return `${projectId}-${queryId}`;
}

/** Thousands of queries without news cost no more than one. */
async function closeAsleep({ stores, runs: { version, openedAt } }: SweepParts, windows: DueWork["windows"]) {
  if (windows.length === 0) return [];
  return stores.transaction(({ queries }) =>
    queries.closeAsleep(windows, { version, since: openedAt, bucketMs: BUCKET_MS }),
  );
}

type DueWork = Awaited<ReturnType<Stores["dueWork"]["find"]>>;
type Sendable = Pick<DueWork, "deliveries" | "edits">;

/** Messages to closed channels must not use up the places of those to open ones: these are asked for again. */
async function toOpenChannels(
  parts: SweepParts,
  due: Sendable & { readonly closedChannels: readonly string[] },
): Promise<Sendable> {
  if (due.closedChannels.length === 0) return due;
  const { stores, receiversOf } = parts;
  const closed = new Set(due.closedChannels);
  const notTo = due.closedChannels.flatMap(receiversOf);
  const [deliveries, edits] = await Promise.all([
    stores.notifications.due(MOST, notTo),
    stores.alertMessages.due(editable(parts, closed), MOST_EDITS),
  ]);
  return { deliveries, edits };
}

/** The polls without a rate limit that no job waits for yet. */
async function toAdd({ skipWaiting }: SweepParts, polls: readonly PollKey[]): Promise<readonly PollKey[]> {
  const byQueue = groupBy(polls, ({ projectId }) => (isOfFeeds(projectId) ? "poll-feeds" : "poll"));
  const chosen = [...byQueue].map(([queue, ofQueue]) => skipWaiting(queue, ofQueue, pollName));
  return (await Promise.all(chosen)).flat();
}

function isOfFeeds(projectId: string): boolean {
  return sourceOfProject(projectId) === "feeds";
}

function pollName({ projectId, queryId, poll }: PollKey): string {
  return `${projectId}-${queryId}-${poll}`;
}

function editable({ liveReceivers, editsMessages = true }: SweepParts, closed: ReadonlySet<string>) {
  return editsMessages ? liveReceivers(closed) : [];
}

/** Adds the job of one call, or hands it over; several keys share it, and groups name some of them. */
export async function addPoll(
  add: Queues["add"] | Queues["handOver"],
  keys: readonly PollKey[],
  groupIds: readonly string[] = [],
): Promise<void> {
  const [first] = keys;
  if (first === undefined) return;
  const { projectId, queryId, poll } = first;
  const dedupe = pollName(first);
  const queryIds = keys.map((key) => key.queryId);
  const job = isOfFeeds(projectId) ? "poll-feeds" : "poll-query";
  if (queryIds.length === 1) await add(job, { projectId, queryId, poll }, { dedupe });
  else
    await add(
      "poll-together",
      { projectId, queryIds, poll, ...(groupIds.length > 0 && { groupIds: [...groupIds] }) },
      { dedupe: `${dedupe}-together` },
    );
}

/** Anything beyond this is left to the next sweep, so that no sweep is long. */
const MOST = 500;

/** Edits are allowed about one a second. */
const MOST_EDITS = 50;

/** Announces the editions that are due by now; those that can be built. */
async function digestsDue(
  { stores, digests: configured }: SweepParts,
  { hasDigests, hasMails }: Pick<DueWork, "hasDigests" | "hasMails">,
  now: Instant,
): Promise<readonly DigestEdition[]> {
  const digests = [...configured, ...(hasMails ? planViews(await stores.views.mails()) : [])];
  const announced = await announceDigests(stores.digests, digests, now);
  const editions = hasDigests || announced > 0 ? await stores.digests.due() : [];
  if (editions.length === 0) return [];
  const queries = await stores.queries.active();
  const ready: DigestEdition[] = [];
  for (const edition of editions) {
    const patterns = digests.find((digest) => digest.name === edition.name)?.queries ?? [];
    const ofEdition = queries.filter((query) =>
      fitsQuery(patterns, { queryId: query.queryId, queryName: query.name }),
    );
    const completeUntil = await stores.polls.completeUntilOf(ofEdition);
    // An alert that ended in the last minutes of the period is resolved only after its windows are evaluated.
    const judged = ofEdition.every(({ tickedUntil }) => tickedUntil >= floorTo(edition.period.to, BUCKET_MS));
    const readUntil = judged ? completeUntil : edition.period.from;
    const readiness = readinessOf(edition.period, readUntil, now, DIGEST_PATIENCE_MS);
    if (readiness.outcome !== "Waits") ready.push(edition);
  }
  return ready;
}
