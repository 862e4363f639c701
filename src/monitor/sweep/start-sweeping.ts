import type { Clock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { Queues } from "../queue/queues.ts";
import type { Stores } from "../store/stores.ts";
import { type AnnouncedArrivals, createPollWaker } from "./wake-polls.ts";

/** Calls back when something is due that people did. Gives what ends it. */
export type FollowDueWork = (onDue: () => void, onBroken: (error: unknown) => void) => () => Promise<void>;

interface SweepTimes {
  readonly followArrivals?: (onArrivals: (arrivals: AnnouncedArrivals) => void) => () => Promise<void>;
  /** Null: somebody sweeps by hand. Default: a second. */
  readonly sweepEveryMs?: number | null;
}

/** Sweeps at its times, and at once when mentions arrive here or people do something. It ends with `closing`. */
export async function startSweeping(
  parts: {
    readonly followDueWork: FollowDueWork;
    readonly stores: Stores;
    readonly queues: Queues;
    readonly clock: Clock;
    readonly log: Logger;
  },
  { followArrivals, sweepEveryMs = SECOND }: SweepTimes,
  closing: Closing,
): Promise<void> {
  const { followDueWork, stores, queues, clock, log } = parts;
  if (followArrivals !== undefined) {
    const waker = createPollWaker({ stores, queues, clock, log });
    closing.add(waker.close);
    closing.add(followArrivals(waker.wake));
  }
  if (sweepEveryMs === null) return;
  await queues.remindEvery("sweep", {}, { everyMs: sweepEveryMs });
  closing.add(
    followDueWork(
      () => void queues.add("sweep", {}, { dedupe: "sweep" }),
      (error) => log.warn({ error: describeError(error) }, "what people do is noticed late for a moment"),
    ),
  );
}
