import type { Config } from "../../config.ts";
import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { Logger } from "../../log.ts";
import type { QueryRhythm } from "../../model/line-facts.ts";
import { OWN_QUERY } from "../../model/own-query.ts";
import type { Notifier } from "../../notify/define-notifier.ts";
import { type DeliverParts, deliver } from "../../notify/deliver.ts";
import type { Stores } from "../../store/stores.ts";
import { findTroubles } from "../../watch/find-troubles.ts";
import { type Heartbeat, judgeHeartbeat } from "../../watch/judge-heartbeat.ts";
import type { Trouble } from "../../watch/trouble.ts";
import { createDirectory } from "../telling/directory.ts";
import { beat, type HeartbeatState } from "./heartbeat.ts";
import type { OutageNotes } from "./note-outages.ts";
import { readLine } from "./read-line.ts";
import { recordTroubles } from "./record-troubles.ts";

export interface WatchParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly notifiers: ReadonlyMap<string, Notifier>;
  readonly deliver: DeliverParts;
  readonly outages: OutageNotes;
  /** The interval in which queries are wanted to be polled. */
  readonly pollEveryMs: number;
  /** Sweeps come out of the queue by themselves. */
  readonly sweepsRun: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface Looked {
  readonly troubles: readonly Trouble[];
  readonly heartbeat: Heartbeat;
}

/** Rhythms are read, and failing receivers are asked, so often (wall time). */
const SLOW_MS = 5 * MINUTE;
/** Days of which a rhythm is made. */
const RHYTHM_DAYS = 14;

/**
 * Earshot's look at itself: reads the facts, judges them, moves its alerts, tells the operators without the queue's
 * help, and calls the heartbeat while all is well. Any number of processes may look at the same time.
 */
export function createWatch(parts: WatchParts): { look(): Promise<Looked> } {
  const { config, stores, clock, log, signal } = parts;
  const startedAt = clock.now();
  let rhythms: readonly QueryRhythm[] = [];
  let slowAt = Number.NEGATIVE_INFINITY;
  return {
    look: async () => {
      await parts.outages.write();
      const now = clock.now();
      if (monotonicMs() - slowAt >= SLOW_MS || clock.speed === 0) {
        slowAt = monotonicMs();
        rhythms = await stores.watch.rhythms(now, config.operator.silence, RHYTHM_DAYS);
        await askFailing(parts);
      }
      const line = await readLine({
        stores,
        receivers: config.receivers.map(({ name }) => name),
        addresses: addressesOf(config),
        receiversOf: parts.deliver.receiversOf,
        pollEveryMs: parts.pollEveryMs,
        upForMs: now - startedAt,
        sweepsRun: parts.sweepsRun,
        rhythms,
        now,
      });
      const settings = paced(config.operator, clock.speed);
      const troubles = findTroubles(line, settings);
      const failing = new Set(troubles.flatMap(({ labels }) => labels["receiver"] ?? []));
      const directory = createDirectory(config, failing);
      await recordTroubles({ stores, directory, clock }, troubles);
      await tellOperators(parts);
      const heartbeat = judgeHeartbeat(line, troubles, settings);
      const state: HeartbeatState = { at: now, ...heartbeat };
      await beat(config.heartbeat, state, { stores, log, signal });
      return { troubles, heartbeat };
    },
  };
}

function addressesOf({ receivers }: Config): ReadonlyMap<string, string> {
  return new Map(
    receivers.flatMap(({ name, notifier }): [string, string][] =>
      notifier.kind === "email" ? [[name, notifier.to]] : [],
    ),
  );
}

/** Limits are meant in the time of people: a demo lives faster than it can be polled. */
function paced(settings: Config["operator"], speed: number): Config["operator"] {
  const factor = Math.max(1, speed);
  return {
    ...settings,
    lag: settings.lag * factor,
    digestLate: settings.digestLate * factor,
    standstill: settings.standstill * factor,
  };
}

/** A receiver whose own check found what its messages met is well again when the check passes. */
async function askFailing({ stores, notifiers, signal }: WatchParts): Promise<void> {
  const failing = (await stores.failures.standing()).filter(({ kind }) => kind === "receiver");
  for (const { scope, checkFailed } of failing) {
    const notifier = notifiers.get(scope);
    if (notifier === undefined) {
      await stores.failures.clear("receiver", [scope]);
      continue;
    }
    const patience = AbortSignal.any([signal, AbortSignal.timeout(CHECK_PATIENCE_MS)]);
    const works = await notifier.check({ signal: patience }).then(
      () => true,
      () => false,
    );
    if (works && checkFailed) await stores.failures.clear("receiver", [scope]);
    else if (!works) await stores.failures.noteCheck(scope, true);
  }
}

const CHECK_PATIENCE_MS = 15_000;

/** Directly, and not by a job: that the queue stands still has to be told, too. The row is claimed like any other. */
async function tellOperators(parts: WatchParts): Promise<void> {
  const due = await parts.stores.watch.ownDue(OWN_QUERY.projectId);
  await Promise.all(
    due.map(async (job) => {
      const result = await deliver(parts.deliver, job, parts.signal).catch((error: unknown) => ({
        outcome: "failed" as const,
        error: describeError(error),
      }));
      if (result.outcome === "failed" || result.outcome === "dead")
        parts.log.warn({ ...job, ...result }, "an operator could not be told");
    }),
  );
}
