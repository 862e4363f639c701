import type { Instant } from "../../lib/instant.ts";
import type { PollKey } from "../../model/poll.ts";
import { type Candidate, type PlanSettings, planCalls } from "./plan-calls.ts";

/** One walk's next poll as the plan stands now. */
export interface Forecast {
  readonly key: PollKey;
  readonly nextPollAt: Instant;
}

/**
 * Plays the plan forward, one call every `spacingMs`, until every walk had its turn. What nobody can know (bursts,
 * backlogs, refusals) is not in it. Walks beyond `MOST_TURNS` get the time of the last turn that was played.
 *
 * Yields after each turn: of thousands of queries the whole takes seconds, and whoever runs it has more to do.
 */
export function* forecastPolls(
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
): Generator<void, readonly Forecast[]> {
  const next = new Map<PollKey, Instant>();
  const state = candidates.map((candidate) => ({ ...candidate, isDue: true }));
  const places = new Map(candidates.map(({ key }, place) => [key, place]));
  let at = Math.max(now, nextTurnAt);
  for (let played = 0; played < MOST_TURNS && next.size < candidates.length; played++, at += spacingMs) {
    const [call] = planCalls(state, settings, { calls: 1, turn: turn + played, now: at });
    if (call === undefined) break;
    for (const key of call.members) {
      if (!next.has(key)) next.set(key, at);
      const place = places.get(key) as number;
      state[place] = { ...(state[place] as Candidate), knownUntil: at, readsFrom: at };
    }
    yield;
  }
  return candidates.map(({ key }) => ({ key, nextPollAt: next.get(key) ?? at }));
}

const MOST_TURNS = 400;
