import { formatMinutes } from "../../../lib/duration.ts";
import { type Instant, inUtc, toIso } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { counted, countedSubject, formatExpected, formatNumber } from "../../../lib/numbers.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import { defineWindowCondition } from "../define-window-condition.ts";
import { reachedSeverity } from "../severity-steps.ts";
import { inUnit } from "../slice.ts";
import { JUDGED_WINDOWS, SILENT_BUCKETS, SPARSE_WINDOW, WINDOWS } from "../spike/constants.ts";
import {
  closeBucket,
  type GateReport,
  reportGates,
  type SpikeObservation,
  type SpikeSettings,
} from "../spike/detector.ts";
import { forgetEpisode, isSilent, isUnannouncedWave, type SpikeMoment } from "../spike/episode.ts";
import { turnHours } from "../spike/expectation.ts";
import { explainQuiet, explainSpike, formatRarity, isPast } from "../spike/explain-spike.ts";
import {
  canReadSpikeState,
  createSpikeState,
  MARK,
  mark,
  packSpikeState,
  type SpikeState,
  unpackSpikeState,
} from "../spike/spike-state.ts";
import { windowSums } from "../spike/window-sums.ts";
import { SpikeParams, SpikeStepLimits, settingsOf } from "../spike-params.ts";
import { followWave, highestWindow, type SpikePeak, type SpikeWave } from "../spike-wave.ts";
import { AWAITS_FIRST_MENTION, warmUpUntil } from "../warm-up.ts";
import type { Shortfall, Tick } from "../window-condition.ts";
import { moveWindow, noCounts, total, type WindowCounts } from "../window-counts.ts";

/** The stored state: the detector, the distinct authors of five hours if the rule needs them, and the open spike. */
type State = {
  readonly spike: string | null;
  readonly authors?: WindowCounts;
  readonly wave?: SpikeWave;
  /** The time zone of the learned hours; default UTC. */
  readonly zone?: string;
};

/**
 * `spike: {atLeast: 20}`: far more mentions than this query usually has at this hour of the week. Met from the moment
 * the detector fires until half an hour of calm; the verdict describes the strongest moment so far.
 */
export const spike = defineWindowCondition({
  type: "spike",
  /** Zero, because the detector itself waits for calm. */
  overAfterMs: 0,
  params: SpikeParams,
  stepLimits: SpikeStepLimits,
  stepsOf: (params) => {
    const { score } = settingsOf(params).gates;
    return {
      what: "a rule with spike",
      limits: SpikeStepLimits,
      own: { atLeast: params.atLeast, ...(score !== null && { score }) },
      describe: (step) =>
        [
          ...(step.atLeast === undefined
            ? []
            : [
                `at least ${formatNumber(step.atLeast)}${step.within === undefined ? "" : ` in ${formatMinutes(step.within)}`}`,
              ]),
          ...(step.score === undefined ? [] : [`at least ${formatNumber(step.score)}× the usual variation`]),
        ].join(" and "),
    };
  },
  compile: (params, slice, _, steps) => {
    const { series, subject } = inUnit(slice, params.count);
    const distinctAuthors = inUnit(slice, "authors").series;
    const settings = settingsOf(params);
    // Reused: to create them for each bucket would double its cost.
    let zoned: SpikeSettings = { ...settings, zone: "UTC" };
    const baseline = stableHash({
      type: "spike",
      version: 2,
      series: series.key,
      authors: params.authors !== undefined,
    });
    return {
      type: "spike",
      key: stableHash({ baseline, ...params }),
      baseline,
      series: params.authors === undefined ? [series] : [series, distinctAuthors],
      ...(params.timezone !== undefined && { timezone: params.timezone }),
      subject,
      inWords: [
        `far more ${subject} than this query usually has at this hour of the week, and ${formatNumber(params.atLeast)} at least`,
        ...(params.authors === undefined
          ? []
          : [`by ${formatNumber(params.authors)} different authors or more`]),
      ].join(", "),
      looksMs: [0, Math.max(...(params.windows ?? WINDOWS)) * BUCKET_MS],
      initial: (): State => ({ spike: null }),
      inherit: (json) => {
        const { spike, wave: _, ...learned } = json as State;
        if (spike === null) return json;
        const state = unpackSpikeState(spike, WORKSHEET);
        forgetEpisode(state);
        return { ...learned, spike: packSpikeState(state) };
      },
      canRead: (json) => {
        const { spike } = json as State;
        return spike === null || canReadSpikeState(spike);
      },
      isAsleep: (json) => {
        const { spike } = json as State;
        return spike !== null && isSilent(unpackSpikeState(spike, WORKSHEET));
      },
      warmUp: (json, judged) => {
        const { spike } = json as State;
        if (spike === null) return AWAITS_FIRST_MENTION;
        const { startAt } = unpackSpikeState(spike, WORKSHEET);
        return warmUpUntil(startAt + SILENT_BUCKETS * BUCKET_MS, judged);
      },
      step: (json, tick) => {
        const before = json as State;
        const { bucket } = tick;
        const authors =
          params.authors === undefined ? undefined : moveAuthors(before.authors ?? noCounts, tick);
        const state = unpackOrCreate(before.spike, bucket);
        const zone = params.timezone ?? tick.timezone ?? "UTC";
        if (before.spike !== null) turnHours(state, before.zone ?? "UTC", zone, bucket);
        if (zoned.zone !== zone) zoned = { ...settings, zone };
        catchUp(state, bucket, zoned);
        const isNewWave = isUnannouncedWave(state, mark(state, MARK.buckets));
        const now = closeBucket(state, lateCounts(tick), withDistinctAuthors(zoned, params, authors));
        const isOpen = mark(state, MARK.open) === 1;
        const sums = windowSums(state, now.bucket);
        const followed = isOpen ? followWave(before.wave, now, sums, isNewWave) : undefined;
        const steadily = followed?.wave.steady ?? 0;
        const peak = followed && highestWindow(state, now.bucket, steadily, peakBefore(before, now));
        const moment = shownMoment(followed?.wave.moment ?? now, now.bucket, peak, WINDOWS[steadily] ?? 1);
        const reached = reachedSeverity(steps, ({ atLeast = 0, within, score = 0 }) => {
          const width = WINDOWS.findIndex((buckets) => buckets * BUCKET_MS === within);
          const count = within === undefined ? now.observed : (sums.observed[width] ?? 0);
          return count >= atLeast && now.score >= score;
        });
        const windowTo = state.startAt + (moment.bucket + 1) * BUCKET_MS;
        const windowMs = (WINDOWS[steadily] ?? 1) * BUCKET_MS;
        return {
          state: {
            spike: packSpikeState(state),
            ...(authors !== undefined && { authors }),
            ...(followed !== undefined && peak !== undefined && { wave: { ...followed.wave, peak } }),
            ...(zone !== "UTC" && { zone }),
          } satisfies State,
          verdict: {
            met: isOpen,
            because: isOpen
              ? explainSpike(state, moment, subject, { now: now.bucket })
              : explainQuiet(now, subject),
            windowFrom: windowTo - moment.window * BUCKET_MS,
            windowTo,
            observed: moment.observed,
            restates: true,
            renotify: followed?.renotify,
            present: isOpen
              ? { count: sums.observed[steadily] ?? 0, windowMs, at: bucket + tick.bucketMs, subject }
              : undefined,
            peak: peak && {
              count: peak.observed,
              windowMs,
              at: state.startAt + (peak.bucket + 1) * BUCKET_MS,
              subject,
            },
            reached,
            values: {
              count: moment.observed,
              expected: moment.expected,
              probability: Math.exp(moment.lnP),
              score: moment.score,
              scoreNow: now.score,
              arrivedShare: moment.completeness,
            },
          },
        };
      },
      missing: (json, tick) => {
        const before = json as State;
        const state = unpackOrCreate(before.spike, tick.bucket);
        const zone = params.timezone ?? tick.timezone ?? "UTC";
        if (before.spike !== null) turnHours(state, before.zone ?? "UTC", zone, tick.bucket);
        const here = { ...settings, zone };
        catchUp(state, tick.bucket, here);
        const gates = reportGates(state, lateCounts(tick), here);
        const authors =
          params.authors === undefined
            ? null
            : total(moveAuthors(before.authors ?? noCounts, tick).counts.slice(0, gates.window));
        return missedGates(gates, state.startAt, subject, { authors, least: params.authors ?? 0 });
      },
    };
  },
});

/** A spike that opens again has a peak of its own. */
function peakBefore({ wave }: State, { step }: SpikeObservation): SpikePeak | undefined {
  return step === "opened" ? undefined : wave?.peak;
}

/** The least likely moment, while it is fresh; later the peak, which is the number that people ask for. */
function shownMoment(
  moment: SpikeMoment,
  now: number,
  peak: SpikePeak | undefined,
  window: number,
): SpikeMoment {
  if (peak === undefined || !isPast(moment, now)) return moment;
  const { bucket, observed, expected } = peak;
  return { ...moment, bucket, window, observed, expected, completeness: 1 };
}

/** The gates that were not passed, in the order in which they are checked. */
function missedGates(
  gates: GateReport,
  startAt: Instant,
  subject: string,
  { authors, least }: { readonly authors: number | null; readonly least: number },
): Shortfall[] {
  const found: Shortfall[] = [];
  const window = `${countedSubject(gates.count, subject)} in ${formatMinutes(gates.window * BUCKET_MS)}`;
  if (gates.count < gates.least) {
    const text = `${window}, at least ${formatNumber(gates.least)} needed: ${formatNumber(gates.least - gates.count)} short`;
    found.push({ of: "count", has: gates.count, needs: gates.least, text });
  }
  if (authors !== null && authors < least) {
    const text = `${window} are by ${counted(authors, "author")}, at least ${formatNumber(least)} needed: ${formatNumber(least - authors)} short`;
    found.push({ of: "authors", has: authors, needs: least, text });
  }
  if (gates.lnP !== null && gates.lnP > gates.lnNeeded) {
    const text = `${window}, ${formatExpected(gates.expected)} expected: chance alone brings that ${formatRarity(gates.lnP)}, it has to be rarer than ${formatRarity(gates.lnNeeded)}`;
    found.push({ of: "rarity", has: Math.exp(gates.lnP), needs: Math.exp(gates.lnNeeded), text });
  }
  if (gates.scoreNeeded !== null && gates.score < gates.scoreNeeded) {
    const text = `${window}, ${formatExpected(gates.expected)} expected: ${formatScore(gates.score)}× this query's usual variation, at least ${formatScore(gates.scoreNeeded)}× needed`;
    found.push({ of: "variation", has: gates.score, needs: gates.scoreNeeded, text });
  }
  if (found.length === 0 && gates.lnNoiseNeeded !== null && gates.lnNoise > gates.lnNoiseNeeded) {
    const text = `${window}: too few to be more than noise`;
    found.push({ of: "noise", has: Math.exp(gates.lnNoise), needs: Math.exp(gates.lnNoiseNeeded), text });
  }
  if (found.length === 0 && gates.coolingUntil !== null) {
    const until = inUtc(startAt + gates.coolingUntil * BUCKET_MS);
    const left = (gates.coolingUntil - gates.bucket) * BUCKET_MS;
    const text = `it fired shortly before, and waits for ${formatMinutes(left)} more (cooldown, until ${until})`;
    found.push({ of: "cooldown", has: gates.bucket, needs: gates.coolingUntil, text });
  }
  return found;
}

function formatScore(score: number): string {
  return formatNumber(Math.round(Math.max(0, score) * 10) / 10);
}

/** The state of the series whose bucket is being closed. A step is synchronous, so one object serves all. */
const WORKSHEET = createSpikeState(0);

function unpackOrCreate(packed: string | null, bucket: Instant): SpikeState {
  return packed === null ? createSpikeState(bucket) : unpackSpikeState(packed, WORKSHEET);
}

/** A missing bucket was empty. A bucket given twice would count its mentions twice. */
function catchUp(state: SpikeState, bucket: Instant, settings: SpikeSettings): void {
  const missing = (bucket - state.startAt) / BUCKET_MS - mark(state, MARK.buckets);
  if (missing < 0 || !Number.isInteger(missing)) {
    throw new Error(`a spike condition was given the bucket ${toIso(bucket)} out of order`);
  }
  for (let i = 0; i < missing; i++) closeBucket(state, [], settings);
}

function lateCounts({ bucket, arrivals: [arrivals = []] }: Tick) {
  return arrivals.map(({ bucket: event, count }) => ({
    age: Math.round((bucket - event) / BUCKET_MS),
    count,
  }));
}

function moveAuthors(before: WindowCounts, { bucket, bucketMs, arrivals }: Tick): WindowCounts {
  return moveWindow(before, bucket, bucketMs, SPARSE_WINDOW, arrivals[1] ?? []).window;
}

/** A window fires only if it has enough distinct authors. */
function withDistinctAuthors(
  settings: SpikeSettings,
  { authors: least }: SpikeParams,
  authors: WindowCounts | undefined,
): SpikeSettings {
  if (authors === undefined || least === undefined) return settings;
  const { takesPart = () => true } = settings;
  return {
    ...settings,
    takesPart: (window) =>
      takesPart(window) && total(authors.counts.slice(0, JUDGED_WINDOWS[window])) >= least,
  };
}
