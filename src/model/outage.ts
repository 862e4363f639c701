import type { Instant } from "../lib/instant.ts";

/** A time in which something that Earshot depends on was down. It is only stored after its end. */
export interface Outage {
  /** `earshot`: no process of Earshot was running. */
  readonly engine: "database" | "queue" | "earshot";
  /** `emptied`: the queue came back without its jobs. */
  readonly outcome: "away" | "emptied";
  readonly from: Instant;
  readonly to: Instant;
  /** The engine's error message; null if there was none. */
  readonly because: string | null;
}
