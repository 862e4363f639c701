import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import type { Instant } from "../../src/lib/instant.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { deleteFaults, listFaults } from "../../src/listening-api/store/faults.ts";
import { bundleEntries } from "../bundle.ts";
import { collect } from "./collect.ts";
import { expectedOf } from "./expected.ts";
import {
  API_FAULTS,
  calmVendors,
  catchUpWithVendors,
  dealVendorFaults,
  disturbApi,
  disturbVendors,
  kill,
  nameOfSlackFault,
  SLACK_FAULTS,
  SMTP_FAULTS,
} from "./inject-faults.ts";
import { compareWorlds, type LedgerLine } from "./ledger.ts";
import { expectedRepeats, meanOf, readNoteGaps, repeatedBeside, repeatsIn } from "./note-gap.ts";
import { deal, type Kill, planKills, type QueueKind, WORKER_ROLES } from "./plan-kills.ts";
import { pressButtons, SOCKET_FAULTS } from "./press-buttons.ts";
import { isWatching, lastMomentOf, leftToDo } from "./progress.ts";
import { publish } from "./publish.ts";
import {
  createNagging,
  createPast,
  createScenario,
  naggingAfter,
  PRESSES,
  SCENARIO_MS,
  SILENCE_MS,
} from "./scenario.ts";
import { createStream, type PlannedMention } from "./stream.ts";
import { until } from "./until.ts";
import { startWorkers, type WorkerPool } from "./worker-pool.ts";
import { openWorld, type World } from "./world.ts";

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  readonly queue: QueueKind;
  /** Mean time between two kills. */
  readonly everyMs: number;
  readonly mentionsPerSecond: number;
  /** How long the work may take after the last kill. */
  readonly patienceMs: number;
  /** Ends the kills; what was published until then is compared. */
  readonly signal: AbortSignal;
  /** Called with progress messages. */
  readonly onProgress: (sentence: string) => void;
}

export interface ChaosReport {
  readonly seed: number;
  readonly queue: QueueKind;
  readonly mentions: number;
  /** Kills that hit something, by kind. */
  readonly kills: Readonly<Record<string, number>>;
  /** Faults of the API that happened, by kind. */
  readonly apiFaults: Readonly<Record<string, number>>;
  /** From a mail's last line at the server to our note: how long, and how many mails that repeats, by the theory. */
  readonly gap: { readonly ms: number; readonly expected: number };
  /** Mails that the mail server accepted before it broke the connection: each may be sent again. */
  readonly acceptedWithoutAnswer: number;
  /** Workers that gave up before they ran, and were replaced: the database was away when they started. */
  readonly gaveUp: number;
  readonly killedForMs: number;
  /** From the last kill until nothing was left to do; null: that never happened. */
  readonly drainedAfterMs: number | null;
  /** What was left to do when patience ended. */
  readonly leftToDo: readonly string[];
  /** Workers that ended by themselves while they ran, or did not stop cleanly when they were asked to. */
  readonly endedBadly: readonly string[];
  readonly ledger: readonly LedgerLine[];
  readonly broken: boolean;
  /** The last log lines of the workers, if something is broken. */
  readonly lastLines: string;
}

/** One run: a world, its workers, kills while mentions arrive, and the comparison when all is done. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const world = await openWorld(options.queue);
  try {
    const past = createPast();
    await publish(world, past, world.clock.now());
    const bundle = await bundleEntries([WORKER]);
    world.closing.add(bundle.remove);
    const workers = startWorkers(bundle.file(WORKER), world.env);
    // The workers stop before the world ends, whatever happens.
    world.closing.add(async () => void (await workers.stop()));
    const kills = planKills(options);
    const lastsMs = (kills.at(-1)?.at ?? 0) + 1;
    const stream = createStream({ seed: options.seed, lastsMs, perSecond: options.mentionsPerSecond });
    const mentions = [...stream, ...createNagging(lastsMs)].sort((a, b) => a.at - b.at);
    if (!(await until(120_000, () => isWatching(world)))) throw new Error("the workers did not start");
    await beginOnTime(world);
    // At once, because its moments are fixed; kills that wait for their target delay only the stream.
    const scenario = createScenario();
    const scenarioEnds = world.clock.now() + SCENARIO_MS;
    await publish(world, scenario, world.clock.now());
    const begunAt = monotonicMs();
    let killsAreOver = false;
    const noMorePresses = new AbortController();
    world.closing.add(async () => noMorePresses.abort());
    const pressed = pressButtons(world, PRESSES, {
      nextFault: deal(SOCKET_FAULTS, createRandom("chaos sockets", options.seed)),
      killsAreOver: () => killsAreOver,
      signal: noMorePresses.signal,
    });
    const { hits, published, lastMoment, problems, deliverersKilledAt, lastKillAt } = await killAll(
      kills,
      mentions,
      options,
      world,
      workers,
      () => {
        killsAreOver = true;
      },
    );
    const apiFaults = await calm(world);
    options.onProgress("no more kills; waiting until all is done");
    const patience = setTimeout(() => noMorePresses.abort(), options.patienceMs);
    const socketFaults = [...(await pressed)].map(([fault, times]) => [`socket ${fault}`, times] as const);
    const happened = new Map([
      ...problems,
      ...Object.entries(apiFaults),
      ...Object.entries(hits),
      ...socketFaults,
    ]);
    clearTimeout(patience);
    const readTo = Math.max(lastMoment, scenarioEnds);
    let left: readonly string[] = [];
    const isDone = await until(options.patienceMs, async () => {
      left = await leftToDo(world, readTo);
      return left.length === 0;
    });
    const drainedAfterMs = isDone ? monotonicMs() - lastKillAt : null;
    const gaveUp = workers.ended();
    const endedBadly = [...workers.crashed(), ...(await workers.stop())];
    const noted = await readNoteGaps(world.factsPool, world.smtp, deliverersKilledAt);
    const repeatsExpected = expectedRepeats(noted, deliverersKilledAt);
    const found = await collect(world, happened);
    const ledger = compareWorlds(expectedOf([...past, ...published, ...scenario], { withScenario: true }), {
      ...found,
      repeatsExpected,
      repeatedBeside: repeatedBeside(repeatsIn(world.smtp, deliverersKilledAt)),
    });
    const broken = ledger.some((line) => line.broken) || !isDone || endedBadly.length > 0;
    return {
      ...{
        seed: options.seed,
        queue: options.queue,
        mentions: past.length + published.length + scenario.length,
        kills: hits,
        apiFaults,
      },
      ...{ gaveUp, endedBadly, drainedAfterMs, leftToDo: left, ledger, broken },
      acceptedWithoutAnswer: world.smtp.acceptedWithoutAnswer,
      gap: { ms: meanOf(noted.map(({ noteMs }) => noteMs)), expected: repeatsExpected },
      killedForMs: lastKillAt - begunAt,
      lastLines: broken ? workers.lastLines() : "",
    };
  } finally {
    await world.closing.close();
  }
}

/**
 * Publishes the mentions between two kills. A kill waits until its target is running, so that a slow machine sees as
 * many as a fast one.
 */
async function killAll(
  kills: readonly Kill[],
  mentions: readonly PlannedMention[],
  options: ChaosOptions,
  world: World,
  workers: WorkerPool,
  onLastKill: () => void,
): Promise<{
  hits: Record<string, number>;
  published: readonly PlannedMention[];
  lastMoment: Instant;
  problems: ReadonlyMap<string, number>;
  /** By the wall clock. */
  deliverersKilledAt: readonly number[];
  lastKillAt: number;
}> {
  const random = createRandom("chaos vendors", options.seed);
  const nextApiFault = deal(API_FAULTS, random);
  const vendorFaults = dealVendorFaults(random);
  const hits: Record<string, number> = Object.fromEntries(kills.map(({ kind }) => [kind, 0]));
  const problems = new Map<string, number>(
    [...SLACK_FAULTS.map(nameOfSlackFault), ...SMTP_FAULTS.map(({ code }) => `smtp ${code}`)].map((name) => [
      name,
      0,
    ]),
  );
  const published: PlannedMention[] = [];
  const deliverersKilledAt: number[] = [];
  let [before, lastMoment] = [0, 0];
  for (const [index, one] of kills.entries()) {
    if (options.signal.aborted) break;
    const endsAt = index === kills.length - 1 ? Number.POSITIVE_INFINITY : one.at;
    const next = mentions.filter(({ at }) => at >= before && at < endsAt);
    const from = world.clock.now() - before;
    await publish(world, next, from);
    published.push(...next);
    lastMoment = Math.max(lastMoment, lastMomentOf(next, from));
    await delay(one.at - before);
    before = one.at;
    if (await kill(one, world, workers)) {
      hits[one.kind] = (hits[one.kind] ?? 0) + 1;
      if (one.kind === "worker" && WORKER_ROLES[one.slot]?.includes("deliver"))
        deliverersKilledAt.push(systemClock.now());
    }
    await disturbApi(world, nextApiFault());
    for (const name of disturbVendors(world, vendorFaults)) problems.set(name, (problems.get(name) ?? 0) + 1);
    if ((index + 1) % 20 === 0) options.onProgress(`${index + 1} of ${kills.length} kills`);
  }
  const lastKillAt = monotonicMs();
  onLastKill();
  // The kills were cut short: else nobody is reminded.
  if (published.length < mentions.length) {
    const rest = naggingAfter(before, mentions);
    const from = world.clock.now() - before;
    await publish(world, rest, from);
    published.push(...rest);
    lastMoment = Math.max(lastMoment, lastMomentOf(rest, from));
  }
  const happened = (): Map<string, number> => {
    const counts = new Map(problems);
    // A fault that no call met did not happen.
    for (const fault of world.slack.faults) less(counts, nameOfSlackFault(fault));
    for (const { code } of world.smtp.faults) less(counts, `smtp ${code}`);
    return counts;
  };
  // A slow machine sends and asks little while its workers are killed: faults go on until each kind has met a call.
  await until(CATCH_UP_MS, async () => {
    const came = new Set([...happened()].flatMap(([name, times]) => (times > 0 ? [name] : [])));
    for (const name of catchUpWithVendors(world, came)) problems.set(name, (problems.get(name) ?? 0) + 1);
    const met = new Set(
      (await listFaults(world.api)).filter(({ applied }) => applied > 0).map(({ kind }) => kind),
    );
    return (
      API_FAULTS.every(([kind]) => met.has(kind)) && [...happened().values()].every((times) => times > 0)
    );
  });
  return { hits, published, lastMoment, problems: happened(), deliverersKilledAt, lastKillAt };
}

/** Ends all faults. Returns the faults of the API that happened, by kind. */
async function calm(world: World): Promise<Record<string, number>> {
  calmVendors(world);
  const faults = await listFaults(world.api);
  await deleteFaults(world.api);
  const happened: Record<string, number> = {};
  for (const { kind, applied } of faults) happened[kind] = (happened[kind] ?? 0) + applied;
  return happened;
}

const WORKER = "test/chaos/worker.ts";

/** Sets all clocks to the hour at which the scenario begins, and adds its silence. */
async function beginOnTime({ clock, setClock, factsPool }: World): Promise<void> {
  await setClock();
  await delay(CLOCK_READ_MS);
  const now = clock.now();
  await factsPool.query(
    `insert into earshot.silences (id, match, author, comment, created_at, starts_at, ends_at, windows)
     values (gen_random_uuid(), '{"rule": ["silenced"]}', 'chaos', 'for a while', to_timestamp($1::float8 / 1000),
       to_timestamp($1::float8 / 1000), to_timestamp($2::float8 / 1000), '[]')`,
    [now, now + SILENCE_MS],
  );
}

function less(problems: Map<string, number>, name: string): void {
  problems.set(name, Math.max(0, (problems.get(name) ?? 0) - 1));
}

/**
 * How long faults go on after the last kill for those that no call has met: a chart has four steps, and a call without an answer
 * ends after fifteen seconds at each.
 */
const CATCH_UP_MS = 120_000;

/** Workers read the clock every tenth of a second. */
const CLOCK_READ_MS = 500;
