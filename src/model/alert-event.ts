import type { Instant } from "../lib/instant.ts";
import type { Actor } from "./actor.ts";

/** A line of an alert's history: what became of it, and what was decided about telling whom. */
export interface AlertEvent {
  readonly alertId: string;
  readonly at: Instant;
  /** A named outcome: `Fired`, `Resolved`, `FirstNotification`, `HeldByQuietHours`, … */
  readonly what: string;
  readonly detail: string;
  /** Who did it, where a person did. */
  readonly actor?: Actor;
}
