import { DAY, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import type { PollKind } from "../model/poll.ts";
import { momentOf, type PollRequest, type PollState, sinceOf, sinceQuirk } from "../model/poll-state.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { ObservedQuirk, ServerQuirks } from "../model/server-quirk.ts";
import type { Coverage } from "./coverage.ts";

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
function clockOf({ servedAt, mentions }: SourcePage, now: Instant): ObservedQuirk | null {
  if (servedAt == null) {
    const ms = mentions.reduce((most, { addedAt }) => Math.max(most, addedAt), 0) - now;
    return ms > TOLERANCE_MS ? { quirk: "clock", value: "ahead", ms } : null;
  }
  const aheadMs = servedAt - now;
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return { quirk: "clock", value: "agrees", ms: 0 };
  return { quirk: "clock", value: aheadMs > 0 ? "ahead" : "behind", ms: Math.abs(aheadMs) };
}

interface Asking {
  readonly queries: readonly WatchedQuery[];
  readonly request: PollRequest;
}

/** What a page is compared with. */
export interface PageContext {
  readonly now: () => Instant;
  /** Whether something is stored that a server which applies the request would leave out. */
  readonly hasOlder: (queries: readonly WatchedQuery[], request: PollRequest) => Promise<boolean>;
}

/** What one page shows about the server. `before`: how many pages of this poll came before it. */
export async function seenOn(
  page: SourcePage,
  { now, hasOlder }: PageContext,
  quirks: ServerQuirks,
  { queries, request }: Asking,
  before: number,
): Promise<ObservedQuirk[]> {
  const found: ObservedQuirk[] = [];
  if (page.mentions.some(({ publishedAt }) => publishedAt === null))
    found.push({ quirk: "dates", value: "missing" });
  if ((before > 0 || request.cursor !== null) && request.path.pages === "cursor")
    found.push({ quirk: "cursors", value: "followed" });
  const clock = clockOf(page, now());
  if (clock !== null) found.push(clock);
  if (before > 0 || request.cursor !== null || request.path.since === "withheld") return found;
  const quirk = sinceQuirk(request);
  const since = sinceOf(request);
  // Some servers read the moment in whole seconds.
  if (page.mentions.some((one) => momentOf(request, one) < since - SECOND))
    return [...found, { quirk, value: "ignored" }];
  const known = quirks.get(quirk)?.value;
  if (known === "honoured") return found;
  if (known === undefined || known === "refused") found.push({ quirk, value: "accepted" });
  if (await hasOlder(queries, request)) found.push({ quirk, value: "honoured" });
  return found;
}

/** Whether the rows behind a page existed when it was sent: mentions arrive while pages are fetched. */
export function wentOn(before: StampedPage, { mentions }: SourcePage, request: PollRequest): boolean {
  const known = new Set(before.mentions.map(({ resourceId }) => resourceId));
  return mentions.some((one) => momentOf(request, one) <= before.sentAt && !known.has(one.resourceId));
}

/** A page with fewer mentions than requested. */
export interface ShortPage {
  readonly rows: number;
  /** All rows of its poll so far. */
  readonly sent: number;
  readonly total: number | null;
  /** The most mentions that this server ever sent on one page. */
  readonly fullest: number;
  /** More followed such a page of this poll. */
  readonly goOn: boolean;
}

/**
 * Whether such a page is the last, whatever its cursor: a server may allow fewer on a page than requested without
 * a word about it. Its total decides if that was right before; else a page is the last if the server has sent fuller ones.
 */
export function isLastPage(
  { rows, sent, total, fullest, goOn }: ShortPage,
  quirks: ServerQuirks,
  now: Instant,
): boolean {
  const known = quirks.get("total")?.value;
  const isWrong = known === "high" || known === "low" || quirks.has("repeated-rows");
  if (total !== null && !isWrong && sent < total) return false;
  if (total !== null && !isWrong && known === "agrees") return true;
  const seen = quirks.get("short-pages");
  const wentOn = seen?.value === "go-on" && now - seen.lastAt < DAY;
  return !goOn && !wentOn && rows < fullest;
}

/** What a finished poll shows about the server. */
export function quirksOfPoll(
  poll: PollKind,
  completed: { readonly after: PollState; readonly coverage: Coverage },
  seen: {
    readonly added: number;
    readonly repeated: number;
    readonly lateMs: number;
    readonly restamped: number;
  },
): ObservedQuirk[] {
  const found: ObservedQuirk[] = [];
  // A mention that changes while the updated poll runs comes again, and should.
  if (poll === "added" && seen.repeated > 0) found.push({ quirk: "repeated-rows", value: "seen" });
  if (poll === "added" && seen.lateMs > 0)
    found.push({ quirk: "late-indexing", value: "seen", ms: seen.lateMs });
  if (seen.restamped > 0) found.push({ quirk: "restamped-added", value: "seen" });
  const total = totalOf(completed, seen.added);
  if (total !== null) found.push(total);
  return found;
}

function totalOf(
  { after, coverage }: { readonly after: PollState; readonly coverage: Coverage },
  added: number,
): ObservedQuirk | null {
  const { total, seen } = coverage;
  if (total === null) return { quirk: "total", value: "none" };
  // Some of the new mentions may have come after the count.
  if (seen - added > total) return { quirk: "total", value: "low" };
  if (coverage.outcome === "Gap")
    return (after.gap?.tries ?? 0) >= HIGH_AFTER ? { quirk: "total", value: "high" } : null;
  return seen === total && total > 0 ? { quirk: "total", value: "agrees" } : null;
}

/** After this many polls in vain, the total is wrong. */
const HIGH_AFTER = 3;
