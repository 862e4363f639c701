import type { MessageContent } from "../../notify/define-notifier.ts";
import type { createConsoleStore } from "../../store/console.ts";
import { createViewOf, type ViewParts } from "../view-of.ts";

export interface AlertContentParts extends ViewParts {
  readonly facts: Pick<ReturnType<typeof createConsoleStore>, "alert">;
}

/** Reads an alert and makes what a message about it would show now; null for an alert that is not stored. */
export function createContentOfAlert(
  parts: AlertContentParts,
): (alertId: string) => Promise<MessageContent | null> {
  const viewOf = createViewOf(parts);
  return async (alertId) => {
    if (!GUID.test(alertId)) return null;
    const alert = await parts.facts.alert(alertId);
    if (alert === null) return null;
    const kind = alert.resolvedAt === null ? "fired" : "resolved";
    // A notification that nobody is owed: it only says what the view is for.
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
      lastError: null,
      vendorRef: null,
    });
    return found?.about === "alert" ? { kind, view: found.view } : null;
  };
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
