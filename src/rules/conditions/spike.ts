import { z } from "zod";
import { Duration } from "../../lib/duration.ts";
import { DAY, HOUR, type Instant, toIso } from "../../lib/instant.ts";
import { stableHash } from "../../lib/stable-hash.ts";
import { BUCKET_MS } from "../../spike/constants.ts";
import { closeBucket, type SpikeSettings } from "../../spike/detector.ts";
import { explainQuiet, explainSpike } from "../../spike/explain-spike.ts";
import { type PackedSpikeState, packSpikeState, unpackSpikeState } from "../../spike/packed-spike-state.ts";
import { peakOf } from "../../spike/peak.ts";
import { gatesOf, SENSITIVITIES, significanceFor, significanceGate } from "../../spike/sensitivity.ts";
import { createSpikeState, MARK, mark, type SpikeState } from "../../spike/spike-state.ts";
import { defineWindowCondition } from "../define-window-condition.ts";
import { arrivedIn } from "../window-counts.ts";

const Params = z
  .strictObject({
    sensitivity: z.enum(SENSITIVITIES).default("remarkable"),
    atLeast: z.int().min(1),
    cooldown: Duration.default(3 * HOUR),
    oneFalseAlarmIn: Duration.refine((ms) => ms >= DAY, "expected a day or more").exactOptional(),
  })
  .refine(
    ({ sensitivity, oneFalseAlarmIn }) => oneFalseAlarmIn === undefined || sensitivity === "any anomaly",
    'oneFalseAlarmIn goes with sensitivity "any anomaly" only: the others have fixed limits',
  );

/**
 * `spike: {atLeast: 20}`: far more mentions than this query usually has at this hour of the week. Met from the page of
 * the detector until half an hour of calm; what it says then is the strongest moment so far.
 */
export const spike = defineWindowCondition({
  type: "spike",
  /** The detector has waited for calm itself. */
  overAfterMs: 0,
  params: Params,
  compile: (params, { series, subject }) => {
    const settings = settingsOf(params);
    return {
      type: "spike",
      key: stableHash({ type: "spike", version: 1, ...params, series: series.key }),
      series: [series],
      initial: () => null,
      step: (json, { bucket, arrivals: [arrivals = []] }) => {
        const state =
          json === null ? createSpikeState(bucket) : unpackSpikeState(json as PackedSpikeState, WORKSHEET);
        const late = arrivals.map(({ bucket: event, count }) => ({
          age: Math.round((bucket - event) / BUCKET_MS),
          count,
        }));
        catchUp(state, bucket, settings);
        const now = closeBucket(state, late, settings);
        const peak = peakOf(state);
        const moment = peak ?? now;
        const windowTo = state.startAt + (moment.bucket + 1) * BUCKET_MS;
        return {
          state: packSpikeState(state),
          verdict: {
            met: peak !== undefined,
            because: peak === undefined ? explainQuiet(now, subject) : explainSpike(state, peak, subject),
            windowFrom: windowTo - moment.window * BUCKET_MS,
            windowTo,
            observed: moment.observed,
            arrived: arrivedIn(arrivals),
            values: {
              count: moment.observed,
              expected: moment.expected,
              probability: Math.exp(moment.lnP),
              score: moment.score,
              scoreNow: now.score,
              /** How often people should have been told of this incident: rises when it doubles or lasts. */
              tellings: peak === undefined ? 0 : mark(state, MARK.tellings),
            },
          },
        };
      },
    };
  },
});

/** The state of the series whose bucket is closed just now. A step never waits, so one is enough for all. */
const WORKSHEET = createSpikeState(0);

/** A bucket that was not told of was empty. One that was told of already would count its mentions twice. */
function catchUp(state: SpikeState, bucket: Instant, settings: SpikeSettings): void {
  const missing = (bucket - state.startAt) / BUCKET_MS - mark(state, MARK.buckets);
  if (missing < 0 || !Number.isInteger(missing)) {
    throw new Error(`a spike condition was given the bucket ${toIso(bucket)} out of order`);
  }
  for (let i = 0; i < missing; i++) closeBucket(state, [], settings);
}

function settingsOf({
  sensitivity,
  atLeast,
  cooldown,
  oneFalseAlarmIn,
}: z.output<typeof Params>): SpikeSettings {
  return {
    gates:
      oneFalseAlarmIn === undefined
        ? gatesOf(sensitivity)
        : significanceGate(significanceFor(oneFalseAlarmIn)),
    form: "seasonal",
    cooldownBuckets: Math.ceil(cooldown / BUCKET_MS),
    atLeast,
  };
}
