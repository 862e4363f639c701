import { createAlertExplainer } from "../../notify/view/alert-chart.ts";
import { createViewOf, type ViewParts } from "../../notify/view/view-of.ts";
import type { createConsoleStore } from "../../store/console.ts";
import type { PreviewContent } from "./preview-template.ts";

export interface AlertContentParts extends ViewParts {
  readonly facts: Pick<ReturnType<typeof createConsoleStore>, "alert" | "alertExplanation">;
}

/** Reads an alert and builds the content of its message as of now; null if the alert is not stored. */
export function createContentOfAlert(
  parts: AlertContentParts,
): (alertId: string) => Promise<PreviewContent | null> {
  const viewOf = createViewOf(parts);
  return async (alertId) => {
    if (!GUID.test(alertId)) return null;
    const alert = await parts.facts.alert(alertId);
    if (alert === null) return null;
    const kind = alert.resolvedAt === null ? "fired" : "resolved";
    // A notification that is never sent: it only says what the view is for.
    const found = await viewOf({
      id: alert.id,
      projectId: alert.projectId,
      receiver: "",
      kind,
      alertId: alert.id,
      digest: null,
      createdAt: alert.lastSeenAt,
      state: "due",
      reason: "Preview",
      attempts: 0,
      attemptsBefore: 0,
      lastError: null,
      vendorRef: null,
    });
    if (found?.about !== "alert") return null;
    const explanation = await parts.facts.alertExplanation(alert.projectId, alert.id);
    const { chart } = createAlertExplainer(parts.timezone);
    const [light, dark] = [chart(alert, explanation, "light"), chart(alert, explanation, "dark")];
    const picture = light === null || dark === null ? null : { light, dark };
    const hasChart = picture !== null;
    return { kind, view: { ...found.view, hasChart }, picture };
  };
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
