import { drawSpikeChart } from "../charts/draw-spike-chart.ts";
import type { Theme } from "../charts/palette.ts";
import type { Alert } from "../model/alert.ts";
import type { Explanation } from "../model/explanation.ts";

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
      title: `${alert.queryName}: ${firstClause(alert.because)}`,
      counted: chart.counted,
      columns: chart.columns,
      columnMs: chart.columnMs,
      firing: [{ from: alert.windowFrom, to: alert.windowTo }],
      told: alert.firedAt === null ? [] : [alert.firedAt],
      zone: options.zone,
    },
    options.theme,
  );
}

/** What was counted and what was expected; a point inside a number ends nothing. */
function firstClause(because: string): string {
  const [clause = because] = because.split(/[.;]\s|\(/, 1);
  return clause.trim().replace(/\.$/, "");
}

/** Less than an hour is no picture of what is usual. */
const FEWEST_COLUMNS = 4;
