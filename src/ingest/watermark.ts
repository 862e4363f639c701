import { DAY, type Instant } from "../lib/instant.ts";
import { type Coverage, coverageOf } from "./coverage.ts";

/**
 * Arithmetic of the two walks of a query: over what is new, by `added`, and over what has changed, by `updated`.
 *
 * A cursor resumes an interrupted walk and nothing else. A finished walk starts again from its watermark less an
 * overlap, because indexing is asynchronous: mentions become visible with an `added` that lies in the past, behind
 * where the last cursor stands, and whether that cursor would ever show them is not documented. What the overlap
 * shows again is recognised by (query, resourceId). No mention is missed that becomes visible within `overlapMs`.
 */
export type WalkKind = "added" | "updated";

/** What is stored of a walk, in the transaction of the page that led to it. */
export interface WalkState {
  /** The highest `added` (or `updated`) seen, but never ahead of our own clock. Never moves back. */
  readonly watermark: Instant | null;
  /** Everything that arrived before this has been seen. Moves when a walk ends, and never back. */
  readonly completeUntil: Instant | null;
  /** A walk that has begun and not ended. */
  readonly running: RunningWalk | null;
  /** A gap that the next walk goes over again, and how often that has been tried. */
  readonly gap: { readonly from: Instant; readonly tries: number } | null;
  /** How often it was taken past a page that always fails, since a walk last came to its end; none where absent. */
  readonly stepped?: number;
}

/** Its parameters are kept, because a cursor is only good with the same ones. */
export interface RunningWalk {
  readonly startedAt: Instant;
  readonly since: Instant;
  readonly startDate: Instant;
  readonly endDate: Instant;
  /** Null before the first page. */
  readonly cursor: string | null;
  readonly total: number | null;
  readonly seen: number;
}

export interface WalkSettings {
  readonly overlapMs: number;
  /** How long after its `added` a mention may take to become visible, for the claim to be complete. */
  readonly settleMs: number;
  /** How far the publication of a mention may lie behind its arrival. Wide: what lies outside is never seen. */
  readonly lookbackMs: number;
  /** Where the first walk begins. */
  readonly historyFrom: Instant;
}

/** Parameters of the mentions call, in the names of the API. */
export interface WalkRequest {
  readonly startDate: Instant;
  readonly endDate: Instant;
  readonly orderBy: WalkKind;
  readonly orderDirection: "asc";
  readonly cursor: string | null;
  readonly sinceAdded?: Instant;
  readonly sinceUpdated?: Instant;
}

/** What a page says about the walk. */
export interface WalkedPage {
  /** Highest `added` (or `updated`) on it; null on an empty page. */
  readonly highest: Instant | null;
  /** All that it holds, with what could not be kept. */
  readonly rows: number;
  /** How many of them an earlier page of this walk had already: a mention that changed meanwhile moves to the end. */
  readonly repeated: number;
  readonly total: number | null;
  readonly nextCursor: string | null;
  /** The page size in force: a page with fewer rows is the last. Null where nobody knows it. */
  readonly pageSize: number | null;
}

export const NEW_WALK: WalkState = { watermark: null, completeUntil: null, running: null, gap: null };

/** The next call. `state.running` is set afterwards; keep it for `afterPage`. */
export function nextCall(
  kind: WalkKind,
  state: WalkState,
  settings: WalkSettings,
  now: Instant,
): { readonly outcome: "Begins" | "Resumes"; readonly request: WalkRequest; readonly state: WalkState } {
  const running = state.running ?? begin(state, settings, now);
  const { startDate, endDate, cursor, since } = running;
  const request: WalkRequest = {
    startDate,
    endDate,
    orderBy: kind,
    orderDirection: "asc",
    cursor,
    ...(kind === "added" ? { sinceAdded: since } : { sinceUpdated: since }),
  };
  return { outcome: state.running ? "Resumes" : "Begins", request, state: { ...state, running } };
}

/** The state to store with a page, and whether the walk goes on. */
export function afterPage(state: WalkState, page: WalkedPage, settings: WalkSettings): AfterPage {
  const { running } = state;
  if (running === null) throw new Error("A page belongs to a walk, and none is running");
  const ends = endOf(running, page);
  const walked: RunningWalk = {
    ...running,
    cursor: page.nextCursor,
    // Only the first page's count belongs to the moment that the walk claims; where several queries share a walk, the
    // last page tells.
    total: running.cursor === null ? page.total : (running.total ?? page.total),
    seen: running.seen + page.rows - page.repeated,
  };
  // Ascending order: all that was visible below the highest has been seen, so it may move before the walk has ended.
  // A clock of the source that runs ahead of ours must not carry the watermark past mentions still to come.
  const highest = Math.min(page.highest ?? Number.NEGATIVE_INFINITY, running.startedAt);
  const watermark = Math.max(state.watermark ?? Number.NEGATIVE_INFINITY, highest);
  const moved = { ...state, watermark: Number.isFinite(watermark) ? watermark : null, running: walked };
  if (ends === null) return { outcome: "GoesOn", state: moved };
  return { ...endWalk(moved, settings), because: ends };
}

export type AfterPage =
  | { readonly outcome: "GoesOn"; readonly state: WalkState }
  | {
      readonly outcome: "Ended";
      readonly because: "empty-page" | "no-cursor" | "short-page" | "repeated-cursor";
      readonly state: WalkState;
      readonly coverage: Coverage;
    };

/**
 * Ends a walk and states what it covers. A gap is walked again, GAP_TRIES times, and until then nothing is claimed to
 * be complete; after that it stands in the ledger of coverage for people to see, and holds up nothing any more.
 */
export function endWalk(state: WalkState, settings: WalkSettings) {
  const { running } = state;
  if (running === null) throw new Error("No walk is running that could end");
  const to = running.startedAt - settings.settleMs;
  const coverage = coverageOf({ from: running.since, to, total: running.total, seen: running.seen });
  const tries = (state.gap?.tries ?? 0) + 1;
  const gap = coverage.outcome === "Gap" && tries <= GAP_TRIES ? { from: running.since, tries } : null;
  const completeUntil = gap ? state.completeUntil : Math.max(state.completeUntil ?? to, to);
  return {
    outcome: "Ended" as const,
    coverage,
    state: { watermark: state.watermark, completeUntil, running: null, gap } satisfies WalkState,
  };
}

/** The source refuses the cursor (too old, or it has forgotten it): the next walk starts from the watermark. */
export function abandonWalk(state: WalkState): WalkState {
  return { ...state, running: null };
}

const GAP_TRIES = 2;

function begin(state: WalkState, settings: WalkSettings, now: Instant): RunningWalk {
  const { watermark, gap } = state;
  // "After" excludes the moment itself, at which more may still appear.
  const overlapped = watermark === null ? settings.historyFrom : watermark - Math.max(settings.overlapMs, 1);
  const since = Math.min(overlapped, gap?.from ?? overlapped);
  return {
    startedAt: now,
    since,
    startDate: since - settings.lookbackMs,
    // Authors' clocks and zones are often wrong; a mention from tomorrow is a mention.
    endDate: now + DAY,
    cursor: null,
    total: null,
    seen: 0,
  };
}

function endOf(running: RunningWalk, page: WalkedPage) {
  if (page.rows === 0) return "empty-page" as const;
  if (page.nextCursor === null) return "no-cursor" as const;
  if (page.nextCursor === running.cursor) return "repeated-cursor" as const;
  return page.pageSize !== null && page.rows < page.pageSize ? ("short-page" as const) : null;
}
