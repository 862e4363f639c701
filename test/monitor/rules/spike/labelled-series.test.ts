import { expect, test } from "vitest";
import { closeBucket, type SpikeObservation } from "../../../../src/monitor/rules/spike/detector.ts";
import {
  gatesOf,
  lnSignificantFor,
  type SpikeTuning,
  TUNING,
} from "../../../../src/monitor/rules/spike/sensitivity.ts";
import { createSpikeState } from "../../../../src/monitor/rules/spike/spike-state.ts";
import { MONDAY, settings } from "./feed.ts";
import { LABELLED_SERIES, type LabelledSeries } from "./labelled-series.ts";

const isPage = ({ step }: SpikeObservation) => step === "opened" || step === "renewed";

function judge({ arrivals }: LabelledSeries, tuning: SpikeTuning = TUNING): SpikeObservation[] {
  const state = createSpikeState(MONDAY);
  const tuned = { ...settings, gates: gatesOf("remarkable", tuning), tuning };
  return arrivals.map((arrived) => closeBucket(state, arrived, tuned));
}

const judged = new Map<LabelledSeries, SpikeObservation[]>();
function asItIs(series: LabelledSeries): SpikeObservation[] {
  const before = judged.get(series) ?? judge(series);
  judged.set(series, before);
  return before;
}

test.each(LABELLED_SERIES)("$name: what was put in is found, and nothing else", (series) => {
  const { spikes, usual, within } = series;
  const pages = asItIs(series).filter(isPage);
  for (const spike of spikes)
    expect(pages.filter(({ bucket }) => bucket >= spike && bucket <= spike + within)).not.toEqual([]);
  // Longer windows hold a burst for two hours after its end.
  const known = [...spikes, ...usual];
  const falseAlarms = pages.filter(
    ({ bucket }) => !known.some((begin) => bucket >= begin && bucket <= begin + within + 48),
  );
  expect(falseAlarms).toEqual([]);
});

/**
 * What the detector said of each series, to five digits: whoever moves one of its constants by a tenth sees which
 * figures move, and which spikes are found later or no more. If that is wanted: `npx vitest run FILE -u`, read what
 * changed, and run `test/bench/spike-robustness.ts`.
 */
test("the figures are those that were measured", () => {
  expect(LABELLED_SERIES.flatMap((series) => figuresOf(series.name, asItIs(series)))).toMatchInlineSnapshot(`
    [
      "busy: expected 1370800, scores 2898.3, ln of chances -4089.3, covered 6048",
      "  3624 opened: 100 in 1, 15.355 expected, score 4.1789, ln -30.867 of -5.2697",
      "  3634 escalated: 1162 in 12, 215.6 expected, score 8.4722, ln -51.074 of -3.4539",
      "  3659 resolved: 39 in 3, 42.363 expected, score -0.019966, ln 0 of -230860",
      "  4360 opened: 231 in 3, 37.789 expected, score 3.0314, ln -46.68 of -10.014",
      "  4386 resolved: 467 in 24, 386.8 expected, score 0.56346, ln 0 of -289.87",
      "  5431 opened: 416 in 6, 72.371 expected, score 3.3328, ln -47.731 of -8.2853",
      "  5462 resolved: 312 in 24, 190.24 expected, score 0.44595, ln -5.0827 of -462.76",
      "usual: expected 124620, scores 2491.8, ln of chances -1926.6, covered 6048",
      "  3012 opened: 31 in 1, 3.248 expected, score 5.9531, ln -26.748 of -3.4539",
      "  3043 resolved: 15 in 3, 10.34 expected, score 0.52415, ln 0 of -334.98",
      "  4946 opened: 39 in 3, 4.3223 expected, score 3.4303, ln -31.166 of -7.8208",
      "  4955 escalated: 153 in 12, 20.372 expected, score 7.2008, ln -27.845 of -3.4539",
      "  4981 resolved: 37 in 12, 26.629 expected, score 0.58576, ln 0 of -268.21",
      "quiet: expected 1418.9, scores 4716.2, ln of chances -479.49, covered 8064",
      "  5877 opened: 4 in 6, 0.059616 expected, score 9.6872, ln -8.7832 of -3.4539",
      "  5913 renewed: 10 in 60, 0.64511 expected, score 5.9542, ln -5.9463 of -3.4539",
      "  5955 resolved: 1 in 3, 0.035267 expected, score 1.5481, ln 0 of -38.4",
      "in bunches: expected 51715, scores 2826.1, ln of chances -2696.6, covered 6048",
      "  4214 opened: 45 in 3, 4.1582 expected, score 5.9237, ln -10.889 of -3.4539",
      "  4248 resolved: 0 in 1, 0.81812 expected, score -0.098421, ln 0 of -9500.5",
      "late: expected 131400, scores 2837.1, ln of chances -2524.2, covered 4068.2",
      "  3864 opened: 14 in 1, 1.9677 expected, score 3.4942, ln -13.385 of -7.5375",
      "  3866 escalated: 50 in 3, 6.1421 expected, score 8.2812, ln -39.428 of -3.4539",
      "  3875 escalated: 57 in 3, 6.4228 expected, score 16.691, ln -46.199 of -3.4539",
      "  3903 resolved: 1 in 1, 1.887 expected, score -0.11744, ln 0 of -6672",
      "rising: expected 337850, scores 2548.1, ln of chances -2344.4, covered 6912",
      "  2425 opened: 30 in 1, 7.4805 expected, score 4.2355, ln -15.641 of -5.1298",
      "  2463 resolved: 240 in 24, 184.97 expected, score 1.647, ln 0 of -33.924",
      "  3309 opened: 65 in 3, 25.891 expected, score 4.4254, ln -7.7155 of -4.6992",
      "  3337 resolved: 230 in 24, 193.5 expected, score 1.2512, ln 0 of -58.789",
      "  4181 opened: 117 in 6, 51.078 expected, score 4.2506, ln -6.9078 of -5.0935",
      "  4213 resolved: 200 in 24, 184.77 expected, score 0.73992, ln 0 of -168.09",
      "  5055 opened: 130 in 6, 51.133 expected, score 3.6563, ln -8.0255 of -6.8839",
      "  5087 resolved: 74 in 12, 85.834 expected, score -0.02877, ln 0 of -111190",
      "  5934 opened: 114 in 6, 30.889 expected, score 3.8695, ln -12.234 of -6.1463",
      "  5961 resolved: 122 in 24, 98.91 expected, score 0.3958, ln 0 of -587.46",
      "  6524 opened: 35 in 1, 7.6367 expected, score 4.5285, ln -11.652 of -4.4876",
      "  6553 resolved: 138 in 24, 142.53 expected, score 0.12499, ln 0 of -5890.4",
      "new: expected 49270, scores 688.36, ln of chances -123.13, covered 864",
      "  240 opened: 41 in 1, 3.3682 expected, score 4.8288, ln -15.871 of -3.9468",
      "  269 resolved: 1 in 1, 2.9219 expected, score -0.10704, ln 0 of -8031.6",
      "again and again: expected 154620, scores 2974.6, ln of chances -2613.8, covered 8064",
      "  2172 opened: 22 in 1, 2.1318 expected, score 5.1191, ln -27.774 of -3.5119",
      "  2206 resolved: 64 in 24, 48.824 expected, score 0.65562, ln 0 of -214.1",
      "  2750 opened: 55 in 3, 9.1475 expected, score 3.4836, ln -16.179 of -7.5835",
      "  2781 resolved: 5 in 1, 2.4004 expected, score 0.32144, ln 0 of -890.66",
      "  3326 opened: 71 in 3, 11.642 expected, score 3.9463, ln -13.691 of -5.9095",
      "  3358 resolved: 87 in 24, 75.529 expected, score 0.58233, ln 0 of -271.38",
      "  3905 opened: 116 in 6, 19.136 expected, score 4.0642, ln -10.994 of -5.5716",
      "  3931 resolved: 0 in 1, 2.0244 expected, score -0.19132, ln 0 of -2514.1",
      "  4481 opened: 126 in 6, 28.449 expected, score 4.1423, ln -8.044 of -5.3633",
      "  4507 resolved: 3 in 1, 2.8389 expected, score 0.055167, ln 0 of -30238",
      "  6209 opened: 130 in 6, 32.307 expected, score 4.1938, ln -6.9078 of -5.2324",
      "  6237 resolved: 35 in 12, 33.113 expected, score 0.18466, ln 0 of -2699",
      "  6785 opened: 152 in 6, 35.488 expected, score 4.7838, ln -6.9078 of -4.0214",
      "  6814 resolved: 84 in 24, 80.235 expected, score 0.4051, ln 0 of -560.79",
    ]
  `);
});

test.each(
  Object.keys(TUNING).flatMap((key) =>
    [1.12, 1 / 1.12].map((factor) => [key as keyof SpikeTuning, factor] as const),
  ),
)("%s times %f is noticed", (key, factor) => {
  const moved: SpikeTuning = { ...TUNING, [key]: TUNING[key] * factor };
  const changed = LABELLED_SERIES.some(
    (series) => figuresOf("", judge(series, moved), moved).join() !== figuresOf("", asItIs(series)).join(),
  );
  expect(changed).toBe(true);
});

function figuresOf(
  name: string,
  observations: readonly SpikeObservation[],
  tuning: SpikeTuning = TUNING,
): string[] {
  const gates = gatesOf("remarkable", tuning);
  const digits = (value: number) => String(Number(value.toPrecision(5)));
  const sum = (of: (one: SpikeObservation) => number) =>
    digits(observations.reduce((all, one) => all + of(one), 0));
  return [
    `${name}: expected ${sum(({ expected }) => expected)}, scores ${sum(({ score }) => score)}, ` +
      `ln of chances ${sum(({ lnP }) => lnP)}, covered ${sum(({ completeness }) => completeness)}`,
    ...observations
      .filter(({ step }) => step !== "quiet" && step !== "open")
      .map(
        ({ bucket, step, window, observed, expected, score, lnP }) =>
          `  ${bucket} ${step}: ${observed} in ${window}, ${digits(expected)} expected, ` +
          `score ${digits(score)}, ln ${digits(lnP)} of ${digits(lnSignificantFor(gates, score, tuning.product))}`,
      ),
  ];
}
