import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs, systemClock } from "../../../src/lib/clock.ts";
import { createRandom } from "../../../src/listening-api/simulate/random.ts";
import { bundleEntries } from "../../bundle.ts";
import type { LedgerLine } from "../ledger.ts";
import {
  expectedRepeats,
  meanOf,
  readNoteGaps,
  repeatedBeside,
  repeatSentence,
  repeatsIn,
} from "../note-gap.ts";
import type { QueueKind } from "../plan-kills.ts";
import { deal } from "../plan-kills.ts";
import { until } from "../until.ts";
import { startWorkers } from "../worker-pool.ts";
import { ABOUT_NOBODY, compareFeeds, leftBehind, line, MAILED_AGAIN, SEEN_TWICE } from "./collect.ts";
import { BEFORE_THE_POLL } from "./hub.ts";
import { createTruth, type Item } from "./items.ts";
import { type FeedWorld, openFeedWorld } from "./world.ts";

export interface FeedChaosOptions {
  readonly kills: number;
  readonly seed: number;
  readonly queue: QueueKind;
  /** Mean time between two kills. */
  readonly everyMs: number;
  /** How long nothing may get better after the last kill, until all is right. */
  readonly patienceMs: number;
  /** Ends the kills; what came until then is compared. */
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

export interface FeedChaosReport {
  readonly seed: number;
  readonly queue: QueueKind;
  readonly kills: number;
  readonly items: { readonly all: number; readonly gone: number; readonly edited: number };
  /** Faults of the sources that somebody met. */
  readonly faults: Readonly<Record<string, number>>;
  /** From a mail's last line at the server to our note: how long, and how many mails that repeats, by the theory. */
  readonly gap: { readonly ms: number; readonly expected: number };
  /** The mails that came again, and the kill before each. */
  readonly repeats: readonly string[];
  readonly killedForMs: number;
  /** From the last kill until all was right; null: never. */
  readonly settledAfterMs: number | null;
  readonly gaveUp: number;
  readonly endedBadly: readonly string[];
  readonly ledger: readonly LedgerLine[];
  readonly broken: boolean;
  readonly lastLines: string;
}

const WORKER = "test/chaos/feeds/worker.ts";
const START_PATIENCE_MS = 120_000;
/** How long faults go on after the last kill for those that nobody has met. */
const CATCH_UP_MS = 60_000;
const TIME_PASSES_EVERY_MS = 300;

/** Two whole Earshots on one database are killed while their sources misbehave; then both sides are compared. */
export async function runFeedChaos(options: FeedChaosOptions): Promise<FeedChaosReport> {
  const world = await openFeedWorld(options.queue, options.seed);
  try {
    const bundle = await bundleEntries([WORKER]);
    world.closing.add(bundle.remove);
    const workers = startWorkers(bundle.file(WORKER), world.env, world.ports.map(String));
    world.closing.add(async () => void (await workers.stop()));
    const { pool, sources } = world;
    options.onProgress("the workers are starting");
    if (!(await until(START_PATIENCE_MS, () => isWatching(world, () => sources.beat()))))
      throw new Error(`the workers did not start:\n${workers.lastLines()}`);
    const stopTime = letTimePass(world);
    world.closing.add(stopTime);
    const truth = createTruth(options.seed);
    const random = createRandom("chaos feeds kills", options.seed);
    const nextSlot = deal([...world.ports.keys()], random);
    const hits = world.ports.map(() => 0);
    const killedAt: number[] = [];
    sources.disturb();
    const begunAt = monotonicMs();
    for (let kill = 1; kill <= options.kills && !options.signal.aborted; kill++) {
      sources.publish(truth.step());
      await delay(Math.round(2 * random.next() * options.everyMs));
      await noteUnpolled(world);
      const slot = nextSlot();
      if (await workers.kill(slot)) {
        hits[slot] = (hits[slot] ?? 0) + 1;
        killedAt.push(systemClock.now());
      }
      // What a dead worker held is free some minutes later.
      await endLeases(pool);
      if (kill % 20 === 0) options.onProgress(`${kill} of ${options.kills} kills`);
    }
    const lastKillAt = monotonicMs();
    // A slow machine asks little while its workers are killed.
    await until(CATCH_UP_MS, async () => {
      if ([...sources.met.values()].every((times) => times > 0)) return true;
      sources.publish(truth.step());
      await delay(1_000);
      await noteUnpolled(world);
      return false;
    });
    sources.calm();
    await endLeases(pool);
    options.onProgress("no more kills, and the sources behave; waiting until all is right");
    const settled = await settle(world, truth.items, options);
    await stopTime();
    const gaveUp = workers.ended();
    const endedBadly = [...workers.crashed(), ...(await workers.stop())];
    const repeats = repeatsIn(world.smtp, killedAt);
    const noted = await readNoteGaps(pool, world.smtp, killedAt);
    const killed = hits.reduce((sum, n) => sum + n, 0);
    // Each worker sends as many as the others.
    const repeatsExpected = expectedRepeats(noted, killedAt) / hits.length;
    const ledger = [
      ...(await compareFeeds(world, truth.items, {
        repeatsExpected,
        repeatedBeside: repeatedBeside(repeats),
      })),
      await leftBehind(world, truth.items),
      line("gaps in the stream", 1, await gaps(world)),
      line("right calls of the hub turned away", 1, sources.pushed.turnedAway),
      line(
        "workers that were never killed",
        hits.length,
        hits.flatMap((n, slot) => (n > 0 ? [] : [String(slot)])),
      ),
      line(
        "kinds of faults that nobody met",
        sources.met.size,
        [...sources.met].flatMap(([name, times]) => (times > 0 ? [] : [name])),
      ),
    ];
    const broken = !settled || ledger.some((one) => one.broken) || endedBadly.length > 0;
    const { items } = truth;
    return {
      ...{ seed: options.seed, queue: options.queue, kills: killed },
      gap: { ms: meanOf(noted.map(({ noteMs }) => noteMs)), expected: repeatsExpected },
      repeats: repeats.map(repeatSentence),
      items: {
        all: items.length,
        gone: items.filter(({ isGone }) => isGone).length,
        edited: items.filter(({ texts }) => texts.length > 1).length,
      },
      faults: Object.fromEntries(sources.met),
      killedForMs: lastKillAt - begunAt,
      settledAfterMs: settled ? monotonicMs() - lastKillAt : null,
      ...{ gaveUp, endedBadly, ledger, broken },
      lastLines: broken ? workers.lastLines() : "",
    };
  } finally {
    await world.closing.close();
  }
}

/** The monitor has read the past of both queries, and the stream has its first place: what comes now alerts. */
async function isWatching({ pool }: FeedWorld, beat: () => void): Promise<boolean> {
  beat();
  const { rows } = await pool.query<{ yes: boolean }>(
    `select (select count(*) = 2 from earshot.polls where poll = 'added' and complete_until is not null)
      and exists (select from feeds.feed where kind = 'bluesky' and state ? 'place')
      and (select count(*) = 5 from feeds.feed) as yes`,
  );
  return rows[0]?.yes === true;
}

/** Counts items that are stored before any poll has shown them: the hub has brought them. */
async function noteUnpolled({ pool, sources }: FeedWorld): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    "select native_id as id from local_api.received_item where native_id = any($1)",
    [sources.pushed.unpolled()],
  );
  // Those that a poll has shown meanwhile prove nothing.
  const unpolled = new Set(sources.pushed.unpolled());
  for (const { id } of rows) if (unpolled.has(id)) sources.note(BEFORE_THE_POLL);
}

/**
 * Minutes go by in a moment for the feeds: they and their hubs are due again, hosts may be asked again, and an item may
 * change again. Only what the tables say of time is moved; workers meet the same values as after a real wait. The feed of
 * a hub is not read whole only because hours have passed: what a late push puts back has to come right before that.
 */
function letTimePass({ pool }: FeedWorld): () => Promise<void> {
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      await pool.query(TIME_PASSES).catch(() => {});
      await delay(TIME_PASSES_EVERY_MS);
    }
  };
  const running = run();
  return async () => {
    isOver = true;
    await running;
  };
}

// Rows that a worker holds are left to it, so that no worker waits for this, nor this for a worker.
const TIME_PASSES = `
  with due as (select project_id, key from feeds.feed where next_at is not null for update skip locked),
    fetched as (update feeds.feed f set next_at = least(next_at, now()),
        state = case when f.kind = 'rss' and not exists (select from feeds.hub h where h.key = f.key)
          then f.state || '{"wholeAt": 0}' else f.state end
      from due where (f.project_id, f.key) = (due.project_id, due.key)),
    asked as (select project_id, key from feeds.hub for update skip locked),
    hubs as (update feeds.hub h set next_at = least(next_at, now()),
        lease_until = lease_until - interval '30 seconds'
      from asked where (h.project_id, h.key) = (asked.project_id, asked.key)),
    hosts as (delete from feeds.host where host in (select host from feeds.host for update skip locked)),
    changed as (select project_id, id_key from local_api.received_item
      where edited_at > now() - interval '1 hour' for update skip locked)
  update local_api.received_item item set edited_at = edited_at - interval '2 hours'
  from changed where (item.project_id, item.id_key) = (changed.project_id, changed.id_key)`;

async function endLeases(pool: FeedWorld["pool"]): Promise<void> {
  await pool.query("update feeds.feed set lease_until = now() where lease_until > now()");
}

/**
 * Whether everything came right, and stayed so for a moment in which something superfluous could come. A busy machine takes
 * its time: it ends when nothing got better for as long as the patience.
 */
async function settle(
  world: FeedWorld,
  items: readonly Item[],
  { patienceMs }: Pick<FeedChaosOptions, "patienceMs">,
): Promise<boolean> {
  /** How much is wrong that time can mend. */
  const left = async (): Promise<number> => {
    const chance = { repeatsExpected: 0, repeatedBeside: 0 };
    const lines = (await compareFeeds(world, items, chance)).filter(({ what }) => !STAYS_WRONG.has(what));
    const wrong = lines.reduce((sum, line) => sum + (line.broken ? line.wrong : 0), 0);
    const waiting = world.sources.isPushed() && (await isIdle(world)) ? 0 : 1;
    return wrong + waiting;
  };
  let [least, since, isRight] = [Number.POSITIVE_INFINITY, monotonicMs(), false];
  while (monotonicMs() - since < patienceMs) {
    await delay(isRight ? 3_000 : 500);
    // A question that cannot be asked now is asked again.
    const now = await left().catch(() => Number.POSITIVE_INFINITY);
    const behind = async () => (await leftBehind(world, items)).wrong;
    const traces = now > 0 ? 0 : await behind().catch(() => Number.POSITIVE_INFINITY);
    if (now + traces === 0 && isRight) return true;
    isRight = now + traces === 0;
    // What is stored counts before its traces: those of a thousand words are looked for only then.
    const sum = now > 0 ? 1e6 + now : traces;
    if (sum < least) [least, since] = [sum, monotonicMs()];
  }
  return false;
}

/** Lines that waiting does not mend. */
const STAYS_WRONG = new Set(["alerts twice", SEEN_TWICE, MAILED_AGAIN, ABOUT_NOBODY]);

async function isIdle({ pool }: FeedWorld): Promise<boolean> {
  const { rows } = await pool.query<{ yes: boolean }>(
    `select not exists (select from earshot.notifications where state = 'due')
      and not exists (select from earshot.alert_receivers where next_at <= now()) as yes`,
  );
  return rows[0]?.yes === true;
}

async function gaps({ pool }: FeedWorld): Promise<string[]> {
  const { rows } = await pool.query<{ gap: string }>(
    "select f.name || ': ' || g.reason as gap from feeds.gap g join feeds.feed f using (project_id, key)",
  );
  return rows.map(({ gap }) => gap);
}
