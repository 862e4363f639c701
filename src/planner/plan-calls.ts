import type { Instant } from "../lib/instant.ts";
import type { WalkKey } from "../model/walk.ts";

/** A walk whose time has come, and what decides how much a call for it is worth. */
export interface Candidate {
  readonly key: WalkKey;
  readonly importance: number;
  /** Mentions (or changes) per millisecond to be expected now. */
  readonly rate: number;
  /** Up to when all is known; null: it has never been walked to its end, and is read back into history. */
  readonly knownUntil: Instant | null;
  /** Since when it waits for its first walk; counts where `knownUntil` is null. */
  readonly waitsSince: Instant;
  /** It goes on from a cursor, closes a gap, or failed before: it gets its own call. */
  readonly alone: boolean;
}

export interface PlanSettings {
  /** Whether one call may ask for several queries at this source. */
  readonly sharing: boolean;
  readonly pageSize: number;
  /** How far behind its watermark a walk reads again. */
  readonly overlapMs: number;
}

export interface PlannedCall {
  /** All of one project and one kind of walk; several where they share the call. */
  readonly members: readonly WalkKey[];
  readonly purpose: "live" | "history";
  readonly importance: number;
  /** Expected delay × importance that it ends, per call that it needs. */
  readonly worth: number;
}

/**
 * The calls that are worth most now, the best first, at most `calls` of them. `turn` counts calls over the life of the
 * account: every fourth may go to history while there is any, so that neither side starves.
 *
 * A walk that was known until τ ago has λτ mentions waiting, which have waited λτ²/2 together. That sum, times its
 * importance, is what a call ends; polling where it is largest makes every query's interval ∝ 1/√(importance × λ),
 * which is the plan of least total delay. Since it grows without end for the quietest query, nobody starves.
 */
export function planCalls(
  candidates: readonly Candidate[],
  settings: PlanSettings,
  { calls, turn, now }: { readonly calls: number; readonly turn: number; readonly now: Instant },
): readonly PlannedCall[] {
  if (calls <= 0 || candidates.length === 0) return [];
  const live = queueOf("live", candidates, settings, now);
  const history = queueOf("history", candidates, settings, now);
  const planned: PlannedCall[] = [];
  while (planned.length < calls) {
    const isHistoryTurn = (turn + planned.length) % HISTORY_EVERY === HISTORY_EVERY - 1;
    const next = isHistoryTurn ? (history.take() ?? live.take()) : (live.take() ?? history.take());
    if (next === null) break;
    planned.push(next);
  }
  return planned;
}

const HISTORY_EVERY = 4;

/** So many ids keep an address below 4 kB. */
export const MOST_MEMBERS = 200;
/** A shared page is planned to be this full at most: bursts want room. */
const FULL = 0.6;
/** Who would fill so much of a page alone gets its own calls, and slows down nobody else. */
const BUSY = 0.3;

interface Scored extends Candidate {
  readonly score: number;
  readonly rows: number;
}

/** How much delay × importance has gathered behind a walk. */
export function gathered(candidate: Candidate, now: Instant): number {
  const ageMs = Math.max(0, now - (candidate.knownUntil ?? candidate.waitsSince));
  return (candidate.importance * candidate.rate * ageMs * ageMs) / 2;
}

function queueOf(
  purpose: PlannedCall["purpose"],
  candidates: readonly Candidate[],
  settings: PlanSettings,
  now: Instant,
) {
  const groups = new Map<string, Scored[]>();
  for (const candidate of candidates) {
    if ((candidate.knownUntil === null) !== (purpose === "history")) continue;
    const ageMs = now - (candidate.knownUntil ?? candidate.waitsSince);
    const rows = candidate.rate * (Math.max(0, ageMs) + settings.overlapMs);
    const { projectId, queryId, walk } = candidate.key;
    const own = candidate.alone || !settings.sharing || rows > settings.pageSize * BUSY;
    const key = own ? JSON.stringify([walk, projectId, queryId]) : `${walk} ${projectId}`;
    const group = groups.get(key) ?? [];
    group.push({ ...candidate, rows, score: gathered(candidate, now) });
    groups.set(key, group);
  }
  const heads: { members: Scored[]; from: number; call: (PlannedCall & { next: number }) | null }[] = [];
  for (const members of groups.values()) {
    members.sort((a, b) => b.score - a.score || a.waitsSince - b.waitsSince);
    heads.push({ members, from: 0, call: callOf(members, 0, purpose, settings) });
  }
  return {
    take(): PlannedCall | null {
      let best = heads[0];
      for (const head of heads) if ((head.call?.worth ?? -1) > (best?.call?.worth ?? -1)) best = head;
      if (best?.call == null) return null;
      const { next, ...call } = best.call;
      best.from = next;
      best.call = callOf(best.members, next, purpose, settings);
      return call;
    },
  };
}

function callOf(
  sorted: readonly Scored[],
  from: number,
  purpose: PlannedCall["purpose"],
  settings: PlanSettings,
): (PlannedCall & { next: number }) | null {
  let [rows, worth, importance, to] = [0, 0, 0, from];
  for (; to < sorted.length && to - from < MOST_MEMBERS; to++) {
    const member = sorted[to] as Scored;
    if (to > from && rows + member.rows > settings.pageSize * FULL) break;
    rows += member.rows;
    worth += member.score;
    importance = Math.max(importance, member.importance);
  }
  if (to === from) return null;
  const members = sorted.slice(from, to).map(({ key }) => key);
  const pages = Math.max(1, Math.ceil(rows / settings.pageSize));
  return { members, purpose, importance, worth: worth / pages, next: to };
}
