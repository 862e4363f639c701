import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/** Leaves what was learned and takes away what was told: for a series that somebody else begins to watch. */
export function forgetEpisode(state: SpikeState): void {
  const { newWave, passedAt, pagedAt, open, highAt, notifiedScore, notifyCount } = MARK;
  for (const which of [newWave, passedAt, pagedAt, open, highAt, notifiedScore, notifyCount]) {
    state.numbers[AT.marks + which] = 0;
  }
}

/** Nothing is open and nothing was counted for as long as the ring remembers. */
export function isSilent(state: SpikeState): boolean {
  if (mark(state, MARK.open) === 1) return false;
  for (let slot = AT.counts; slot < state.numbers.length; slot++) if (state.numbers[slot] !== 0) return false;
  return true;
}
