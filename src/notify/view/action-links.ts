import type { ReceiverConfig } from "../../config/receiver-config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Alert } from "../../model/alert.ts";
import { ACTION_LABELS, AlertLink, signAlertLink } from "../../model/alert-action.ts";
import { definitionOf } from "../notifiers.ts";
import type { ViewParts } from "./view-of.ts";

/** The links of a message, each for one action on one alert. Only for a receiver with one known reader. */
export function createActionLinks(parts: {
  readonly receivers: readonly ReceiverConfig[];
  readonly secret: string;
  readonly consoleUrl: () => string | null;
  readonly clock: Clock;
}): NonNullable<ViewParts["actionsFor"]> {
  const withReader = new Set(
    parts.receivers
      .filter(({ notifier }) => definitionOf(notifier).reader !== undefined)
      .map(({ name }) => name),
  );
  return (alert: Alert, receiver: string) => {
    const url = parts.consoleUrl();
    if (url === null || !withReader.has(receiver) || alert.resolvedAt !== null) return [];
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
