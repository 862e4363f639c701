import type { Instant } from "../../lib/instant.ts";
import type { DigestEdition } from "../model/digest.ts";
import type { PlannedDigest } from "./planned-digest.ts";
import { dueDigest } from "./schedule.ts";

export interface AnnounceStore {
  /** When the digest was first seen in a configuration; `now` if it is new. */
  since(name: string, now: Instant): Promise<Instant>;
  latest(name: string): Promise<DigestEdition | null>;
  /** Announces an edition once, however many processes try. */
  announce(edition: DigestEdition): Promise<void>;
}

/** Stores every due digest before any job for it, so that two workers cannot build two of it. */
export async function announceDigests(
  store: AnnounceStore,
  digests: readonly PlannedDigest[],
  now: Instant,
): Promise<void> {
  for (const digest of digests) {
    const since = await store.since(digest.name, now);
    const latest = await store.latest(digest.name);
    const last = latest === null ? null : { key: latest.localDate, periodTo: latest.period.to };
    const due = dueDigest(digest, last, since, now);
    if (due.outcome === "Waits") continue;
    const { key, at, period, before } = due.occurrence;
    await store.announce({ name: digest.name, localDate: key, dueAt: at, period, before });
  }
}
