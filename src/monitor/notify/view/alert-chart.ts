import { formatMinutes } from "../../../lib/duration.ts";
import { drawSpikeChart } from "../../charts/draw-spike-chart.ts";
import type { ChartSpan, Theme } from "../../charts/spike-chart.ts";
import { type Alert, Explanation } from "../../model/alert.ts";
import { buildFindings } from "../../templates/build-findings.ts";
import { formatTime, formatTimeAfter } from "../../templates/formatters.ts";
import type { FindingView } from "../../templates/view.ts";

/** The chart of an alert as SVG; null if it counted nothing over time. */
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
      // The message above has the number; the title says what the chart counts.
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

/** From the window that opened it to its newest evidence; the peak is the window that the message is about. */
function firingOf({ openedAt, windowFrom, windowTo, lastSeenAt }: Alert): ChartSpan {
  return {
    from: Math.min(windowFrom, openedAt - (windowTo - windowFrom)),
    to: Math.max(windowTo, lastSeenAt),
  };
}

/** One column may exceed what is ordinary on average without being a spike, so the chart says what it shows. */
function formatBand({ columnMs, ordinaryMs = columnMs }: Chart): { note?: string } {
  return ordinaryMs <= columnMs ? {} : { note: `ordinary: over ${formatMinutes(ordinaryMs)}` };
}

type Chart = NonNullable<Explanation["chart"]>;

/** Less than an hour does not show what is usual. */
const FEWEST_COLUMNS = 4;

/** Describes and draws the findings about an alert. `explanation` is as stored, null if there are none. */
export interface AlertExplainer {
  /** Short lines; they hold names and texts of strangers. */
  findings(alert: Alert, explanation: unknown): readonly FindingView[];
  /** SVG without scripts or external references; null if nothing was counted over time. */
  chart(alert: Alert, explanation: unknown, theme: "light" | "dark"): string | null;
}

/** For the page: the same lines and the same chart as in the messages. */
export function createAlertExplainer(zone: string): AlertExplainer {
  return {
    findings: (alert, explanation) => {
      const found = read(explanation);
      const lines = buildFindings(alert, found, zone);
      // A page is read at any time: it says of which time these are.
      const span = found?.span;
      if (lines.length === 0 || span === undefined) return lines;
      const time = `from ${formatTime(span.from, zone)} to ${formatTimeAfter(span.to, span.from, zone)}`;
      return [...lines, { part: "measured", label: "Time", text: time }];
    },
    chart: (alert: Alert, explanation, theme) => drawAlertChart(alert, read(explanation), { zone, theme }),
  };
}

function read(explanation: unknown): Explanation | null {
  const parsed = Explanation.safeParse(explanation);
  return parsed.success ? parsed.data : null;
}
