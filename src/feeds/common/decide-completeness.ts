import { DAY, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import type { ListedDocument } from "./define-feed.ts";

/** What a fetch of a document has brought. */
interface FetchedDocument {
  readonly document: Pick<ListedDocument, "coversMs" | "oldestAt">;
  /** Items of it that were stored before, and those that were not. */
  readonly known: number;
  readonly added: number;
  /** It breaks off: items that are known may stand in the part that did not come. */
  readonly isBroken: boolean;
  /** Items that documents which broke off have brought since the feed was read whole: they prove nothing. */
  readonly unproven: number;
  /** When the feed was read whole before; null: never. */
  readonly readAt: Instant | null;
  readonly now: Instant;
}

type Completeness =
  /** Some of its items are known: nothing can be missing between them and the new ones. */
  | { readonly outcome: "Overlaps" }
  /** It is read for the first time, or has nothing to compare. */
  | { readonly outcome: "NothingToCompare" }
  /** It breaks off, and none of its items is known: the next whole one shows whether some are missing. */
  | { readonly outcome: "Unproven" }
  /** None of its items is known: it turned over between two fetches, and some may never have been seen. */
  | { readonly outcome: "Gap"; readonly from: Instant; readonly to: Instant };

/** Whether a document continues the one before. Pure. */
export function decideCompleteness(fetched: FetchedDocument): Completeness {
  const { document, known, added, isBroken, unproven, readAt, now } = fetched;
  if (readAt === null || added + unproven === 0) return { outcome: "NothingToCompare" };
  if (known > unproven) return { outcome: "Overlaps" };
  if (isBroken) return { outcome: "Unproven" };
  const to = Math.min(Math.max(document.oldestAt ?? now, readAt), now);
  return { outcome: "Gap", from: readAt, to };
}

/** Nobody is asked more often. */
const LEAST_MS = MINUTE;
/** A document that covers less than this many intervals is read more often: one fetch may fail. */
const INTERVALS = 3;

/**
 * How often a document is read, in milliseconds: as configured, or more often if it turns over faster. After a gap it is
 * half of what it was; after that, as often as its documents show that it is enough.
 */
export function decideInterval(
  configuredMs: number,
  {
    coversMs,
    beforeMs,
    isGap,
  }: { readonly coversMs: number | null; readonly beforeMs: number; readonly isGap: boolean },
): number {
  if (isGap) return Math.max(LEAST_MS, Math.min(configuredMs, Math.round(beforeMs / 2)));
  const enoughMs = coversMs === null ? configuredMs : Math.round(coversMs / INTERVALS);
  // Slowly back, as a feed is quiet at night.
  const nextMs = Math.min(enoughMs, Math.round(beforeMs * 1.2));
  return Math.max(LEAST_MS, Math.min(configuredMs, nextMs));
}

/** A feed that is pushed is read this seldom besides: hubs lose things, and end without a word. */
const PUSHED_EVERY_MS = HOUR;

/**
 * How often a feed is read that its hub pushes: seldom, but before its document turns over, as what the hub loses is there
 * only so long.
 */
export function pushedEveryMs(everyMs: number, coversMs: number | null): number {
  const enoughMs = coversMs === null ? PUSHED_EVERY_MS : Math.round(coversMs / INTERVALS);
  return Math.max(everyMs, Math.min(PUSHED_EVERY_MS, enoughMs));
}

/** Below, the text of an item is an excerpt that its feed has made. */
const TEASER_LENGTH = 300;

/** Whether a feed brings excerpts only: words behind them are not seen. */
export function isTeaser({ usualLength }: Pick<ListedDocument, "usualLength">): boolean {
  return usualLength !== null && usualLength < TEASER_LENGTH;
}

/** The time that items cover, for dates of two or more. */
export function spanOf(
  dates: readonly (Instant | null)[],
  now: Instant,
): Pick<ListedDocument, "coversMs" | "oldestAt"> {
  const known = dates.filter(
    (date) => date !== null && date > now - 3_650 * DAY && date <= now + DAY,
  ) as Instant[];
  if (known.length < 2) return { coversMs: null, oldestAt: known[0] ?? null };
  let [oldest, newest] = [Number.POSITIVE_INFINITY, 0];
  for (const date of known) {
    oldest = Math.min(oldest, date);
    newest = Math.max(newest, date);
  }
  return { coversMs: newest - oldest, oldestAt: oldest };
}
