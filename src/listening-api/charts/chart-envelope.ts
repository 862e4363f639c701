import type { AggregateName } from "./aggregates.ts";
import type { AxisKey } from "./axis.ts";

interface ChartPoint<Value> {
  readonly id: string | number;
  readonly name: string;
  readonly value: Value;
  readonly data: Readonly<Record<string, never>>;
}

interface ChartSeries<Value> {
  readonly id: string | number;
  readonly name: string;
  readonly data: Readonly<Record<string, never>>;
  readonly values: readonly ChartPoint<Value>[];
}

/**
 * A chart as the live service documents it: `aggregate`, `dimension1`, `dimension2`, and in `results` one series for
 * each value of the first dimension, with one point for each value of the second. `data` is always there and empty.
 * A chart of several aggregates has `aggregate: "multiAggregate"` and, in each point, an object by aggregate.
 *
 * Documented: the fields above; ids of queries as integers, of sentiments as words, of time buckets as their start;
 * points with 0 where nothing was found; no order. Chosen: every series has a point for every value of the second
 * dimension; time ascends, queries and labels stand in the order of the project, open dimensions (authors, domains,
 * places …) by falling volume.
 */
interface ChartEnvelope<Value> {
  readonly aggregate: string;
  readonly dimension1: string;
  readonly dimension2: string;
  readonly results: readonly ChartSeries<Value>[];
}

/** Gives the aggregates of one place of the chart, or undefined where no mention fell. */
export type CellReader = (key1: string, key2: string) => Readonly<Record<AggregateName, number>> | undefined;

export interface ChartAnswer {
  readonly dimensions: readonly [string, string];
  readonly axes: readonly [readonly AxisKey[], readonly AxisKey[]];
  readonly cell: CellReader;
}

export function chartEnvelope(answer: ChartAnswer, aggregate: AggregateName): ChartEnvelope<number> {
  return envelope(answer, aggregate, (cell) => cell?.[aggregate] ?? 0);
}

export function multiChartEnvelope(
  answer: ChartAnswer,
  aggregates: readonly AggregateName[],
): ChartEnvelope<Readonly<Record<string, number>>> {
  return envelope(answer, "multiAggregate", (cell) =>
    Object.fromEntries(aggregates.map((name) => [name, cell?.[name] ?? 0])),
  );
}

function envelope<Value>(
  { dimensions, axes, cell }: ChartAnswer,
  aggregate: string,
  toValue: (cell: ReturnType<CellReader>) => Value,
): ChartEnvelope<Value> {
  const [series, points] = axes;
  return {
    aggregate,
    dimension1: dimensions[0],
    dimension2: dimensions[1],
    results: series.map((first) => ({
      id: first.id,
      name: first.name,
      data: {},
      values: points.map((second) => ({
        id: second.id,
        name: second.name,
        value: toValue(cell(first.key, second.key)),
        data: {},
      })),
    })),
  };
}
