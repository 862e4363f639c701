import { DAY, type Instant } from "../../lib/instant.ts";
import { clockAheadMs, type PollKind } from "../model/poll.ts";
import {
  isDown,
  PLAIN_PATH,
  type PollPath,
  type PollRequest,
  type PollState,
  type RunningPoll,
  requestOf,
  type SamePage,
} from "../model/poll-state.ts";
import { type Coverage, coverageOf, gapAfter, holdsUp, isGapDue } from "./coverage.ts";

export interface PollSettings {
  readonly overlapMs: number;
  /** How long after its `added` a mention may take to become visible, for the claim to be complete. */
  readonly settleMs: number;
  /** How far the publication of a mention may lie behind its arrival. Wide: anything outside is never seen. */
  readonly lookbackMs: number;
  /** Where the first poll begins. */
  readonly historyFrom: Instant;
  /** How far behind a poll must be to read the newest first; never if absent. */
  readonly newestFirstBehindMs?: number;
  /** Plain where absent. */
  readonly path?: PollPath;
}

/** What a page says about the poll. */
export interface PolledPage {
  /** Highest `added` (or `updated`) on it; null on an empty page. */
  readonly highest: Instant | null;
  /** All its rows, with those that could not be stored. */
  readonly rows: number;
  /** How many of them an earlier page of this poll had already: a mention that changed meanwhile moves to the end. */
  readonly repeated: number;
  readonly total: number | null;
  readonly nextCursor: string | null;
  /** The page size in force: a page with fewer rows is the last. Null if unknown. */
  readonly pageSize: number | null;
  /** How often it came without another in between; null or absent if nobody counts. */
  readonly same?: SamePage | null;
  /** Of the query's mentions, from before the page was read; null or absent if the source says none. */
  readonly revision?: string | null;
}

/**
 * The next call of a poll. `state.running` is set afterwards; keep it for `afterPage`.
 *
 * A cursor resumes an interrupted poll and nothing else. A finished poll starts again from its watermark less an
 * overlap, because indexing is asynchronous: mentions become visible with an `added` in the past, behind the last
 * cursor, and whether that cursor would ever show them is not documented. Mentions that the overlap shows again are
 * recognised by (query, resourceId). No mention is missed that becomes visible within `overlapMs`.
 */
export function nextCall(
  kind: PollKind,
  state: PollState,
  settings: PollSettings,
  now: Instant,
): { readonly outcome: "Begins" | "Resumes"; readonly request: PollRequest; readonly state: PollState } {
  const reached = notAheadOf(state, now);
  const { continueFrom, passFrom, byNumber, ...rest } = reached;
  const running = state.running ?? begin(kind, reached, settings, now);
  return {
    outcome: state.running ? "Resumes" : "Begins",
    request: requestOf(kind, running),
    state: { ...rest, running },
  };
}

/**
 * Clocks of ours and of the source that were ahead and were set back have left a watermark that is still to come. A poll
 * behind it would find nothing of what arrives until then, and later ones would pass over it.
 */
function notAheadOf(state: PollState, now: Instant): PollState {
  const { watermark } = state;
  return watermark === null || watermark <= now ? state : { ...state, watermark: now };
}

/** The state to store with a page, and whether the poll continues. */
export function afterPage(state: PollState, page: PolledPage, settings: PollSettings): AfterPage {
  const { running } = state;
  if (running === null) throw new Error("a page needs a running poll, and none is running");
  const ends = endOf(running, page);
  // A source's clock that runs ahead of ours must not move the watermark past mentions still to come.
  const highest = Math.min(page.highest ?? Number.NEGATIVE_INFINITY, running.startedAt);
  const reached = Math.max(running.highest ?? Number.NEGATIVE_INFINITY, highest);
  const completed: RunningPoll = {
    ...running,
    cursor: page.nextCursor,
    same: page.same ?? null,
    // Only the first page's count belongs to the moment that the poll claims. If several queries share a poll, the last
    // page has it.
    total: running.cursor === null ? page.total : (running.total ?? page.total),
    seen: running.seen + page.rows - page.repeated,
    ...(Number.isFinite(reached) && { highest: reached }),
    // That of the first page: what is written while the others are read is a later one.
    ...(running.cursor === null && page.revision != null && { revision: page.revision }),
  };
  // Ascending order: everything visible below the highest has been seen, so the watermark may move before the poll
  // ends.
  const moves = !isDown(running) || ends !== null;
  const watermark = Math.max(
    state.watermark ?? Number.NEGATIVE_INFINITY,
    moves ? reached : Number.NEGATIVE_INFINITY,
  );
  const transitions = {
    ...state,
    watermark: Number.isFinite(watermark) ? watermark : null,
    running: completed,
  };
  if (ends === null) return { outcome: "GoesOn", state: transitions };
  const isCutOff =
    ends === "no-cursor" && page.pageSize !== null && page.rows >= page.pageSize && !isDown(running);
  return { ...endPoll(transitions, settings, isCutOff ? "cut-off" : "ended"), because: ends };
}

export type AfterPage =
  | { readonly outcome: "GoesOn"; readonly state: PollState }
  | {
      readonly outcome: "Ended";
      readonly because: "empty-page" | "no-cursor" | "short-page" | "repeated-cursor";
      readonly state: PollState;
      readonly coverage: Coverage;
      readonly revision: string | null;
    };

/**
 * Ends a poll and states what it covers.
 *
 * @param how `cut-off`: the last page was full and had no cursor, so the missing mentions lie behind it
 */
export function endPoll(state: PollState, settings: PollSettings, how: "ended" | "cut-off" = "ended") {
  const { running } = state;
  if (running === null) throw new Error("no poll is running that could end");
  const to = running.startedAt - settings.settleMs;
  const coverage = coverageOf({ from: running.since, to, total: running.total, seen: running.seen });
  const gap = gapAfter(state, running, coverage, how === "cut-off" ? progressOf(state, settings) : null);
  // A clock that was ahead has claimed what had not happened yet.
  const before = clockAheadMs([state.completeUntil], running.startedAt) === null ? state.completeUntil : to;
  const completeUntil = holdsUp(gap) ? before : Math.max(before ?? to, to);
  const { since, startDate, endDate, cursor, path = PLAIN_PATH } = running;
  const tail = cursor === null || path.pages === "number" ? null : { since, startDate, endDate, cursor };
  return {
    outcome: "Ended" as const,
    coverage,
    revision: running.revision ?? null,
    state: { watermark: state.watermark, completeUntil, running: null, gap, tail } satisfies PollState,
  };
}

/**
 * The source refuses the cursor (too old, or forgotten): the next poll starts from the watermark, or further on if that
 * would lead to the same page for ever.
 */
export function abandonPoll(state: PollState, settings?: Pick<PollSettings, "overlapMs">): PollState {
  const { running, watermark } = state;
  const abandoned = { ...state, running: null };
  if (running === null || settings === undefined || running.cursor === null) return abandoned;
  const isStuck = isDown(running) || (watermark ?? 0) - settings.overlapMs <= running.since;
  if (!isStuck) return abandoned;
  const goesOnFrom = isDown(running) ? null : progressOf(state, settings);
  if (goesOnFrom === null) return { ...abandoned, byNumber: true };
  return { ...abandoned, continueFrom: goesOnFrom, passFrom: running.passFrom ?? running.since };
}

/** The next poll begins at `from` less the overlap, or where it would without that, if that is earlier. */
export function beginAgain(state: PollState, from: Instant, { overlapMs }: PollSettings): PollState {
  const { watermark, continueFrom } = state;
  if (watermark === null) return state;
  const since = Math.min(from, watermark) - Math.max(overlapMs, 1);
  return { ...abandonPoll(state), continueFrom: Math.min(continueFrom ?? since, since) };
}

/** How far an ascending poll is complete: mentions that are indexed late may still appear behind its beginning. */
function progressOf({ running }: PollState, { overlapMs }: Pick<PollSettings, "overlapMs">): Instant | null {
  if (running?.highest == null) return null;
  const from = Math.min(running.highest - 1, running.startedAt - Math.max(overlapMs, 1));
  return from > running.since ? from : null;
}

function begin(kind: PollKind, state: PollState, settings: PollSettings, now: Instant): RunningPoll {
  const { watermark, gap } = state;
  // "After" excludes the moment itself, at which more may still appear.
  const overlapped = watermark === null ? settings.historyFrom : watermark - Math.max(settings.overlapMs, 1);
  const again = gap !== null && isGapDue(gap, now) ? Math.min(overlapped, gap.from) : overlapped;
  const since = state.continueFrom ?? again;
  const { path = PLAIN_PATH } = settings;
  const newestFirst =
    kind === "added" && watermark !== null && now - watermark > (settings.newestFirstBehindMs ?? Infinity);
  const taken: PollPath = {
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

function endOf(running: RunningPoll, page: PolledPage) {
  if (page.rows === 0) return "empty-page" as const;
  if (page.nextCursor === null) return "no-cursor" as const;
  // If it leads to itself and to other mentions, the server keeps the position itself.
  if (page.nextCursor === running.cursor && page.repeated * 2 >= page.rows) return "repeated-cursor" as const;
  return page.pageSize !== null && page.rows < page.pageSize ? ("short-page" as const) : null;
}
