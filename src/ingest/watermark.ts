import { DAY, type Instant, MINUTE } from "../lib/instant.ts";
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

/** How a walk is asked for, as far as the server allows. */
export interface WalkPath {
  /** desc: the newest first, down to what is known. Then the watermark moves when the walk ends, and not before. */
  readonly direction: "asc" | "desc";
  /** Whether the moment to begin at is sent, or only kept in mind because the server does not heed it. */
  readonly since: "sent" | "withheld";
  /** number: the server refuses its own cursors. */
  readonly pages: "cursor" | "number";
}

export const PLAIN_PATH: WalkPath = { direction: "asc", since: "sent", pages: "cursor" };

/** What is stored of a walk, in the transaction of the page that led to it. */
export interface WalkState {
  /** The highest `added` (or `updated`) seen, but never ahead of our own clock. Never moves back. */
  readonly watermark: Instant | null;
  /** Everything that arrived before this has been seen. Moves when a walk ends, and never back. */
  readonly completeUntil: Instant | null;
  /** A walk that has begun and not ended. */
  readonly running: RunningWalk | null;
  /** What a walk did not see and the server says is there; it is gone over again until it is found. */
  readonly gap: WalkGap | null;
  /** Where a walk that was given up in its middle goes on, if that is further than its watermark would lead. */
  readonly continueFrom?: Instant;
  /** Where the walk began that goes on there. */
  readonly passFrom?: Instant;
  /** The next walk asks for pages by number: with cursors it came to the same place twice. */
  readonly byNumber?: boolean;
  /** How often it was taken past a page that always fails, since a walk last came to its end; none where absent. */
  readonly stepped?: number;
  /** The last page's cursor and the walk it belongs to, where it had one. */
  readonly tail?: WalkTail | null;
}

export interface WalkGap {
  readonly from: Instant;
  /** How often it was gone over in vain. The first times at once, and nothing is claimed meanwhile; then ever less often. */
  readonly tries: number;
  readonly missing?: number;
  /** When it was noticed, and when it is gone over again. */
  readonly noticedAt?: Instant;
  readonly nextAt?: Instant;
}

export type WalkTail = Pick<RunningWalk, "since" | "startDate" | "endDate"> & { readonly cursor: string };

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
  /** Where it began, if it goes on from the middle of one that was given up. */
  readonly passFrom?: Instant;
  /** Plain where absent. */
  readonly path?: WalkPath;
  /** Highest moment on its own pages; absent before the first row. */
  readonly highest?: Instant | null;
}

export interface WalkSettings {
  readonly overlapMs: number;
  /** How long after its `added` a mention may take to become visible, for the claim to be complete. */
  readonly settleMs: number;
  /** How far the publication of a mention may lie behind its arrival. Wide: what lies outside is never seen. */
  readonly lookbackMs: number;
  /** Where the first walk begins. */
  readonly historyFrom: Instant;
  /** How far behind a walk has to be for the newest to come first; never where absent. */
  readonly newestFirstBehindMs?: number;
  /** Plain where absent. */
  readonly path?: WalkPath;
}

/** Parameters of the mentions call, in the names of the API, and what the call has to know besides. */
export interface WalkRequest {
  readonly startDate: Instant;
  readonly endDate: Instant;
  readonly orderBy: WalkKind;
  readonly orderDirection: "asc" | "desc";
  readonly cursor: string | null;
  readonly sinceAdded?: Instant;
  readonly sinceUpdated?: Instant;
  readonly path: WalkPath;
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
  const { continueFrom, passFrom, byNumber, ...rest } = state;
  const running = state.running ?? begin(kind, state, settings, now);
  return {
    outcome: state.running ? "Resumes" : "Begins",
    request: requestOf(kind, running),
    state: { ...rest, running },
  };
}

export function requestOf(
  kind: WalkKind,
  walk: Pick<RunningWalk, "since" | "startDate" | "endDate" | "cursor" | "path">,
): WalkRequest {
  const { startDate, endDate, cursor, since, path = PLAIN_PATH } = walk;
  return {
    startDate,
    endDate,
    orderBy: kind,
    orderDirection: path.direction,
    cursor,
    ...(kind === "added" ? { sinceAdded: since } : { sinceUpdated: since }),
    path,
  };
}

/** The state to store with a page, and whether the walk goes on. */
export function afterPage(state: WalkState, page: WalkedPage, settings: WalkSettings): AfterPage {
  const { running } = state;
  if (running === null) throw new Error("A page belongs to a walk, and none is running");
  const ends = endOf(running, page);
  // A clock of the source that runs ahead of ours must not carry the watermark past mentions still to come.
  const highest = Math.min(page.highest ?? Number.NEGATIVE_INFINITY, running.startedAt);
  const reached = Math.max(running.highest ?? Number.NEGATIVE_INFINITY, highest);
  const walked: RunningWalk = {
    ...running,
    cursor: page.nextCursor,
    // Only the first page's count belongs to the moment that the walk claims; where several queries share a walk, the
    // last page tells.
    total: running.cursor === null ? page.total : (running.total ?? page.total),
    seen: running.seen + page.rows - page.repeated,
    ...(Number.isFinite(reached) && { highest: reached }),
  };
  // Ascending order: all that was visible below the highest has been seen, so it may move before the walk has ended.
  const moves = !isDown(running) || ends !== null;
  const watermark = Math.max(
    state.watermark ?? Number.NEGATIVE_INFINITY,
    moves ? reached : Number.NEGATIVE_INFINITY,
  );
  const moved = { ...state, watermark: Number.isFinite(watermark) ? watermark : null, running: walked };
  if (ends === null) return { outcome: "GoesOn", state: moved };
  const isCutOff =
    ends === "no-cursor" && page.pageSize !== null && page.rows >= page.pageSize && !isDown(running);
  return { ...endWalk(moved, settings, isCutOff ? "cut-off" : "ended"), because: ends };
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
 * Ends a walk and states what it covers. A gap is gone over again at once, GAP_TRIES times, and until then nothing is
 * claimed to be complete; after that it stands, is gone over again ever less often, and holds up nothing any more.
 *
 * @param how `cut-off`: the last page was full and had no cursor, so what is missing lies behind it
 */
export function endWalk(state: WalkState, settings: WalkSettings, how: "ended" | "cut-off" = "ended") {
  const { running } = state;
  if (running === null) throw new Error("No walk is running that could end");
  const to = running.startedAt - settings.settleMs;
  const coverage = coverageOf({ from: running.since, to, total: running.total, seen: running.seen });
  const gap = gapAfter(state, running, coverage, how === "cut-off" ? progressOf(state, settings) : null);
  const isClaimed = gap === null || gap.tries > GAP_TRIES;
  const completeUntil = isClaimed ? Math.max(state.completeUntil ?? to, to) : state.completeUntil;
  const { since, startDate, endDate, cursor, path = PLAIN_PATH } = running;
  const tail = cursor === null || path.pages === "number" ? null : { since, startDate, endDate, cursor };
  return {
    outcome: "Ended" as const,
    coverage,
    state: { watermark: state.watermark, completeUntil, running: null, gap, tail } satisfies WalkState,
  };
}

function gapAfter(
  { gap }: WalkState,
  running: RunningWalk,
  coverage: Coverage,
  goesOnFrom: Instant | null,
): WalkGap | null {
  const since = running.passFrom ?? running.since;
  const covers = gap === null || since <= gap.from;
  if (coverage.outcome !== "Gap") return covers ? null : gap;
  const { missing } = coverage;
  if (gap !== null && !covers) {
    // A server whose total is always a few too high must not have everything asked for three times: only more than is
    // known to be missing is a gap of its own.
    return missing > (gap.missing ?? 0) ? { ...gap, missing, tries: 1, nextAt: running.startedAt } : gap;
  }
  const noticedAt = gap?.noticedAt ?? running.startedAt;
  const from = goesOnFrom ?? since;
  // Cut off further on than before, it is getting on.
  const getsOn = goesOnFrom !== null && gap !== null && goesOnFrom > gap.from;
  const tries = getsOn ? 1 : (gap?.tries ?? 0) + 1;
  const pause = tries > GAP_TRIES ? Math.min(DAY, FIRST_PAUSE_MS * 2 ** (tries - GAP_TRIES - 1)) : 0;
  return { from, tries, missing, noticedAt, nextAt: running.startedAt + pause };
}

/**
 * The source refuses the cursor (too old, or it has forgotten it): the next walk starts from the watermark, or further
 * on where that would lead to the same page for ever.
 */
export function abandonWalk(state: WalkState, settings?: Pick<WalkSettings, "overlapMs">): WalkState {
  const { running, watermark } = state;
  const abandoned = { ...state, running: null };
  if (running === null || settings === undefined || running.cursor === null) return abandoned;
  const isStuck = isDown(running) || (watermark ?? 0) - settings.overlapMs <= running.since;
  if (!isStuck) return abandoned;
  const goesOnFrom = isDown(running) ? null : progressOf(state, settings);
  if (goesOnFrom === null) return { ...abandoned, byNumber: true };
  return { ...abandoned, continueFrom: goesOnFrom, passFrom: running.passFrom ?? running.since };
}

/** How far an ascending walk has come for good: what is indexed late may still appear behind its beginning. */
function progressOf({ running }: WalkState, { overlapMs }: Pick<WalkSettings, "overlapMs">): Instant | null {
  if (running?.highest == null) return null;
  const from = Math.min(running.highest - 1, running.startedAt - Math.max(overlapMs, 1));
  return from > running.since ? from : null;
}

const GAP_TRIES = 2;
const FIRST_PAUSE_MS = 10 * MINUTE;

function begin(kind: WalkKind, state: WalkState, settings: WalkSettings, now: Instant): RunningWalk {
  const { watermark, gap } = state;
  // "After" excludes the moment itself, at which more may still appear.
  const overlapped = watermark === null ? settings.historyFrom : watermark - Math.max(settings.overlapMs, 1);
  const isDue = gap !== null && (gap.tries <= GAP_TRIES || now >= (gap.nextAt ?? now));
  const since = state.continueFrom ?? (isDue ? Math.min(overlapped, gap.from) : overlapped);
  const { path = PLAIN_PATH } = settings;
  const newestFirst =
    kind === "added" && watermark !== null && now - watermark > (settings.newestFirstBehindMs ?? Infinity);
  const taken: WalkPath = {
    ...path,
    ...(newestFirst && { direction: "desc" }),
    ...(state.byNumber === true && { pages: "number" }),
  };
  return {
    startedAt: now,
    since,
    startDate: since - settings.lookbackMs,
    // Authors' clocks and zones are often wrong; a mention from tomorrow is a mention.
    endDate: now + DAY,
    cursor: null,
    total: null,
    seen: 0,
    ...(state.continueFrom !== undefined && state.passFrom !== undefined && { passFrom: state.passFrom }),
    path: taken,
  };
}

function isDown({ path }: RunningWalk): boolean {
  return path?.direction === "desc";
}

function endOf(running: RunningWalk, page: WalkedPage) {
  if (page.rows === 0) return "empty-page" as const;
  if (page.nextCursor === null) return "no-cursor" as const;
  // One that leads to itself, and to other mentions, is a place that the server keeps.
  if (page.nextCursor === running.cursor && page.repeated * 2 >= page.rows) return "repeated-cursor" as const;
  return page.pageSize !== null && page.rows < page.pageSize ? ("short-page" as const) : null;
}
