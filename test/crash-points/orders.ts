import { EventEmitter, once } from "node:events";
import type { BackendOptions } from "../../src/monitor/queue/backend.ts";
import type { Corrected } from "./correct-mention.ts";
import type { Work } from "./work-on-mention.ts";

/** An order to a worker. `now`: what its clock shows meanwhile. */
export type Order =
  | {
      readonly do: "start";
      readonly config: object;
      readonly databaseUrl: string;
      readonly queue: BackendOptions;
      readonly now: number;
      /** Leads past every relay: the harness's own connection. */
      readonly wallUrl: string;
    }
  | { readonly do: "settle"; readonly now: number }
  | { readonly do: "unsubscribe"; readonly now: number; readonly token: string }
  | { readonly do: "resolve"; readonly now: number }
  | { readonly do: "replay"; readonly now: number }
  | { readonly do: "redeliver"; readonly now: number; readonly receiver: string }
  | { readonly do: "forget"; readonly now: number; readonly author: string }
  | { readonly do: "work"; readonly now: number; readonly work: Work }
  | { readonly do: "correct"; readonly now: number; readonly correct: string; readonly to: Corrected }
  | { readonly do: "upkeep"; readonly now: number }
  | { readonly do: "stop" };

export type Report =
  | { readonly done: "ready" | "started" | "settled" | "stopped" }
  /** With the stack. */
  | { readonly failed: string };

/** One process may run several workers. */
export type Addressed<T> = T & { readonly worker: number };

/** Jobs that ended. */
export function createOutcomes() {
  const events = new EventEmitter();
  return {
    notify: () => void events.emit("done"),
    /** Until the next one ends, or for so long. */
    next: async (ms: number) => {
      await once(events, "done", { signal: AbortSignal.timeout(ms) }).catch(() => {});
    },
  };
}
