import { z } from "zod";
import { lnBetaBinomialTail } from "../../../lib/distributions.ts";
import { Duration, formatMinutes } from "../../../lib/duration.ts";
import { DAY, type Instant, MINUTE } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { countedSubject, formatNumber, formatShare, inPercent } from "../../../lib/numbers.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import { allOf, everyMention } from "../combine-predicates.ts";
import { defineWindowCondition } from "../define-window-condition.ts";
import { Share, WindowLength } from "../params.ts";
import { reachedSeverity } from "../severity-steps.ts";
import { learnVariation, noShareVariation, type ShareVariation, togetherness } from "../share-variation.ts";
import { sliceOf } from "../slice.ts";
import { formatRarity, rarityInWords } from "../spike/explain-spike.ts";
import {
  bucketsUntilUsual,
  isUsualKnown,
  learnShare,
  mentionsUntilUsual,
  noUsualShare,
  type UsualShare,
  usualShare,
} from "../usual-share.ts";
import { AWAITS_FIRST_MENTION, warmUpUntil } from "../warm-up.ts";
import type { Shortfall, Tick, WindowCondition, WindowVerdict } from "../window-condition.ts";
import { moveWindow, noCounts, total, type WindowCounts } from "../window-counts.ts";

type ShareState = {
  readonly part: WindowCounts;
  readonly whole: WindowCounts;
  readonly usual: UsualShare;
  readonly usualVariation: ShareVariation;
  readonly surge?: Surge;
};

/** From the bucket that meets the rule until the share has come back half of its way to what was usual before. */
type Surge = { readonly since: Instant; readonly ordinary: number };

/** What lasts longer is learned as usual. */
const LONGEST_SURGE_MS = 3 * DAY;

const Params = z
  .strictObject({
    of: z
      .unknown()
      .refine((tree) => tree !== undefined, '"of" is missing')
      .describe("The conditions on the mentions whose share is measured. Example: { sentiment: negative }"),
    atLeast: Share.exactOptional().describe(
      "The share that opens an alert, such as 40%. Required without unusual.",
    ),
    aboveUsual: Share.exactOptional().describe(
      "And so many percentage points above the usual share of this query, such as 15%.",
    ),
    unusual: z
      .literal(true, 'expected "true", or no "unusual" at all')
      .exactOptional()
      .describe("true: tests the share against what is usual for this query, in place of a fixed limit."),
    oneFalseAlarmIn: Duration.refine((ms) => ms >= DAY, "expected a day or more")
      .exactOptional()
      .describe("How seldom chance alone may open an alert, with unusual: true. 1d or more. Default: 30d."),
    among: z.int().min(1).describe("Judges only times with so many mentions, such as 30."),
    within: WindowLength.describe("The time in which they are counted, such as 1h."),
  })
  .refine(
    ({ atLeast, unusual }) => atLeast !== undefined || unusual === true,
    "it needs atLeast (a fixed share) or unusual: true (tested against the usual one)",
  )
  .refine(
    ({ unusual, oneFalseAlarmIn }) => oneFalseAlarmIn === undefined || unusual === true,
    "oneFalseAlarmIn says how rare the unusual has to be, so it goes with unusual: true",
  )
  .meta({
    // zod takes an unknown value for one that may be left out.
    required: ["of", "among", "within"],
    anyOf: [{ required: ["atLeast"] }, { required: ["unusual"] }],
    dependencies: { oneFalseAlarmIn: ["unusual"] },
    description:
      "A part of the mentions is large, or larger than usual. Example: { of: { sentiment: negative }, atLeast: 40%, among: 30, within: 1h }",
  });

const StepLimits = z.strictObject({ atLeast: Share.describe("This share or more, such as 60%.") });

/**
 * `share: {of: {sentiment: negative}, atLeast: 40%, among: 30, within: 1h}`: the share of the rule's mentions that
 * match `of`, once the window has at least `among` mentions. `aboveUsual: 15%` also requires that many percentage
 * points more than this query's own share of the last days. `unusual: true` requires instead that chance explains it no
 * more often than `oneFalseAlarmIn`, given the usual variation of this query's share. Both need a day of history.
 */
export const share = defineWindowCondition({
  type: "share",
  overAfterMs: 30 * MINUTE,
  trees: ["of"],
  params: Params,
  stepLimits: StepLimits,
  stepsOf: ({ atLeast }) => ({
    what: "a rule with share",
    limits: StepLimits,
    own: atLeast === undefined ? {} : { atLeast },
    describe: (step) => `at least ${inPercent(step.atLeast ?? 0)}%`,
  }),
  compile: ({ of, atLeast, aboveUsual, unusual, oneFalseAlarmIn, among, within }, slice, readTree, steps) => {
    const predicate = readTree(of, ["of"]);
    if (predicate === undefined) return undefined;
    const whole = slice.series;
    const part = sliceOf(
      allOf([slice.predicate, predicate].filter((each) => each.form !== everyMention.form)),
      false,
    ).series;
    const buckets = within / BUCKET_MS;
    const testsADay = Math.min(150, (TESTS_A_WINDOW * DAY) / within);
    const lnLimit = -Math.log(((oneFalseAlarmIn ?? 30 * DAY) / DAY) * testsADay);
    const key = stableHash({ type: "share", version: 2, within, part: part.key, whole: whole.key });
    const are = predicate.adjective ?? `matching (${predicate.label})`;
    const rule: JudgedShare = {
      ...{ atLeast, aboveUsual, isUnusual: unusual === true, among, within },
      ...{ subject: slice.subject, are, testsADay, lnLimit },
    };
    const condition: WindowCondition = {
      type: "share",
      key,
      baseline: key,
      series: [part, whole],
      subject: `${predicate.adjective ?? "matching"} mentions`,
      inWords: [
        `${atLeast === undefined ? "a part" : `${inPercent(atLeast)}% or more`} of the ${slice.subject} in ${formatMinutes(within)} are ${are}`,
        ...(aboveUsual === undefined
          ? []
          : [`${inPercent(aboveUsual)} percentage points above what is usual for this query`]),
        ...(unusual === true ? ["more than chance explains, given what is usual for this query"] : []),
        `judged once there are ${formatNumber(among)}`,
      ].join("; "),
      looksMs: [0, within],
      initial: (): ShareState => ({
        part: noCounts,
        whole: noCounts,
        usual: noUsualShare,
        usualVariation: noShareVariation,
      }),
      inherit: (state) => state,
      isAsleep: (json) => total((json as ShareState).whole.counts) === 0,
      warmUp: (json, judged) => {
        if (unusual !== true && aboveUsual === undefined) return undefined;
        const state = json as ShareState;
        if (state.whole.counts.length === 0) return AWAITS_FIRST_MENTION;
        const seen = state.whole.newest + BUCKET_MS;
        const missing = mentionsUntilUsual(state.usual, among);
        return (
          warmUpUntil(seen + bucketsUntilUsual(state.usual) * BUCKET_MS, judged) ??
          (missing === 0 ? undefined : { until: null, needs: `${formatNumber(missing)} more mentions` })
        );
      },
      step: (json, tick) => {
        const { bucket, bucketMs } = tick;
        const before = json as ShareState;
        const { isNews, ...moved } = moveOn(before, tick, buckets);
        const found = judgeShare(rule, moved);
        const { met, count, matching, now, usual, lnP } = found;
        const surge = surgeAfter(rule, { before: before.surge, isNews, bucket }, found);
        const reached = reachedSeverity(steps, (step) => now >= (step.atLeast ?? 0));
        return {
          state: { ...moved, ...(surge !== undefined && { surge }) },
          verdict: {
            met,
            // It is harder to end than to begin. Too few mentions, as in a night, say nothing.
            ...(!met && surge !== undefined && count >= among && { goesOn: true }),
            because: explainShare(rule, found),
            windowFrom: bucket + bucketMs - within,
            windowTo: bucket + bucketMs,
            observed: matching,
            present: {
              count: matching,
              windowMs: within,
              at: bucket + bucketMs,
              subject: `${predicate.adjective ?? "matching"} mentions`,
            },
            reached,
            values: {
              count: matching,
              among: count,
              share: now,
              ...(predicate.sentiment === "negative" && { negativeShare: now }),
              ...(atLeast !== undefined && { limit: atLeast }),
              usual: usual ?? 0,
              ...(unusual === true && { probability: Math.exp(lnP) }),
            },
          },
        };
      },
      missing: (json, tick) => {
        const { verdict } = condition.step(json, tick);
        return verdict.met ? [] : shortfallsOf(rule, verdict.values);
      },
    };
    return condition;
  },
});

/** What a share is judged by. */
interface JudgedShare {
  readonly atLeast: number | undefined;
  readonly aboveUsual: number | undefined;
  /** Chance must not explain it. */
  readonly isUnusual: boolean;
  readonly among: number;
  readonly within: number;
  /** What is counted, and what the part of it is. */
  readonly subject: string;
  readonly are: string;
  readonly testsADay: number;
  readonly lnLimit: number;
}

/** The state with a bucket more, before it is judged. `isNews`: it is in a surge, of which nothing is learned. */
function moveOn(
  state: ShareState,
  { bucket, bucketMs, arrivals: [partArrivals = [], wholeArrivals = []] }: Tick,
  buckets: number,
) {
  const { window: part, left: partLeft } = moveWindow(state.part, bucket, bucketMs, buckets, partArrivals);
  const { window: whole, left } = moveWindow(state.whole, bucket, bucketMs, buckets, wholeArrivals);
  const isNews = state.surge !== undefined && bucket - state.surge.since < LONGEST_SURGE_MS;
  // Learn only from what has left the window, and nothing from a surge: it must not be measured against itself.
  const usualVariation = isNews
    ? state.usualVariation
    : learnVariation(state.usualVariation, state.usual, partLeft, left, buckets);
  const usual = isNews ? state.usual : learnShare(state.usual, partLeft, left);
  return { part, whole, usual, usualVariation, isNews };
}

interface FoundShare {
  readonly met: boolean;
  /** The share is `now`: so many of `count`. */
  readonly matching: number;
  readonly count: number;
  readonly now: number;
  /** Null: it is not known yet. */
  readonly usual: number | null;
  readonly lnP: number;
}

function judgeShare(
  { atLeast, aboveUsual, isUnusual, among, lnLimit }: JudgedShare,
  { part, whole, usual, usualVariation }: Omit<ShareState, "surge">,
): FoundShare {
  const count = total(whole.counts);
  const matching = Math.min(total(part.counts), count);
  const now = count === 0 ? 0 : matching / count;
  const known = isUsualKnown(usual, among);
  const expected = usualShare(usual);
  const isHigh =
    count >= among &&
    (atLeast === undefined || now >= atLeast) &&
    (aboveUsual === undefined || (known && now >= expected + aboveUsual));
  // The test is expensive, so it runs only when it decides the outcome.
  const lnP =
    isUnusual && isHigh && known && now > expected
      ? lnBetaBinomialTail(matching, count, within01(expected), togetherness(usualVariation, usual))
      : 0;
  const met = isHigh && (!isUnusual || lnP <= lnLimit);
  return { met, matching, count, now, usual: known ? expected : null, lnP };
}

/** The surge after a bucket: one that goes on, or begins now, until the share is back. */
function surgeAfter(
  { aboveUsual, isUnusual, among }: JudgedShare,
  at: { readonly before: Surge | undefined; readonly isNews: boolean; readonly bucket: Instant },
  { met, count, now, usual }: FoundShare,
): Surge | undefined {
  const isBack = count >= among && !met && (now <= (at.before?.ordinary ?? 0) || !at.isNews);
  if (isBack) return undefined;
  if (at.before !== undefined || !met || usual === null) return at.before;
  const isAgainstUsual = aboveUsual !== undefined || isUnusual;
  return isAgainstUsual ? { since: at.bucket, ordinary: usual + (aboveUsual ?? now - usual) / 2 } : undefined;
}

function explainShare(
  { atLeast, aboveUsual, isUnusual, among, within, subject, are, testsADay }: JudgedShare,
  found: FoundShare,
): string {
  const { now, count, usual, lnP } = found;
  const against =
    aboveUsual === undefined && !isUnusual
      ? ""
      : `, usually ${usual === null ? "not known yet" : formatShare(usual)}`;
  const limits = [
    ...(atLeast === undefined ? [] : [`${inPercent(atLeast)}%`]),
    ...(aboveUsual === undefined ? [] : [`${inPercent(aboveUsual)} points above usual`]),
  ];
  const limit = `${limits.length === 0 ? "" : `limit ${limits.join(" and ")}, `}among at least ${formatNumber(among)}`;
  const rarely = lnP < 0 ? rarityInWords(lnP, testsADay) : null;
  const rarity = rarely === null ? "" : `. Chance alone ${rarely} brings that.`;
  return (
    `${formatShare(now)} of ${formatNumber(count)} ${subject} in ${formatMinutes(within)} are ` +
    `${are}${against} (${limit})${rarity}`
  );
}

/** The limits that a share has not reached. */
function shortfallsOf(
  { atLeast, aboveUsual, isUnusual, among, within, subject, are, testsADay, lnLimit }: JudgedShare,
  { among: count = 0, share: now = 0, usual = 0, probability = 1 }: WindowVerdict["values"],
): Shortfall[] {
  const found: Shortfall[] = [];
  const window = `${countedSubject(count, subject)} in ${formatMinutes(within)}`;
  if (count < among)
    found.push({
      ...{ of: "among", has: count, needs: among },
      text: `${window}, a share is only taken of at least ${formatNumber(among)}: ${formatNumber(among - count)} short`,
    });
  const high = (of: "share" | "usual", needs: number, what: string): void => {
    if (now >= needs) return;
    const short = formatNumber((needs - now) * 100);
    const text = `${formatShare(now)} of ${window} are ${are}, ${what}: ${short} ${short === "1" ? "point" : "points"} short`;
    found.push({ of, has: now, needs, text });
  };
  if (atLeast !== undefined) high("share", atLeast, `at least ${inPercent(atLeast)}% needed`);
  if (aboveUsual !== undefined)
    high(
      "usual",
      usual + aboveUsual,
      `${formatShare(usual + aboveUsual)} needed, ${inPercent(aboveUsual)} points above the usual ${formatShare(usual)}`,
    );
  if (isUnusual && found.length === 0)
    found.push({
      ...{ of: "rarity", has: probability, needs: Math.exp(lnLimit) },
      text: `${formatShare(now)} of ${window} are ${are}, usually ${formatShare(usual)}: chance alone brings that ${formatRarity(Math.log(probability), testsADay)}, it has to be rarer than ${formatRarity(lnLimit, testsADay)}`,
    });
  return found;
}

/** A sliding window counts as several independent ones. */
const TESTS_A_WINDOW = 4;

/** For a share of 0 or 1: the test needs a probability in between. */
function within01(share: number): number {
  return Math.min(0.999, Math.max(0.001, share));
}
