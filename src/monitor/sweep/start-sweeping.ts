import type { Clock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { repeat } from "../../lib/repeat.ts";
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

interface SweepingParts {
  readonly sweep: () => Promise<unknown>;
  readonly followDueWork: FollowDueWork;
  readonly stores: Pick<Stores, "health" | "polls">;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly log: Logger;
}

/** After so many sweeps one more is a job of the queue, which shows that its engine works. */
const JOB_EVERY = 5;
/** A turn is free a little before its time: a timer and the clock of the database do not agree to the millisecond. */
const TURN_SHARE = 0.8;

/** Sweeps at its times, and at once when mentions arrive here or people do something. It ends with `closing`. */
export async function startSweeping(
  parts: SweepingParts,
  { followArrivals, sweepEveryMs = SECOND }: SweepTimes,
  closing: Closing,
): Promise<void> {
  const { followDueWork, queues, log } = parts;
  if (followArrivals !== undefined) {
    const waker = createPollWaker(parts);
    closing.add(waker.close);
    closing.add(followArrivals(waker.wake));
  }
  if (sweepEveryMs === null) return;
  await queues.remindEvery("sweep", {}, { everyMs: JOB_EVERY * sweepEveryMs });
  sweepInTurns(parts, sweepEveryMs, closing);
  closing.add(
    followDueWork(
      () => void queues.add("sweep", {}, { dedupe: "sweep" }),
      (error) => log.warn({ error: describeError(error) }, "what people do is noticed late for a moment"),
    ),
  );
}

/**
 * One process of all sweeps each time, without the queue: a job costs the engine more than the sweep itself where nothing
 * is due. While the engine is away nobody could add what a sweep finds.
 */
function sweepInTurns(
  { sweep, stores, queues, clock, log }: SweepingParts,
  everyMs: number,
  closing: Closing,
): void {
  const ending = new AbortController();
  const sweeping = repeat({
    work: async () => {
      if (queues.isAway()) return;
      if (await stores.health.takeTurn("sweep in turn", TURN_SHARE * everyMs, clock.now())) await sweep();
    },
    everyMs: async () => everyMs,
    afterFailureMs: JOB_EVERY * everyMs,
    problem: "a sweep failed; sweeping again soon",
    ...{ log, signal: ending.signal },
  });
  closing.add(async () => {
    ending.abort();
    await sweeping;
  });
}
