import { CALM_BUCKETS, CALM_SCORE, RING, SILENT_BUCKETS, WAVE_GAP_BUCKETS } from "./constants.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/** A second wave counts as larger from this many times the mentions, or the score, of the first. */
const LARGER = 1.25;

/**
 * What one bucket did to the episode of its series. Two steps of an open episode cause a new notification: its score
 * has doubled since the last one (`escalated`), or it fires again (`renewed`). It fires again after a cooldown, so that
 * nobody thinks it has ended, or earlier for a second, larger wave.
 */
export type EpisodeStep = "quiet" | "opened" | "open" | "escalated" | "renewed" | "resolved";

/**
 * Updates the episode with the bucket `bucket`; `standsOut` says whether the gates were passed at its end. The cooldown
 * does not hide a second wave that is higher than all of the first: it fires at once.
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
 * The faded number of waves before this bucket, notified or not: frequent waves raise the gate by their number, not by
 * their size. A wave counts six hours after its end, so it is not judged against itself. The first two hours of a
 * series do not count. If no gate needs a score (`counts` is false), nothing is counted, only faded.
 */
export function fadeWaves(state: SpikeState, bucket: number, fading: number, counts: boolean): number {
  const passed = mark(state, MARK.passedAt) - 1;
  const isOver = passed >= SILENT_BUCKETS && bucket - passed === WAVE_GAP_BUCKETS + 1;
  state.numbers[AT.marks + MARK.waves] = fading * mark(state, MARK.waves) + (counts && isOver ? 1 : 0);
  return mark(state, MARK.waves);
}

/** Whether the gates passed in this bucket belong to a wave without a notification. */
export function isUnannouncedWave(state: SpikeState, bucket: number): boolean {
  return mark(state, MARK.newWave) === 1 || bucket - (mark(state, MARK.passedAt) - 1) > CALM_BUCKETS;
}

/** A window of counts, with its expectation. */
interface WindowCount {
  /** In buckets. */
  readonly width: number;
  readonly observed: number;
  readonly expected: number;
}

/**
 * Whether, soon after a spike, more came than at its peak. It compares counts, because the first wave has raised the
 * usual variation, so the second one scores less. A longer window must be higher on average; a shorter one must hold
 * more.
 */
export function outgrowsLastWave(
  state: SpikeState,
  bucket: number,
  cooldownBuckets: number,
  { width, observed, expected }: WindowCount,
): boolean {
  if (mark(state, MARK.open) === 1 || !isCoolingDown(state, bucket, cooldownBuckets)) return false;
  const before = mark(state, MARK.peakObserved) - mark(state, MARK.peakExpected);
  const stretch = Math.max(1, width / mark(state, MARK.peakWindow));
  return observed - expected > LARGER * before * stretch;
}

/** A wave begins when the gates are passed after half an hour in which they were not. */
function notePassing(state: SpikeState, bucket: number): void {
  const passedAt = mark(state, MARK.passedAt);
  if (bucket - (passedAt - 1) > CALM_BUCKETS) state.numbers[AT.marks + MARK.newWave] = 1;
  state.numbers[AT.marks + MARK.passedAt] = bucket + 1;
}

function isLargerWave(state: SpikeState, score: number): boolean {
  return mark(state, MARK.newWave) === 1 && score > LARGER * mark(state, MARK.peakScore);
}

/** Until which bucket the last notification would hold back a window that passes the gates now; null if it would not. */
export function coolingUntil(
  state: SpikeState,
  bucket: number,
  score: number,
  cooldownBuckets: number,
  outgrows: boolean,
): number | null {
  if (outgrows || !isCoolingDown(state, bucket, cooldownBuckets)) return null;
  const isLarger = isUnannouncedWave(state, bucket) && score > LARGER * mark(state, MARK.peakScore);
  return isLarger ? null : mark(state, MARK.pagedAt) - 1 + cooldownBuckets;
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

/** The strongest moment of an episode; notifications describe it while the episode is open. */
export interface SpikeMoment {
  /** Number of the bucket at whose end it was observed. */
  readonly bucket: number;
  /** Width of its window in buckets. */
  readonly window: number;
  readonly observed: number;
  readonly expected: number;
  /** Natural logarithm of its chance by noise. */
  readonly lnP: number;
  readonly score: number;
  /** Share of the window's mentions that should have arrived by then. */
  readonly completeness: number;
}

/** Keeps `moment` if it is the strongest of the open episode, or its `first`. */
export function rememberPeak(state: SpikeState, moment: SpikeMoment, first: boolean): void {
  if (!first && moment.score <= mark(state, MARK.peakScore)) return;
  state.numbers[AT.marks + MARK.peakAt] = moment.bucket;
  state.numbers[AT.marks + MARK.peakWindow] = moment.window;
  state.numbers[AT.marks + MARK.peakObserved] = moment.observed;
  state.numbers[AT.marks + MARK.peakExpected] = moment.expected;
  state.numbers[AT.marks + MARK.peakLnP] = moment.lnP;
  state.numbers[AT.marks + MARK.peakScore] = moment.score;
  state.numbers[AT.marks + MARK.peakCompleteness] = moment.completeness;
}

/** The newest bucket up to `bucket`, inside a window of `width`, that holds mentions; `bucket` if none does. */
export function newestWithMentions(state: SpikeState, bucket: number, width: number): number {
  for (let age = 0; age < width && age <= bucket; age++) {
    if ((state.numbers[AT.counts + ((bucket - age) % RING)] ?? 0) > 0) return bucket - age;
  }
  return bucket;
}
