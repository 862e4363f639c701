import type { Instant } from "../../lib/instant.ts";
import type { DigestEdition } from "../model/digest.ts";
import { spanOfMoments } from "../views/range.ts";
import type { PlannedDigest } from "./planned-digest.ts";
import { dueDigest } from "./schedule.ts";
import { rangeOfView, readMailedView } from "./view-digests.ts";

interface AnnounceStore {
  /** When the digest was first seen in a configuration; `now` if it is new. */
  since(name: string, now: Instant): Promise<Instant>;
  latest(name: string): Promise<DigestEdition | null>;
  /** Announces an edition once, however many processes try. */
  announce(edition: DigestEdition): Promise<void>;
}

/**
 * Stores every due digest before any job for it, so that two workers cannot build two of it. Returns how many were due.
 */
export async function announceDigests(
  store: AnnounceStore,
  digests: readonly PlannedDigest[],
  now: Instant,
): Promise<number> {
  let count = 0;
  for (const digest of digests) {
    const { since, last } = digest.known ?? (await ask(store, digest.name, now));
    const due = dueDigest(digest, last, since, now);
    if (due.outcome === "Waits") continue;
    const { key, at } = due.occurrence;
    const { period, before } = periodsOfView(digest, at) ?? due.occurrence;
    await store.announce({ name: digest.name, localDate: key, dueAt: at, period, before });
    count += 1;
  }
  return count;
}

async function ask(
  store: AnnounceStore,
  name: string,
  now: Instant,
): Promise<NonNullable<PlannedDigest["known"]>> {
  const since = await store.since(name, now);
  const latest = await store.latest(name);
  return { since, last: latest === null ? null : { key: latest.localDate, periodTo: latest.period.to } };
}

/** A view has a range of its own. */
function periodsOfView({ view, timezone }: PlannedDigest, at: Instant) {
  const read = view === undefined ? null : readMailedView(view.address);
  if (read === null) return null;
  const { moments, before } = rangeOfView(read.question, at, timezone);
  return { period: spanOfMoments(moments), before: spanOfMoments(before) };
}
