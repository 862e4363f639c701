import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { describeError } from "../../src/lib/errors.ts";
import { type Ending, readEnding } from "../crash-points/facts.ts";
import { readPostgres } from "../crash-points/proxies/postgres.ts";
import { openRelay } from "../crash-points/proxies/relay.ts";
import type { Outside, Sandbox } from "../crash-points/sandbox.ts";
import type { Stage } from "../crash-points/stage.ts";
import { storyTime } from "../flows/story-time.ts";
import { createHold } from "./hold.ts";
import { openProcess, type Process } from "./process.ts";
import type { Scene } from "./scenes.ts";
import type { Task } from "./tasks.ts";

/** Where the pairs of a scene begin: a database to copy, everybody outside, and what every process is opened with. */
export interface Opening {
  readonly scene: Scene;
  readonly template: string;
  readonly outside: Outside;
  readonly parts: Pick<Parameters<typeof openProcess>[0], "files" | "pictures">;
}

export interface Played {
  readonly ending: Ending;
  /** What the task that may be held asked of PostgreSQL. */
  readonly statements: readonly string[];
  /** False: the task ended before it was held. */
  readonly isHeld: boolean;
  /** Whether the other task had to wait for the one that was held. */
  readonly hasWaited: boolean;
}

/** Plays what comes before the pairs of a scene, and stores where they begin. */
export async function openScene(
  stage: Stage,
  sandbox: Sandbox,
  scene: Scene,
  parts: Opening["parts"],
  empty: string,
): Promise<Opening> {
  await sandbox.reset(empty, { inbox: [] });
  sandbox.clock.set(storyTime(scene.from));
  const process = await openProcess({
    ...parts,
    databaseUrl: sandbox.engines("nothing").databaseUrl,
    clock: sandbox.clock,
  });
  await process.version.refreshQueries();
  await process.settle();
  for (const moment of scene.settled ?? []) {
    sandbox.clock.set(storyTime(moment));
    await process.settle();
  }
  await process.close();
  // Its worker is not started: nothing follows from what it does now.
  const before = await openProcess({
    ...parts,
    databaseUrl: sandbox.engines("nothing").databaseUrl,
    clock: sandbox.clock,
  });
  for (const one of scene.first ?? []) {
    const [moment, task] = "prepare" in one ? [scene.at, one] : one;
    sandbox.clock.set(storyTime(moment));
    await (await task.prepare(before.stores))(before);
  }
  await before.close();
  const template = `interleavings_${scene.name.replaceAll(" ", "_")}`;
  await stage.administrate(`drop database if exists ${template} with (force)`);
  await stage.administrate(`create database ${template} template ${sandbox.database}`);
  return { scene, template, outside: await sandbox.outside(), parts };
}

/**
 * Two processes do one task each. With `holdAt`, the first is held before this statement while the second runs to its
 * end, or until it waits for a lock of the first; else the second begins when the first has ended. Then everything
 * that is due is done.
 */
export async function play(
  stage: Stage,
  sandbox: Sandbox,
  { scene, template, outside, parts }: Opening,
  [first, second]: readonly [Task, Task],
  holdAt: number | null,
): Promise<Played> {
  await sandbox.reset(template, outside);
  sandbox.clock.set(storyTime(scene.at));
  const hold = createHold();
  const relay = await openRelay(
    () => stage.postgresPort,
    hold.passing,
    () => readPostgres({ every: true }),
  );
  const direct = sandbox.engines("nothing").databaseUrl;
  const through = new URL(direct);
  through.port = String(relay.port);
  const watch = new pg.Client({ connectionString: stage.urlOf(sandbox.database) });
  watch.on("error", () => {});
  const opened: Process[] = [];
  try {
    await watch.connect();
    const held = await openProcess({ ...parts, databaseUrl: through.href, clock: sandbox.clock });
    opened.push(held);
    const other = await openProcess({ ...parts, databaseUrl: direct, clock: sandbox.clock });
    opened.push(other);
    const run = { first: await first.prepare(other.stores), second: await second.prepare(other.stores) };
    hold.arm(holdAt);
    const one = run.first(held);
    // It is awaited below; until then its failure is nobody's.
    one.catch(() => {});
    let isHeld = false;
    if (holdAt !== null)
      isHeld = await Promise.race([hold.isHeld.then(() => true), settled(one).then(() => false)]);
    else await one;
    const two = run.second(other);
    two.catch(() => {});
    const hasWaited = isHeld && (await isBlocked(watch, sandbox.database, two));
    hold.release();
    await inTime(one, first.name);
    await inTime(two, second.name);
    const statements = hold.disarm();
    await other.settle();
    const ending = await readEnding(sandbox, stage.urlOf(sandbox.database));
    return { ending, statements: [...statements], isHeld, hasWaited };
  } finally {
    hold.release();
    for (const process of opened) await process.close();
    await watch.end().catch(() => {});
    await relay.close();
  }
}

function settled(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}

/** Waits until the work ends (false), or waits for a lock of the process that is held (true). */
async function isBlocked(watch: pg.Client, database: string, work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  void settled(work).then(() => {
    hasEnded = true;
  });
  for (let waitedMs = 0; waitedMs < MOST_MS; waitedMs += LOOK_MS) {
    await Promise.race([settled(work), delay(LOOK_MS)]);
    if (hasEnded) return false;
    const { rows } = await watch.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = $1 and cardinality(pg_blocking_pids(pid)) > 0",
      [database],
    );
    if ((rows[0]?.n ?? 0) > 0) return true;
  }
  throw new Error("the second task neither ends nor waits for a lock");
}

async function inTime(work: Promise<unknown>, name: string): Promise<void> {
  const late = new AbortController();
  const tooLate = delay(MOST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error("it does not end");
  });
  tooLate.catch(() => {});
  try {
    await Promise.race([work, tooLate]);
  } catch (error) {
    throw new Error(`${name}: ${describeError(error)}`, { cause: error });
  } finally {
    late.abort();
  }
}

const LOOK_MS = 4;
const MOST_MS = 20_000;
