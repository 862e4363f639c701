import fc from "fast-check";
import { expect, test } from "vitest";
import type { StepCount } from "../../../src/monitor/model/mention-counts.ts";
import { buildVolume, type NamedQuery } from "../../../src/monitor/views/count-volume.ts";

const STEPS = 4;
/** Two projects have a query of the same id. */
const QUERIES: readonly NamedQuery[] = Array.from({ length: 8 }, (_, n) => ({
  projectId: n < 7 ? "1" : "2",
  queryId: String(n % 7),
  name: `Brand ${String.fromCharCode(72 - n)}`,
}));

const counts = (most: number) =>
  fc.array(
    fc.record({
      query: fc.integer({ min: 0, max: most - 1 }),
      step: fc.integer({ min: 0, max: STEPS - 1 }),
      negative: fc.nat(9),
      neutral: fc.nat(9),
      positive: fc.nat(9),
      unknown: fc.nat(3),
    }),
    { maxLength: 40 },
  );

test("each number of a volume is that of its counts, for every voice, step and mood", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }).chain((most) => fc.tuple(fc.constant(most), counts(most), counts(most))),
      ([most, now, past]) => {
        const queries = QUERIES.slice(0, most);
        const toStep = ({ query, unknown, ...one }: (typeof now)[number]): StepCount => {
          const { projectId, queryId } = queries[query] as NamedQuery;
          const mentions = one.negative + one.neutral + one.positive + unknown;
          return { projectId, queryId, ...one, mentions } as StepCount;
        };
        const volume = buildVolume(queries, STEPS, now.map(toStep), past.map(toStep));
        // Counted anew, one by one.
        const of = (list: typeof now, fits: (one: (typeof now)[number]) => boolean) => {
          const sums = { negative: 0, neutral: 0, positive: 0, unknown: 0, all: 0 };
          for (const one of list.filter(fits)) {
            for (const mood of ["negative", "neutral", "positive", "unknown"] as const) {
              sums[mood] += one[mood];
              sums.all += one[mood];
            }
          }
          return sums;
        };
        const moods = ({ all, ...rest }: ReturnType<typeof of>) => rest;
        const steps = Array.from({ length: STEPS }, (_, step) => step);
        expect(volume.total).toBe(of(now, () => true).all);
        expect(volume.before).toBe(of(past, () => true).all);
        expect(volume.mood).toEqual(moods(of(now, () => true)));
        expect(volume.moodBefore).toEqual(moods(of(past, () => true)));
        expect(volume.moods).toEqual(steps.map((step) => moods(of(now, (one) => one.step === step))));
        expect(volume.countsBefore).toEqual(steps.map((step) => of(past, (one) => one.step === step).all));

        // Loudest first; those that are as loud by name.
        const ranked = queries
          .map((query, n) => ({ ...query, n, total: of(now, (one) => one.query === n).all }))
          .toSorted((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
        const alone = most > 6 ? ranked.slice(0, 5) : ranked;
        const groups = [...alone.map((one) => [one]), ...(most > 6 ? [ranked.slice(5)] : [])];
        expect(volume.voices).toEqual(
          groups.map((group, place) => {
            const isIn = (one: (typeof now)[number]) => group.some(({ n }) => n === one.query);
            const isRest = most > 6 && place === 5;
            return {
              name: isRest ? `${most - 5} others` : group[0]?.name,
              queryId: isRest ? null : group[0]?.queryId,
              fill: isRest ? "fill-others" : `fill-${place + 1}`,
              counts: steps.map((step) => of(now, (one) => isIn(one) && one.step === step).all),
              total: of(now, isIn).all,
              before: of(past, isIn).all,
              negative: of(now, isIn).negative,
              negativeBefore: of(past, isIn).negative,
            };
          }),
        );
      },
    ),
  );
});

test("no query and no count is no volume", () => {
  expect(buildVolume([], 2, [], [])).toMatchObject({ voices: [], total: 0, countsBefore: [0, 0] });
});
