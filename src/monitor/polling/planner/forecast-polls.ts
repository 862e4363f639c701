import type { Instant } from "../../../lib/instant.ts";
import type { PollKey } from "../../model/poll.ts";
import { type Candidate, type PlanSettings, planCalls } from "./plan-calls.ts";

/** The next run of one poll, by the current plan. */
export interface Forecast {
  readonly key: PollKey;
  readonly nextPollAt: Instant;
}

/**
 * Simulates the plan, one call every `spacingMs`, until every poll had its turn. It leaves out what cannot be known
 * (bursts, backlogs, refusals). Polls beyond `MOST_TURNS` get the time of the last simulated turn.
 *
 * Yields after each turn: for thousands of queries it takes seconds, and its process has other work.
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
