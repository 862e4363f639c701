import {
  type Alert,
  BUCKET_MS,
  type ChartColumn,
  createSpikeState,
  drawSpikeChart,
  learnOnly,
  ordinaryLimit,
  type Query,
  type SpikeState,
} from "#monitor";
import { yieldingLoop } from "../../lib/concurrency.ts";
import { formatMinutes } from "../../lib/duration.ts";
import { DAY, floorTo, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";

/** What the chart of a query shows. */
interface TriedSeries {
  readonly query: Query;
  /** Counts by bucket. */
  readonly counts: ReadonlyMap<Instant, number>;
  /** What is counted: "negative mentions". */
  readonly subject: string;
  readonly alerts: readonly Alert[];
  readonly notifiedAt: readonly Instant[];
  /** The first mention: before it, nothing is known. */
  readonly since: Instant;
  readonly from: Instant;
  readonly to: Instant;
  readonly zone: string;
}

/**
 * The chart of a query: counts, what the detector expects of them, and where the rule would have fired. SVG in the
 * colours of the page; null if nothing was counted.
 */
export async function drawTry(series: TriedSeries): Promise<string | null> {
  const { query, counts, subject, alerts, notifiedAt, since, to, zone } = series;
  const from = Math.max(series.from, since);
  if (![...counts.values()].some((n) => n > 0)) return null;
  const columnMs = columnWidth(to - from);
  const shownFrom = floorTo(from, columnMs);
  const shownTo = floorTo(to, columnMs) + columnMs;
  const first = Math.max(floorTo(since, BUCKET_MS), shownFrom - LONGEST_HISTORY_MS);
  const state = createSpikeState(first);
  const columns = await yieldingLoop(
    columnsOf(series, state, { first, shownFrom, shownTo, columnMs }),
    BUSY_MS,
  );
  return drawSpikeChart(
    {
      name: query.name,
      title: counted(alerts.length, "alert"),
      counted: `${subject} in ${formatMinutes(columnMs)}`,
      columns,
      columnMs,
      firing: alerts.map(({ openedAt, windowFrom, windowTo, lastSeenAt }) => ({
        from: Math.min(windowFrom, openedAt - (windowTo - windowFrom)),
        to: Math.max(windowTo, lastSeenAt),
      })),
      notifiedAt: [...notifiedAt],
      zone,
    },
    "page",
  );
}

const LONGEST_HISTORY_MS = 60 * DAY;
const BUSY_MS = 12;

/** About 300 columns: more would be narrower than a pixel. */
function columnWidth(lengthMs: number): number {
  const widths = [15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR];
  return widths.find((width) => lengthMs / width <= 340) ?? DAY;
}

function* columnsOf(
  { counts, query }: TriedSeries,
  state: SpikeState,
  span: { first: Instant; shownFrom: Instant; shownTo: Instant; columnMs: number },
): Generator<void, ChartColumn[]> {
  const { first, shownFrom, shownTo, columnMs } = span;
  const sums: { at: Instant; count: number; expected: number }[] = [];
  for (let at = floorTo(first, BUCKET_MS); at < shownTo; at += BUCKET_MS) {
    const count = Math.max(0, counts.get(at) ?? 0);
    const { expected } = learnOnly(state, [{ age: 0, count }], query.timezone);
    yield;
    if (at < shownFrom) continue;
    const column = floorTo(at, columnMs);
    const last = sums.at(-1);
    if (last?.at === column) {
      last.count += count;
      last.expected += expected;
    } else sums.push({ at: column, count, expected });
  }
  const width = columnMs / BUCKET_MS;
  const columns: ChartColumn[] = [];
  for (const { at, count, expected } of sums) {
    columns.push({ at, count, expected, ordinary: ordinaryLimit(state, expected, width, Math.log(1e-3)) });
    yield;
  }
  return columns;
}
