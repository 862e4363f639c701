import type { Instant } from "../lib/instant.ts";
import type { Actor } from "./actor.ts";

/** A line of an alert's history: a change of its state, or a decision about a notification. */
export interface AlertEvent {
  readonly alertId: string;
  readonly at: Instant;
  /** A named outcome: `Fired`, `Resolved`, `FirstNotification`, `HeldByQuietHours`, … */
  readonly what: string;
  readonly detail: string;
  /** Who did it, if a person did. */
  readonly actor?: Actor;
}
