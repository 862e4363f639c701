import type { ChartColumn } from "../../charts/spike-chart.ts";
import type { Instant } from "../../lib/instant.ts";

/** Columns of a picture: a bounded number, however long the series is. */
export interface PlotColumns {
  add(bucket: ChartColumn): void;
  columns(): readonly ChartColumn[];
  columnMs(): number;
}

/** A column of several buckets shows the highest of them, so no spike is averaged away. */
export function createPlotColumns(bucketMs: number, atMost = 480): PlotColumns {
  let done: ChartColumn[] = [];
  let open: ChartColumn | undefined;
  let width = 1;
  let filled = 0;

  return {
    add: (bucket) => {
      open = open === undefined ? bucket : highest(open, bucket);
      filled++;
      if (filled < width) return;
      done.push(open);
      open = undefined;
      filled = 0;
      if (done.length < atMost) return;
      done = pairs(done);
      width *= 2;
    },
    columns: () => (open === undefined ? done : [...done, open]),
    columnMs: () => width * bucketMs,
  };
}

function pairs(columns: readonly ChartColumn[]): ChartColumn[] {
  const halved: ChartColumn[] = [];
  for (let i = 0; i < columns.length; i += 2) {
    const [first, second] = [columns[i], columns[i + 1]];
    if (first !== undefined) halved.push(second === undefined ? first : highest(first, second));
  }
  return halved;
}

function highest(a: ChartColumn, b: ChartColumn): ChartColumn {
  const at: Instant = Math.min(a.at, b.at);
  return {
    at,
    count: Math.max(a.count, b.count),
    expected: Math.max(a.expected, b.expected),
    ordinary: Math.max(a.ordinary, b.ordinary),
  };
}
