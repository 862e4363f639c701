import { formatDuration } from "../../../../lib/duration.ts";
import type { Instant } from "../../../../lib/instant.ts";
import { firedAtOf } from "../../../model/alert.ts";
import { CLOCK_AHEAD_MS } from "../../../model/poll.ts";
import type { Batch, GroupTerms, HeldCandidate, Outgoing } from "../batch.ts";
import { bundle } from "../bundle.ts";

/**
 * Sends the alerts of one group in one message. The first news of a group waits `groupWait` for more, counted from when
 * the alert fired (or ended). After a message about the group the next waits until `groupInterval` has passed. Then one
 * message brings everything new. A rise in severity and an escalation step do not wait.
 */
export function group(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const held: HeldCandidate[] = [...batch.held];
  const groups = new Map<string, { terms: GroupTerms; news: Outgoing[] }>();
  for (const outgoing of batch.send) {
    const terms = outgoing.candidate.terms.group;
    if (terms === null || isUrgent(outgoing)) {
      send.push(outgoing);
      continue;
    }
    const found = groups.get(terms.key) ?? { terms, news: [] };
    found.news.push(outgoing);
    groups.set(terms.key, found);
  }
  for (const { terms, news } of groups.values()) {
    const dueAt = dueAtOf(batch, terms, news);
    if (batch.now >= dueAt.at) {
      send.push(bundle(news));
      continue;
    }
    held.push(
      ...news.map(({ candidate }) => ({
        candidate,
        reason: "HeldByGroup" as const,
        by: dueAt.by,
        until: dueAt.at,
      })),
    );
  }
  return { ...batch, send, held };
}

function isUrgent({ reason }: Outgoing): boolean {
  return reason === "SeverityRose" || reason === "Escalated";
}

function dueAtOf(
  { receiver, now }: Batch,
  { key, waitMs, intervalMs }: GroupTerms,
  news: readonly Outgoing[],
): { at: Instant; by: string } {
  const waitEnd = Math.min(...news.map(newsAt)) + waitMs;
  const flushedAt = receiver.flushes?.get(key);
  // A clock may have been ahead when it was written.
  const isKnown = flushedAt !== undefined && flushedAt <= now + CLOCK_AHEAD_MS;
  const intervalEnd = isKnown ? flushedAt + intervalMs : Number.NEGATIVE_INFINITY;
  return intervalEnd > waitEnd
    ? { at: intervalEnd, by: `groupInterval ${formatDuration(intervalMs)}` }
    : { at: waitEnd, by: `groupWait ${formatDuration(waitMs)}` };
}

/** An alert that ended before it was announced has been news since it fired. */
function newsAt({ reason, candidate: { alert } }: Outgoing): Instant {
  const ended = reason === "Resolved" ? alert.resolvedAt : null;
  return ended ?? firedAtOf(alert);
}
