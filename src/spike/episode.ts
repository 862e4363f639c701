import { CALM_BUCKETS, CALM_SCORE, SILENT_BUCKETS, WAVE_GAP_BUCKETS } from "./constants.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/** So many times the mentions, or the score, of the first wave make the second one larger. */
const LARGER = 1.25;

/**
 * What one bucket did to the incident of its series. Two steps of an open incident are worth telling again: its score
 * has doubled since people were last told (`escalated`), or it pages anew (`renewed`): a cooldown after the last page,
 * because somebody who looks away for hours shall not think that it is over, or earlier by a second, larger wave.
 */
export type EpisodeStep = "quiet" | "opened" | "open" | "escalated" | "renewed" | "resolved";

/**
 * Moves the incident by the bucket `bucket`, at whose end the gates were (`standsOut`) or were not passed. The cooldown
 * is no blackout: a second wave that is higher than all of the first is told at once.
 */
export function moveEpisode(
  state: SpikeState,
  bucket: number,
  standsOut: boolean,
  score: number,
  cooldownBuckets: number,
  outgrows = false,
): EpisodeStep {
  if (standsOut) notePassing(state, bucket);
  const mayPage =
    standsOut &&
    bucket >= SILENT_BUCKETS &&
    (!isCoolingDown(state, bucket, cooldownBuckets) || outgrows || isLargerWave(state, score));
  if (mark(state, MARK.open) === 0) {
    if (!mayPage) return "quiet";
    state.numbers[AT.marks + MARK.open] = 1;
    state.numbers[AT.marks + MARK.notifyCount] = 0;
    page(state, bucket, score);
    return "opened";
  }
  if (mayPage) {
    page(state, bucket, score);
    return "renewed";
  }
  if (standsOut || score >= CALM_SCORE) state.numbers[AT.marks + MARK.highAt] = bucket;
  else if (bucket - mark(state, MARK.highAt) >= CALM_BUCKETS) {
    state.numbers[AT.marks + MARK.open] = 0;
    return "resolved";
  }
  if (score < 2 * mark(state, MARK.notifiedScore) || score < CALM_SCORE) return "open";
  notify(state, score);
  return "escalated";
}

/**
 * The waves before this bucket, told or not, as a faded number: what happens often raises the bar by how often it
 * happens and not by how large it is. A wave counts once it has been over for six hours, so it is not judged against
 * itself; the first two hours of a series teach nothing here. Where no gate asks for a score (`counts` is false) nothing
 * is counted, only faded.
 */
export function fadeWaves(state: SpikeState, bucket: number, fading: number, counts: boolean): number {
  const passed = mark(state, MARK.passedAt) - 1;
  const isOver = passed >= SILENT_BUCKETS && bucket - passed === WAVE_GAP_BUCKETS + 1;
  state.numbers[AT.marks + MARK.waves] = fading * mark(state, MARK.waves) + (counts && isOver ? 1 : 0);
  return mark(state, MARK.waves);
}

/** Whether gates that are passed in this bucket are those of a wave that nobody was told of. */
export function isUnannouncedWave(state: SpikeState, bucket: number): boolean {
  return mark(state, MARK.newWave) === 1 || bucket - (mark(state, MARK.passedAt) - 1) > CALM_BUCKETS;
}

/** A window of counts, with what was expected in it. */
interface Counted {
  /** In buckets. */
  readonly width: number;
  readonly observed: number;
  readonly expected: number;
}

/**
 * Whether, soon after a spike that is over, more came than at its height. Told by counts: the first wave has widened the
 * swing that scores are measured in, so that the second one scores less. A longer window has to be higher on average, a
 * shorter one to hold more.
 */
export function outgrowsLastWave(
  state: SpikeState,
  bucket: number,
  cooldownBuckets: number,
  { width, observed, expected }: Counted,
): boolean {
  if (mark(state, MARK.open) === 1 || !isCoolingDown(state, bucket, cooldownBuckets)) return false;
  const before = mark(state, MARK.peakObserved) - mark(state, MARK.peakExpected);
  const stretch = Math.max(1, width / mark(state, MARK.peakWindow));
  return observed - expected > LARGER * before * stretch;
}

/** A wave begins when the gates are passed anew after half an hour in which they were not. */
function notePassing(state: SpikeState, bucket: number): void {
  const passedAt = mark(state, MARK.passedAt);
  if (bucket - (passedAt - 1) > CALM_BUCKETS) state.numbers[AT.marks + MARK.newWave] = 1;
  state.numbers[AT.marks + MARK.passedAt] = bucket + 1;
}

function isLargerWave(state: SpikeState, score: number): boolean {
  return mark(state, MARK.newWave) === 1 && score > LARGER * mark(state, MARK.peakScore);
}

function isCoolingDown(state: SpikeState, bucket: number, cooldownBuckets: number): boolean {
  const pagedAt = mark(state, MARK.pagedAt);
  return pagedAt > 0 && bucket - (pagedAt - 1) < cooldownBuckets;
}

function page(state: SpikeState, bucket: number, score: number): void {
  state.numbers[AT.marks + MARK.pagedAt] = bucket + 1;
  state.numbers[AT.marks + MARK.newWave] = 0;
  state.numbers[AT.marks + MARK.highAt] = bucket;
  notify(state, score);
}

function notify(state: SpikeState, score: number): void {
  state.numbers[AT.marks + MARK.notifiedScore] = Math.max(score, 1);
  state.numbers[AT.marks + MARK.notifyCount] = mark(state, MARK.notifyCount) + 1;
}
