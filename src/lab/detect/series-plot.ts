import {
  AT,
  BUCKET_MS,
  type ChartColumn,
  type ChartSpan,
  drawSpikeChart,
  fromShortFloat,
  MARK,
  mark,
  ordinaryLimit,
  RING,
  type SpikeObservation,
  type SpikeSettings,
  type SpikeState,
  type Theme,
} from "#monitor";
import { formatMinutes } from "../../lib/duration.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import { formatExpected, formatNumber } from "../../lib/numbers.ts";

export interface PlotLook {
  readonly theme: Theme;
  readonly zone: string;
}

/** The picture of one series, drawn while the detector reads it. Shows each count as it was when its bucket closed. */
export interface SeriesPlot {
  see(state: SpikeState, observation: SpikeObservation): void;
  draw(): string;
}

export function createSeriesPlot(name: string, settings: SpikeSettings, look: PlotLook): SeriesPlot {
  const columns = createPlotColumns(BUCKET_MS);
  const notifiedAt: Instant[] = [];
  const firing: ChartSpan[] = [];
  let last: { readonly observed: number; readonly expected: number; readonly window: number } | undefined;
  let length = 0;

  return {
    see: (state, { bucket, step, window, observed, expected }) => {
      const at = state.startAt + bucket * BUCKET_MS;
      const slot = bucket % RING;
      const usual = fromShortFloat(state.expected[slot] ?? 0);
      columns.add({
        at,
        count: state.numbers[AT.counts + slot] ?? 0,
        expected: usual,
        ordinary: ordinaryLimit(state, usual, 1, settings.gates.lnSignificant),
      });
      length = at + BUCKET_MS - state.startAt;
      const open = step === "opened" ? undefined : firing.at(-1);
      if (open !== undefined && mark(state, MARK.open) === 1 && mark(state, MARK.highAt) === bucket) {
        firing[firing.length - 1] = { from: open.from, to: at + BUCKET_MS };
      }
      if (step !== "opened" && step !== "renewed") return;
      notifiedAt.push(at + BUCKET_MS);
      if (step === "opened") firing.push({ from: at + BUCKET_MS - window * BUCKET_MS, to: at + BUCKET_MS });
      last = { observed, expected, window };
    },
    draw: () => {
      const columnMs = columns.columnMs();
      return drawSpikeChart(
        {
          ...(name === "" ? {} : { name }),
          title: formatAlerts(notifiedAt.length, length, last),
          counted: "mentions in 5 min",
          ...(columnMs === BUCKET_MS ? {} : { note: `highest of each ${formatMinutes(columnMs)}` }),
          columns: columns.columns(),
          columnMs,
          firing,
          notifiedAt,
          zone: look.zone,
        },
        look.theme,
      );
    },
  };
}

function formatAlerts(
  count: number,
  length: number,
  last: { readonly observed: number; readonly expected: number; readonly window: number } | undefined,
): string {
  const span = length >= 2 * DAY ? `${Math.round(length / DAY)} days` : formatMinutes(length);
  if (last === undefined) return `no alert in ${span}`;
  if (count > 1) return `${count} alerts in ${span}`;
  const window = formatMinutes(last.window * BUCKET_MS);
  // The numbers that made it fire; the bars may have risen further since.
  return `1 alert in ${span}: ${formatNumber(last.observed)} in ${window}, ${formatExpected(last.expected)} expected`;
}

/** Columns of a picture: a bounded number, however long the series is. */
interface PlotColumns {
  add(bucket: ChartColumn): void;
  columns(): readonly ChartColumn[];
  columnMs(): number;
}

const MOST_COLUMNS = 480;

/** A column of several buckets shows the highest of them, so no spike is averaged away. */
function createPlotColumns(bucketMs: number): PlotColumns {
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
      if (done.length < MOST_COLUMNS) return;
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
