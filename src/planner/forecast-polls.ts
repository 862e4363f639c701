import type { Instant } from "../lib/instant.ts";
import type { WalkKey } from "../model/walk.ts";
import { type Candidate, type PlanSettings, planCalls } from "./plan-calls.ts";

/** One walk's next poll as the plan stands now. */
export interface Forecast {
  readonly key: WalkKey;
  readonly nextPollAt: Instant;
}

/**
 * Plays the plan forward, one call every `spacingMs`, until every walk had its turn. What nobody can know (bursts,
 * backlogs, refusals) is not in it. Walks beyond `MOST_TURNS` get the time of the last turn that was played.
 */
export function forecastPolls(
  candidates: readonly Candidate[],
  settings: PlanSettings,
  {
    now,
    nextTurnAt,
    spacingMs,
    turn,
  }: {
    readonly now: Instant;
    readonly nextTurnAt: Instant;
    readonly spacingMs: number;
    readonly turn: number;
  },
): readonly Forecast[] {
  const next = new Map<string, Instant>();
  let state = candidates.map((candidate) => ({ ...candidate, isDue: true }));
  let at = Math.max(now, nextTurnAt);
  for (let played = 0; played < MOST_TURNS && next.size < candidates.length; played++, at += spacingMs) {
    const [call] = planCalls(state, settings, { calls: 1, turn: turn + played, now: at });
    if (call === undefined) break;
    const members = new Set(call.members.map(nameOf));
    for (const name of members) if (!next.has(name)) next.set(name, at);
    state = state.map((one) =>
      members.has(nameOf(one.key)) ? { ...one, knownUntil: at, readsFrom: at } : one,
    );
  }
  return candidates.map(({ key }) => ({ key, nextPollAt: next.get(nameOf(key)) ?? at }));
}

const MOST_TURNS = 400;

function nameOf({ projectId, queryId, walk }: WalkKey): string {
  return `${walk} ${queryId} ${projectId}`;
}
