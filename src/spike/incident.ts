import { CALM_BUCKETS, CALM_SCORE, SILENT_BUCKETS } from "./constants.ts";
import { MARK, mark, type SpikeState } from "./spike-state.ts";

/**
 * What one bucket did to the incident of its series. Two steps of an open incident are worth telling again: its score
 * has doubled since people were last told (`escalated`), or a cooldown after the last page it would page anew
 * (`renewed`): somebody who looks away for hours shall not think that it is over.
 */
export type IncidentStep = "quiet" | "opened" | "open" | "escalated" | "renewed" | "resolved";

/** Moves the incident by the bucket `bucket`, at whose end the gates were (`standsOut`) or were not passed. */
export function moveIncident(
  state: SpikeState,
  bucket: number,
  standsOut: boolean,
  score: number,
  cooldownBuckets: number,
): IncidentStep {
  if (mark(state, MARK.open) === 0) {
    if (!standsOut || bucket < SILENT_BUCKETS || isCoolingDown(state, bucket, cooldownBuckets))
      return "quiet";
    state.marks[MARK.open] = 1;
    state.marks[MARK.tellings] = 0;
    page(state, bucket, score);
    return "opened";
  }
  if (standsOut && !isCoolingDown(state, bucket, cooldownBuckets)) {
    page(state, bucket, score);
    return "renewed";
  }
  if (standsOut || score >= CALM_SCORE) state.marks[MARK.highAt] = bucket;
  else if (bucket - mark(state, MARK.highAt) >= CALM_BUCKETS) {
    state.marks[MARK.open] = 0;
    return "resolved";
  }
  if (score < 2 * mark(state, MARK.toldScore) || score < CALM_SCORE) return "open";
  tell(state, score);
  return "escalated";
}

function isCoolingDown(state: SpikeState, bucket: number, cooldownBuckets: number): boolean {
  const pagedAt = mark(state, MARK.pagedAt);
  return pagedAt > 0 && bucket - (pagedAt - 1) < cooldownBuckets;
}

function page(state: SpikeState, bucket: number, score: number): void {
  state.marks[MARK.pagedAt] = bucket + 1;
  state.marks[MARK.highAt] = bucket;
  tell(state, score);
}

function tell(state: SpikeState, score: number): void {
  state.marks[MARK.toldScore] = Math.max(score, 1);
  state.marks[MARK.tellings] = mark(state, MARK.tellings) + 1;
}
