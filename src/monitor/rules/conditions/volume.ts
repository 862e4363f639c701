import { z } from "zod";
import { formatMinutes } from "../../../lib/duration.ts";
import { MINUTE } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { countedSubject, formatNumber } from "../../../lib/numbers.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import { defineWindowCondition } from "../define-window-condition.ts";
import { WindowLength } from "../params.ts";
import { reachedSeverity } from "../severity-steps.ts";
import { CountedUnit, inUnit } from "../slice.ts";
import type { WindowCondition } from "../window-condition.ts";
import { moveWindow, noCounts, total, type WindowCounts } from "../window-counts.ts";

const StepLimits = z.strictObject({
  atLeast: z.int().min(1).describe("This number or more."),
  within: WindowLength.exactOptional().describe(
    "The time in which they are counted. Default: that of the rule.",
  ),
});

/**
 * `volume: {atLeast: 50, within: 30m}`: at least this many mentions, by their own time, in the window that ends now; or
 * distinct authors or stories with `count: authors` or `count: stories`.
 */
export const volume = defineWindowCondition({
  type: "volume",
  overAfterMs: 30 * MINUTE,
  params: z
    .strictObject({
      atLeast: z.int().min(1).describe("Opens an alert at this number or more."),
      within: WindowLength.describe("The time in which they are counted, such as 30m."),
      count: CountedUnit,
    })
    .describe("A fixed limit: at least so many mentions in a time. Example: { atLeast: 50, within: 30m }"),
  stepLimits: StepLimits,
  stepsOf: ({ atLeast, within }) => ({
    what: "a rule with volume",
    limits: StepLimits.transform((step) => ({ within, ...step })),
    own: { atLeast, within },
    describe: (step) =>
      `at least ${formatNumber(step.atLeast ?? 0)} in ${formatMinutes(step.within ?? within)}`,
  }),
  compile: ({ atLeast, within, count }, slice, _, steps) => {
    const { series, subject } = inUnit(slice, count);
    const longest = Math.max(
      within,
      ...steps.flatMap((step) => step.limits.map(({ limits }) => limits.within ?? 0)),
    );
    const key = stableHash({ type: "volume", version: 1, within: longest, series: series.key });
    const condition: WindowCondition = {
      type: "volume",
      key,
      baseline: key,
      series: [series],
      subject,
      inWords: `${formatNumber(atLeast)} or more ${subject} in ${formatMinutes(within)}`,
      looksMs: [0, within],
      initial: () => noCounts,
      inherit: (state) => state,
      // Without arrivals a window only empties.
      isAsleep: () => true,
      warmUp: () => undefined,
      step: (state, { bucket, bucketMs, arrivals: [arrivals = []] }) => {
        const { window } = moveWindow(state as WindowCounts, bucket, bucketMs, longest / BUCKET_MS, arrivals);
        const countIn = (ms: number): number => total(window.counts.slice(0, ms / BUCKET_MS));
        const observed = countIn(within);
        const reached = reachedSeverity(
          steps,
          (step) => countIn(step.within ?? within) >= (step.atLeast ?? 0),
        );
        const because = `${countedSubject(observed, subject)} in ${formatMinutes(within)} (limit ${formatNumber(atLeast)})`;
        return {
          state: window,
          verdict: {
            met: observed >= atLeast,
            because,
            windowFrom: bucket + bucketMs - within,
            windowTo: bucket + bucketMs,
            observed,
            values: { count: observed, limit: atLeast },
            present: { count: observed, windowMs: within, at: bucket + bucketMs, subject },
            reached,
          },
        };
      },
      missing: (state, tick) => {
        const { observed } = condition.step(state, tick).verdict;
        if (observed >= atLeast) return [];
        const text = `${countedSubject(observed, subject)} in ${formatMinutes(within)}, at least ${formatNumber(atLeast)} needed: ${formatNumber(atLeast - observed)} short`;
        return [{ of: "count", has: observed, needs: atLeast, text }];
      },
    };
    return condition;
  },
});
