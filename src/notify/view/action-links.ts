import type { ReceiverConfig } from "../../config/receiver-config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Alert } from "../../model/alert.ts";
import { ACTION_LABELS, AlertLink, signAlertLink } from "../../model/alert-link.ts";
import type { ViewParts } from "./view-of.ts";

/** The links of a mail, each for one action on one alert. Only for email: other receivers have unknown readers. */
export function createActionLinks(parts: {
  readonly receivers: readonly ReceiverConfig[];
  readonly secret: string;
  readonly consoleUrl: () => string | null;
  readonly clock: Clock;
}): NonNullable<ViewParts["actionsFor"]> {
  const byMail = new Set(
    parts.receivers.filter(({ notifier }) => notifier.kind === "email").map(({ name }) => name),
  );
  return (alert: Alert, receiver: string) => {
    const url = parts.consoleUrl();
    if (url === null || !byMail.has(receiver) || alert.resolvedAt !== null) return [];
    return AlertLink.shape.action.options.map((action) => {
      const link = signAlertLink(
        parts.secret,
        { alertId: alert.id, action, by: receiver },
        parts.clock.now(),
      );
      return { label: ACTION_LABELS[action], url: `${url}/act/${link}` };
    });
  };
}
