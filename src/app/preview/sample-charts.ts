import { drawSpikeChart } from "../../charts/draw-spike-chart.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { AlertView } from "../../templates/view.ts";

/** A day as it might have been before the alert of a sample, so that its mail is looked at with its picture. */
export function sampleCharts(view: AlertView): { readonly light: string; readonly dark: string } {
  return { light: sampleChart(view, "light"), dark: sampleChart(view, "dark") };
}

function sampleChart(view: AlertView, theme: "light" | "dark"): string {
  const { windowFrom, windowTo, timezone, openedAt } = view;
  const columnMs = 15 * MINUTE;
  const columns = Array.from({ length: 96 }, (_, index) => {
    const at = windowTo - (96 - index) * columnMs;
    const daily = 4 + 3 * Math.sin((index / 96) * 2 * Math.PI);
    const noise = ((index * 7919) % 5) - 2;
    const isCrisis = at >= windowFrom;
    return {
      at,
      count: Math.max(0, Math.round(isCrisis ? 18 + 13 * ((at - windowFrom) / columnMs) : daily + noise)),
      expected: daily,
      ordinary: daily + 6,
    };
  });
  return drawSpikeChart(
    {
      name: view.query,
      title: view.headline,
      counted: "mentions in 15 min",
      columns,
      columnMs,
      firing: [{ from: windowFrom, to: windowTo }],
      told: [openedAt],
      zone: timezone,
    },
    theme,
  );
}
