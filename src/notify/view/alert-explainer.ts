import { type Alert, Explanation } from "../../model/alert.ts";
import { buildFindings } from "../../templates/build-findings.ts";
import type { AlertExplainer } from "../../web/explainer.ts";
import { drawAlertChart } from "./alert-chart.ts";

/** For the page: the same lines and the same chart as in the messages. */
export function createAlertExplainer(zone: string): AlertExplainer {
  return {
    findings: (alert, explanation) => buildFindings(alert, read(explanation), zone),
    chart: (alert: Alert, explanation, theme) => drawAlertChart(alert, read(explanation), { zone, theme }),
  };
}

function read(explanation: unknown): Explanation | null {
  const parsed = Explanation.safeParse(explanation);
  return parsed.success ? parsed.data : null;
}
