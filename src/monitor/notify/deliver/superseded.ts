import type { AlertMessage } from "../define-notifier.ts";

/** A notification that waits behind an earlier one about the same alert: an outage held up both. */
export interface SupersededNotification {
  readonly id: string;
  readonly kind: AlertMessage["kind"];
}

/**
 * The kind of message to send after an outage. It shows the current facts, so it also covers the notifications behind
 * it: a receiver that knew nothing of the alert gets one message that it fired, or that it fired and ended; any other
 * gets the newest.
 */
export function kindToSend(
  kind: AlertMessage["kind"],
  behind: readonly SupersededNotification[],
  isOver: boolean,
): AlertMessage["kind"] {
  if (kind === "fired" || kind === "ended") return isOver ? "ended" : "fired";
  return behind.at(-1)?.kind ?? kind;
}
