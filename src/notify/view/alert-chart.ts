import { drawSpikeChart } from "../../charts/draw-spike-chart.ts";
import type { Theme } from "../../charts/palette.ts";
import type { ChartSpan } from "../../charts/spike-chart.ts";
import { formatMinutes } from "../../lib/format-minutes.ts";
import type { Alert } from "../../model/alert.ts";
import type { Explanation } from "../../model/explanation.ts";

/** The chart of an alert as SVG; null where nothing was counted over time. `told`: when people were told. */
export function drawAlertChart(
  alert: Alert,
  explanation: Explanation | null,
  options: { readonly zone: string; readonly theme: Theme },
): string | null {
  const chart = explanation?.chart ?? null;
  if (chart === null || chart.columns.length < FEWEST_COLUMNS) return null;
  return drawSpikeChart(
    {
      name: alert.queryName,
      // The message above says the number; the picture says what it shows.
      title: chart.counted,
      counted: chart.counted,
      columns: chart.columns,
      columnMs: chart.columnMs,
      ...formatBand(chart),
      firing: [firingOf(alert)],
      notifiedAt: alert.firedAt === null ? [] : [alert.firedAt],
      zone: options.zone,
    },
    options.theme,
  );
}

/** From the window that opened it to its newest evidence; the window that it speaks of is the height of that. */
function firingOf({ openedAt, windowFrom, windowTo, lastSeenAt }: Alert): ChartSpan {
  return {
    from: Math.min(windowFrom, openedAt - (windowTo - windowFrom)),
    to: Math.max(windowTo, lastSeenAt),
  };
}

/** A column may stand above what is ordinary for a window on average, and yet be no spike: so it is said what it is. */
function formatBand({ columnMs, ordinaryMs = columnMs }: Chart): { note?: string } {
  return ordinaryMs <= columnMs ? {} : { note: `ordinary: over ${formatMinutes(ordinaryMs)}` };
}

type Chart = NonNullable<Explanation["chart"]>;

/** Less than an hour is no picture of what is usual. */
const FEWEST_COLUMNS = 4;
