import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../../src/lib/clock.ts";
import type { Instant } from "../../src/lib/instant.ts";
import { createRandom } from "../../src/local-api/simulate/random.ts";
import { deleteFaults, listFaults } from "../../src/local-api/store/faults.ts";
import { bundleEntries } from "../bundle.ts";
import { collect } from "./collect.ts";
import { type Crew, hireCrew } from "./crew.ts";
import { heldOf } from "./held.ts";
import { compareWorlds, type LedgerLine } from "./ledger.ts";
import { CREW, deal, ENOUGH_FOR_ALL, planStrikes, type Strike } from "./plan-strikes.ts";
import { isDrained, isWatching, lastMomentOf } from "./progress.ts";
import { publish } from "./publish.ts";
import { createStream, type Outgoing } from "./stream.ts";
import {
  API_FAULTS,
  calmVendors,
  disturbApi,
  disturbVendors,
  nameOfSlackFault,
  SLACK_FAULTS,
  SMTP_FAULTS,
  strike,
} from "./strikers.ts";
import { createNagging, createTale, SILENCE_MS, TALE_MS } from "./tale.ts";
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
  /** Called with progress messages. */
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
  /** Between a mail server's answer and our note of it: how long, and how many mails that repeats, by the theory. */
  readonly gap: { readonly ms: number; readonly expected: number };
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
  const world = await openWorld(options.queue);
  try {
    const bundle = await bundleEntries([WORKER]);
    world.closing.add(bundle.remove);
    const crew = hireCrew(bundle.file(WORKER), world.env);
    // The crew is dismissed before the world ends, whatever happens.
    world.closing.add(async () => void (await crew.dismiss()));
    const strikes = planStrikes(options);
    const lastsMs = (strikes.at(-1)?.at ?? 0) + 1;
    const stream = createStream({ seed: options.seed, lastsMs, perSecond: options.mentionsPerSecond });
    const sayings = [...stream, ...createNagging(lastsMs)].sort((a, b) => a.at - b.at);
    if (!(await until(120_000, () => isWatching(world)))) throw new Error("the crew did not begin to work");
    await beginOnTime(world);
    // At once, for its moments are fixed: strikes that wait for what they hit put the stream off.
    const tale = createTale();
    const taleEnds = world.clock.now() + TALE_MS;
    await publish(world, tale, world.clock.now());
    const begunAt = monotonicMs();
    const { hits, said, lastMoment, problems, deliverersKilled } = await strikeAll(
      strikes,
      sayings,
      options,
      world,
      crew,
    );
    const struckAt = monotonicMs();
    const apiFaults = await calm(world);
    const wanted = Object.values(hits).reduce((sum, n) => sum + n, 0) >= ENOUGH_FOR_ALL;
    const happened = new Map([...problems, ...Object.entries(apiFaults), ...Object.entries(hits)]);
    options.tell("the last strike is made; waiting until all is done");
    const isDone = await until(options.patienceMs, () => isDrained(world, Math.max(lastMoment, taleEnds)));
    const drainedAfterMs = isDone ? monotonicMs() - struckAt : null;
    const gaveUp = crew.ended();
    const endedBadly = await crew.dismiss();
    const found = await collect(world, happened);
    const ledger = compareWorlds(heldOf([...said, ...tale], { withTale: true }), {
      ...found,
      happened: wanted ? found.happened : new Map(),
    });
    const gapMs = await noteMs(world);
    const broken = ledger.some((line) => line.broken) || !isDone;
    return {
      ...{
        seed: options.seed,
        queue: options.queue,
        mentions: said.length + tale.length,
        strikes: hits,
        apiFaults,
      },
      ...{ gaveUp, endedBadly, drainedAfterMs, ledger, broken },
      takenInSilence: world.smtp.takenInSilence,
      gap: {
        ms: gapMs,
        expected: (deliverersKilled * world.smtp.mails.length * gapMs) / (struckAt - begunAt),
      },
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
  sayings: readonly Outgoing[],
  options: ChaosOptions,
  world: World,
  crew: Crew,
): Promise<{
  hits: Record<string, number>;
  said: readonly Outgoing[];
  lastMoment: Instant;
  problems: ReadonlyMap<string, number>;
  deliverersKilled: number;
}> {
  const random = createRandom("chaos vendors", options.seed);
  const nextApiFault = deal(API_FAULTS, random);
  const vendorFaults = { slack: deal(SLACK_FAULTS, random), smtp: deal(SMTP_FAULTS, random), random };
  const hits: Record<string, number> = { worker: 0, connections: 0, queue: 0, database: 0 };
  const problems = new Map<string, number>(
    [...SLACK_FAULTS.map(nameOfSlackFault), ...SMTP_FAULTS.map(({ code }) => `smtp ${code}`)].map((name) => [
      name,
      0,
    ]),
  );
  const said: Outgoing[] = [];
  let [before, lastMoment, deliverersKilled] = [0, 0, 0];
  for (const [index, one] of strikes.entries()) {
    if (options.signal.aborted) break;
    const until = index === strikes.length - 1 ? Number.POSITIVE_INFINITY : one.at;
    const next = sayings.filter(({ at }) => at >= before && at < until);
    const from = world.clock.now() - before;
    await publish(world, next, from);
    said.push(...next);
    lastMoment = Math.max(lastMoment, lastMomentOf(next, from));
    await delay(one.at - before);
    before = one.at;
    if (await strike(one, world, crew)) {
      hits[one.kind] = (hits[one.kind] ?? 0) + 1;
      if (one.kind === "worker" && CREW[one.place] === "deliver") deliverersKilled += 1;
    }
    await disturbApi(world, nextApiFault());
    for (const name of disturbVendors(world, vendorFaults)) problems.set(name, (problems.get(name) ?? 0) + 1);
    if ((index + 1) % 20 === 0) options.tell(`${index + 1} of ${strikes.length} strikes`);
  }
  // A fault that no call met has not happened.
  for (const fault of world.slack.faults) less(problems, nameOfSlackFault(fault));
  for (const { code } of world.smtp.faults) less(problems, `smtp ${code}`);
  return { hits, said, lastMoment, problems, deliverersKilled };
}

/** From now on nothing goes wrong any more. Gives what went wrong at the API. */
async function calm(world: World): Promise<Record<string, number>> {
  calmVendors(world);
  const faults = await listFaults(world.api);
  await deleteFaults(world.api);
  const happened: Record<string, number> = {};
  for (const { kind, applied } of faults) happened[kind] = (happened[kind] ?? 0) + applied;
  return happened;
}

const WORKER = "test/chaos/worker.ts";

/** Sets all clocks to the hour at which the tale begins, and adds the silence of the tale. */
async function beginOnTime({ clock, setClock, factsPool }: World): Promise<void> {
  await setClock();
  await delay(EVERYBODY_LOOKS_MS);
  const now = clock.now();
  await factsPool.query(
    `insert into earshot.silences (id, match, author, comment, created_at, starts_at, ends_at, windows)
     values (gen_random_uuid(), '{"rule": ["hushed"]}', 'chaos', 'for a while', to_timestamp($1::float8 / 1000),
       to_timestamp($1::float8 / 1000), to_timestamp($2::float8 / 1000), '[]')`,
    [now, now + SILENCE_MS],
  );
}

function less(problems: Map<string, number>, name: string): void {
  problems.set(name, Math.max(0, (problems.get(name) ?? 0) - 1));
}

/** How long one note takes, commit and disk included: the mean of some. */
async function noteMs({ factsPool }: World): Promise<number> {
  const startedAt = monotonicMs();
  for (let i = 0; i < NOTES; i++) await factsPool.query("select pg_current_xact_id()");
  return (monotonicMs() - startedAt) / NOTES;
}

const NOTES = 50;

/** Workers look what hour it is every tenth of a second. */
const EVERYBODY_LOOKS_MS = 500;
