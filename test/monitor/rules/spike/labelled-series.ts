import { createRandom, type Random } from "../../../../src/listening-api/simulate/random.ts";
import type { LateCount } from "../../../../src/monitor/rules/spike/detector.ts";

/** Counts of buckets of five minutes, generated, with the spikes that were put into them. */
export interface LabelledSeries {
  readonly name: string;
  readonly arrivals: readonly (readonly LateCount[])[];
  /** Buckets at which a spike begins that has to be found, at most `within` buckets later. */
  readonly spikes: readonly number[];
  readonly within: number;
  /** Bursts that this query has again and again: they may be reported. Any other page is a false alarm. */
  readonly usual: readonly number[];
}

interface Shape {
  /** Mentions a bucket, on average. */
  readonly level: number;
  readonly days: number;
  /** Begin, buckets, and how many times the level comes on top of it. */
  readonly bursts: readonly (readonly [day: number, hour: number, buckets: number, times: number])[];
  /** So many of them are spikes; the query is used to those after them. */
  readonly surprising?: number;
  /** Bursts begin slowly: what decides is when they are told from chance. */
  readonly rises?: boolean;
  /** Mentions come in bunches of up to so many. */
  readonly bunch?: number;
  /** The share of mentions that become visible up to two hours later. */
  readonly late?: number;
  readonly within?: number;
}

const DAY = 288;

/** Working days with a morning and an evening, half as much on weekends, and a rate that wanders. */
function generate(name: string, shape: Shape): LabelledSeries {
  const random = createRandom("labelled series", name);
  const {
    level,
    days,
    bursts,
    surprising = bursts.length,
    rises = false,
    bunch = 1,
    late = 0,
    within = 12,
  } = shape;
  const counts: number[] = [];
  let wander = 0;
  for (let bucket = 0; bucket < days * DAY; bucket++) {
    wander = 0.98 * wander + 0.02 * (random.next() - 0.5) * 6;
    const weekend = Math.floor(bucket / DAY) % 7 >= 5 ? 0.5 : 1;
    const hour = 1 - 0.7 * Math.cos((2 * Math.PI * (bucket % DAY)) / DAY);
    let rate = level * weekend * hour * Math.exp(wander);
    for (const [day, at, buckets, times] of bursts) {
      const since = bucket - begin(day, at);
      if (since >= 0 && since < buckets) rate += times * level * (rises ? since / buckets : 1);
    }
    counts.push(inBunches(random, rate, bunch));
  }
  return {
    name,
    arrivals: late === 0 ? counts.map((count) => [{ age: 0, count }]) : delayed(random, counts, late),
    spikes: bursts.slice(0, surprising).map(([day, at]) => begin(day, at)),
    within,
    usual: bursts.slice(surprising).map(([day, at]) => begin(day, at)),
  };
}

function begin(day: number, hour: number): number {
  return day * DAY + hour * 12;
}

function inBunches(random: Random, rate: number, bunch: number): number {
  const bunches = random.poisson((rate * 2) / (bunch + 1));
  let count = 0;
  for (let one = 0; one < bunches; one++) count += random.whole(1, bunch);
  return count;
}

function delayed(random: Random, counts: readonly number[], share: number): LateCount[][] {
  const arrivals = counts.map((): LateCount[] => []);
  for (const [bucket, count] of counts.entries())
    for (let one = 0; one < count; one++) {
      const age = random.chance(share) ? random.whole(1, 24) : 0;
      arrivals[bucket + age]?.push({ age, count: 1 });
    }
  return arrivals;
}

/** Queries as they are: busy and quiet, in bunches, late, new, and one where something happens again and again. */
export const LABELLED_SERIES: readonly LabelledSeries[] = [
  generate("busy", {
    ...{ level: 20, days: 21 },
    bursts: [
      [12, 14, 12, 4],
      [15, 3, 6, 3],
      [18, 20, 18, 3],
    ],
  }),
  generate("usual", {
    ...{ level: 2, days: 21 },
    bursts: [
      [10, 11, 8, 8],
      [17, 4, 12, 6],
    ],
  }),
  generate("quiet", { level: 0.01, days: 28, bursts: [[20, 9, 30, 30]], within: 30 }),
  generate("in bunches", { level: 1, days: 21, bunch: 6, bursts: [[14, 15, 10, 14]] }),
  generate("late", { level: 3, days: 21, late: 0.4, bursts: [[13, 10, 12, 8]] }),
  generate("rising", {
    ...{ level: 5, days: 24, rises: true, within: 24 },
    bursts: [8, 11, 14, 17, 20, 22].map((day, index) => [day, 9 + index, 24, 3 + index / 2] as const),
  }),
  generate("new", { level: 4, days: 3, bursts: [[0, 20, 6, 8]] }),
  generate("again and again", {
    ...{ level: 2, days: 28 },
    bursts: [7, 9, 11, 13, 15, 17, 19, 21, 23, 25].map((day) => [day, 13, 8, 9] as const),
    surprising: 3,
  }),
];
