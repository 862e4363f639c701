import { drawSpikeChart } from "../../charts/draw-spike-chart.ts";
import { formatMinutes } from "../../lib/format-minutes.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { AlertView } from "../view.ts";

/** An invented day before the alert of a sample, so that its mail is previewed with a picture. */
export function sampleCharts(view: AlertView): { readonly light: string; readonly dark: string } {
  return { light: sampleChart(view, "light"), dark: sampleChart(view, "dark") };
}

function sampleChart(view: AlertView, theme: "light" | "dark"): string {
  const { windowFrom, windowTo, timezone, openedAt } = view;
  // Bars are as wide as the window, and the last one is the window itself.
  const columnMs = windowTo > windowFrom ? windowTo - windowFrom : 30 * MINUTE;
  const bars = 48;
  const columns = Array.from({ length: bars }, (_, index) => {
    const daily = 11 + 6 * Math.sin((index / bars) * 2 * Math.PI);
    const noise = ((index * 7919) % 7) - 3;
    return {
      at: windowTo - (bars - index) * columnMs,
      count: index === bars - 1 ? (view.values["count"] ?? 62) : Math.max(0, Math.round(daily + noise)),
      expected: daily,
      ordinary: daily + 14,
    };
  });
  return drawSpikeChart(
    {
      name: view.query,
      title: `negative mentions in ${formatMinutes(columnMs)}`,
      counted: `mentions in ${formatMinutes(columnMs)}`,
      columns,
      columnMs,
      firing: [{ from: windowFrom, to: windowTo }],
      notifiedAt: [openedAt],
      zone: timezone,
    },
    theme,
  );
}
