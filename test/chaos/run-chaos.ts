import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import type { Instant } from "../../src/lib/instant.ts";
import { createRandom } from "../../src/local-api/simulate/random.ts";
import { deleteFaults, listFaults } from "../../src/local-api/store/faults.ts";
import { bundleCrew } from "./bundle-crew.ts";
import { collect } from "./collect.ts";
import { type Crew, hireCrew } from "./crew.ts";
import { heldOf } from "./held.ts";
import { compareWorlds, type LedgerLine } from "./ledger.ts";
import { planStrikes, type Strike } from "./plan-strikes.ts";
import { isDrained, isWatching, lastMomentOf } from "./progress.ts";
import { publish } from "./publish.ts";
import { createStream, type Saying } from "./stream.ts";
import { calmVendors, disturbApi, disturbVendors, strike } from "./strikers.ts";
import { until } from "./until.ts";
import { openWorld, type QueueKind, type World } from "./world.ts";

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  readonly queue: QueueKind;
  /** Mean time between two strikes. */
  readonly everyMs: number;
  readonly mentionsPerSecond: number;
  /** How long the work may take after the last strike. */
  readonly patienceMs: number;
  /** No more strikes after that; what was said until then is compared. */
  readonly signal: AbortSignal;
  /** Told about how it goes. */
  readonly tell: (sentence: string) => void;
}

export interface ChaosReport {
  readonly seed: number;
  readonly queue: QueueKind;
  readonly mentions: number;
  /** Strikes that hit something, by kind. */
  readonly strikes: Readonly<Record<string, number>>;
  /** Faults of the API that happened, by kind. */
  readonly apiFaults: Readonly<Record<string, number>>;
  /** Mails that the mail server took and broke off before it said so: each may come again. */
  readonly takenInSilence: number;
  /** Workers that gave up by themselves and were followed by others: the database was away when they began. */
  readonly gaveUp: number;
  readonly struckForMs: number;
  /** From the last strike until nothing was left to do; null: it never came to that. */
  readonly drainedAfterMs: number | null;
  /** Workers that did not end in good order when they were asked to. */
  readonly endedBadly: readonly string[];
  readonly ledger: readonly LedgerLine[];
  readonly broken: boolean;
  /** The last that the workers said, where something is broken. */
  readonly lastWords: string;
}

/** One run: a world, a crew in it, strikes while people speak, and the comparison when all is done. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const entry = await bundleCrew();
  const world = await openWorld(options.queue);
  try {
    const crew = hireCrew(entry, world.env);
    // The crew is dismissed before the world ends, whatever happens.
    world.closing.add(async () => void (await crew.dismiss()));
    const strikes = planStrikes(options);
    const lastsMs = (strikes.at(-1)?.at ?? 0) + 1;
    const sayings = createStream({ seed: options.seed, lastsMs, perSecond: options.mentionsPerSecond });
    if (!(await until(120_000, () => isWatching(world)))) throw new Error("the crew did not begin to work");
    await disturbApi(world);
    const begunAt = monotonicMs();
    const { hits, said, lastMoment } = await strikeAll(strikes, sayings, options, world, crew);
    const struckAt = monotonicMs();
    const apiFaults = await calm(world);
    options.tell("the last strike is made; waiting until all is done");
    const isDone = await until(options.patienceMs, () => isDrained(world, lastMoment));
    const drainedAfterMs = isDone ? monotonicMs() - struckAt : null;
    const gaveUp = crew.ended();
    const endedBadly = await crew.dismiss();
    const ledger = compareWorlds(heldOf(said), await collect(world));
    const broken = ledger.some((line) => line.broken) || !isDone;
    return {
      ...{ seed: options.seed, queue: options.queue, mentions: said.length, strikes: hits, apiFaults },
      ...{ gaveUp, endedBadly, drainedAfterMs, ledger, broken },
      takenInSilence: world.smtp.takenInSilence,
      struckForMs: struckAt - begunAt,
      lastWords: broken ? crew.lastWords() : "",
    };
  } finally {
    await world.closing.close();
  }
}

/**
 * Between two strikes, what people say in that time is put where the API finds it. A strike waits until there is
 * something to hit, so that a slow machine sees as many as a fast one.
 */
async function strikeAll(
  strikes: readonly Strike[],
  sayings: readonly Saying[],
  options: ChaosOptions,
  world: World,
  crew: Crew,
): Promise<{ hits: Record<string, number>; said: readonly Saying[]; lastMoment: Instant }> {
  const random = createRandom("chaos vendors", options.seed);
  const hits: Record<string, number> = {};
  const said: Saying[] = [];
  let [before, lastMoment] = [0, 0];
  for (const [index, one] of strikes.entries()) {
    if (options.signal.aborted) break;
    const next = sayings.filter(
      ({ at }) => at >= before && at < one.at + (index === strikes.length - 1 ? 1 : 0),
    );
    const from = systemClock.now() - before;
    await publish(world, next, from);
    said.push(...next);
    lastMoment = Math.max(lastMoment, lastMomentOf(next, from));
    await delay(one.at - before);
    before = one.at;
    if (await strike(one, world, crew)) hits[one.kind] = (hits[one.kind] ?? 0) + 1;
    disturbVendors(world, random);
    if ((index + 1) % 20 === 0) options.tell(`${index + 1} of ${strikes.length} strikes`);
  }
  return { hits, said, lastMoment };
}

/** From now on nothing goes wrong any more. Gives what went wrong at the API. */
async function calm(world: World): Promise<Record<string, number>> {
  calmVendors(world);
  const faults = await listFaults(world.api);
  await deleteFaults(world.api);
  return Object.fromEntries(faults.map(({ kind, applied }) => [kind, applied]));
}
