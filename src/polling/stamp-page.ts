import type { SourcePage } from "../ingest/source-page.ts";
import { type Instant, MINUTE, SECOND } from "../lib/instant.ts";
import type { ObservedQuirk } from "../model/server-quirk.ts";

export interface StampedPage extends SourcePage {
  /** When it was sent, by the server's clock if that is known. */
  readonly sentAt: Instant;
}

/** A large page takes minutes to arrive: smaller differences say nothing about the server's clock. */
const LONGEST_WAY_MS = 2 * MINUTE;

/** The page that arrived `now`, with the offset of the server's clock. */
export function stampPage(page: SourcePage, now: Instant): StampedPage {
  const behindMs = page.servedAt == null ? 0 : now - page.servedAt;
  const sentAt = page.servedAt ?? now;
  return { ...page, sentAt, ...(Math.abs(behindMs) > LONGEST_WAY_MS && { behindMs }) };
}

const TOLERANCE_MS = 5 * SECOND;

/** The server's clock as the page shows it; null if it does not. */
export function clockOf({ servedAt, mentions }: SourcePage, now: Instant): ObservedQuirk | null {
  if (servedAt == null) {
    const ms = mentions.reduce((most, { addedAt }) => Math.max(most, addedAt), 0) - now;
    return ms > TOLERANCE_MS ? { quirk: "clock", value: "ahead", ms } : null;
  }
  const aheadMs = servedAt - now;
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return { quirk: "clock", value: "agrees", ms: 0 };
  return { quirk: "clock", value: aheadMs > 0 ? "ahead" : "behind", ms: Math.abs(aheadMs) };
}
