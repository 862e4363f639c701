import { CALM_BUCKETS, CALM_SCORE, SILENT_BUCKETS } from "./constants.ts";
import { MARK, mark, type SpikeState } from "./spike-state.ts";

/** What one bucket did to the incident of its series. `escalated`: its score doubled since people were last told. */
export type IncidentStep = "quiet" | "opened" | "open" | "escalated" | "resolved";

/** Moves the incident by the bucket `bucket`, at whose end the gates were (`standsOut`) or were not passed. */
export function moveIncident(
  state: SpikeState,
  bucket: number,
  standsOut: boolean,
  score: number,
  cooldownBuckets: number,
): IncidentStep {
  if (mark(state, MARK.open) === 0) {
    if (!standsOut || bucket < SILENT_BUCKETS || isCoolingDown(state, bucket, cooldownBuckets)) return "quiet";
    open(state, bucket, score);
    return "opened";
  }
  if (standsOut || score >= CALM_SCORE) state.marks[MARK.highAt] = bucket;
  else if (bucket - mark(state, MARK.highAt) >= CALM_BUCKETS) {
    state.marks[MARK.open] = 0;
    return "resolved";
  }
  if (score < 2 * mark(state, MARK.toldScore) || score < CALM_SCORE) return "open";
  state.marks[MARK.toldScore] = score;
  state.marks[MARK.doublings] = mark(state, MARK.doublings) + 1;
  return "escalated";
}

function isCoolingDown(state: SpikeState, bucket: number, cooldownBuckets: number): boolean {
  const pagedAt = mark(state, MARK.pagedAt);
  return pagedAt > 0 && bucket - (pagedAt - 1) < cooldownBuckets;
}

function open(state: SpikeState, bucket: number, score: number): void {
  state.marks[MARK.open] = 1;
  state.marks[MARK.pagedAt] = bucket + 1;
  state.marks[MARK.highAt] = bucket;
  state.marks[MARK.toldScore] = Math.max(score, 1);
  state.marks[MARK.doublings] = 0;
}
