import type { Instant } from "../lib/instant.ts";

/** A time in which something that Earshot stands on was not there. It is over by the time that anybody can write it down. */
export interface Outage {
  /** `earshot`: no process of Earshot was there to work. */
  readonly engine: "database" | "queue" | "earshot";
  /** `emptied`: the queue came back without what it held. */
  readonly outcome: "away" | "emptied";
  readonly from: Instant;
  readonly to: Instant;
  /** The error that was met, in the engine's words; null where there was none. */
  readonly because: string | null;
}
