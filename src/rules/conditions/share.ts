import { z } from "zod";
import { MINUTE } from "../../lib/instant.ts";
import { spellDuration } from "../../lib/spell-duration.ts";
import { spellNumber, spellShare } from "../../lib/spell-number.ts";
import { stableHash } from "../../lib/stable-hash.ts";
import { allOf } from "../combine-predicates.ts";
import { defineWindowCondition } from "../define-window-condition.ts";
import { Share, WindowLength } from "../params.ts";
import { sliceOf } from "../slice.ts";
import { isUsualKnown, learnShare, noUsualShare, type UsualShare, usualShare } from "../usual-share.ts";
import { arrivedIn, moveWindow, noCounts, total, type WindowCounts } from "../window-counts.ts";

const BUCKET_MS = 5 * MINUTE;

type ShareState = { readonly part: WindowCounts; readonly whole: WindowCounts; readonly usual: UsualShare };

/**
 * `share: {of: {sentiment: negative}, atLeast: 40%, among: 30, within: 1h}`: that part of the rule's mentions, once
 * there are at least `among` of them in the window. `aboveUsual: 15%` also asks for so many percentage points more
 * than this query's own share of the last days, and waits for a day of history before it can be true.
 */
export const share = defineWindowCondition({
  type: "share",
  overAfterMs: 30 * MINUTE,
  trees: ["of"],
  params: z.strictObject({
    of: z.unknown().refine((tree) => tree !== undefined, '"of" is missing'),
    atLeast: Share,
    aboveUsual: Share.exactOptional(),
    among: z.int().min(1),
    within: WindowLength,
  }),
  compile: ({ of, atLeast, aboveUsual, among, within }, slice, readTree) => {
    const predicate = readTree(of, ["of"]);
    if (predicate === undefined) return undefined;
    const whole = slice.series;
    const part = sliceOf(
      allOf([slice.predicate, predicate].filter((each) => each.form !== EVERYTHING)),
      false,
    ).series;
    const buckets = within / BUCKET_MS;
    const limits = { atLeast, aboveUsual: aboveUsual ?? null, among, within };
    return {
      type: "share",
      key: stableHash({ type: "share", version: 1, ...limits, part: part.key, whole: whole.key }),
      series: [part, whole],
      initial: (): ShareState => ({ part: noCounts, whole: noCounts, usual: noUsualShare }),
      step: (json, { bucket, bucketMs, arrivals: [partArrivals = [], wholeArrivals = []] }) => {
        const state = json as ShareState;
        const { window: parts, left: partsLeft } = moveWindow(
          state.part,
          bucket,
          bucketMs,
          buckets,
          partArrivals,
        );
        const { window: wholes, left } = moveWindow(state.whole, bucket, bucketMs, buckets, wholeArrivals);
        // Only what has left the window teaches what is usual: a surge shall not be measured against itself.
        const usual = learnShare(state.usual, partsLeft, left);
        const count = total(wholes.counts);
        const matching = Math.min(total(parts.counts), count);
        const now = count === 0 ? 0 : matching / count;
        const known = isUsualKnown(usual, among);
        const expected = usualShare(usual);
        const met =
          count >= among &&
          now >= atLeast &&
          (aboveUsual === undefined || (known && now >= expected + aboveUsual));
        const against =
          aboveUsual === undefined ? "" : `, usually ${known ? spellShare(expected) : "not known yet"}`;
        return {
          state: { part: parts, whole: wholes, usual },
          verdict: {
            met,
            because:
              `${spellShare(now)} of ${spellNumber(count)} ${slice.subject} in ${spellDuration(within)} are ` +
              `${predicate.adjective ?? `matching (${predicate.label})`}${against} ` +
              `(limit ${spellShare(atLeast)} of at least ${spellNumber(among)}${
                aboveUsual === undefined ? "" : `, ${Math.round(aboveUsual * 100)} points above usual`
              })`,
            windowFrom: bucket + bucketMs - within,
            windowTo: bucket + bucketMs,
            observed: matching,
            arrived: arrivedIn(partArrivals),
            values: {
              count: matching,
              among: count,
              share: now,
              limit: atLeast,
              usual: known ? expected : 0,
            },
          },
        };
      },
    };
  },
});

const EVERYTHING = "every mention";
