import type { AlertMessage } from "../define-notifier.ts";

/** A notification that waits behind an earlier one about the same alert: an outage held up both. */
export interface Superseded {
  readonly id: string;
  readonly kind: AlertMessage["kind"];
}

/**
 * What a message says that was held up. It shows the facts as they stand, so it says what those behind it had to say,
 * too: who was never told of an alert hears once that it began, or that it began and is over; who was told hears the
 * newest.
 */
export function kindToSend(
  kind: AlertMessage["kind"],
  behind: readonly Superseded[],
  isOver: boolean,
): AlertMessage["kind"] {
  if (kind === "fired" || kind === "ended") return isOver ? "ended" : "fired";
  return behind.at(-1)?.kind ?? kind;
}
