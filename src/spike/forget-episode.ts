import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/** Keeps what was learned and clears what was notified, for another rule that starts with this series. */
export function forgetEpisode(state: SpikeState): void {
  const { newWave, passedAt, pagedAt, open, highAt, notifiedScore, notifyCount } = MARK;
  for (const which of [newWave, passedAt, pagedAt, open, highAt, notifiedScore, notifyCount]) {
    state.numbers[AT.marks + which] = 0;
  }
}

/** Whether nothing is open and the ring holds no counts. */
export function isSilent(state: SpikeState): boolean {
  if (mark(state, MARK.open) === 1) return false;
  for (let slot = AT.counts; slot < state.numbers.length; slot++) if (state.numbers[slot] !== 0) return false;
  return true;
}
