import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { deal } from "../chaos/plan-kills.ts";
import { bundleWorker } from "./bundle-worker.ts";
import type { Chapter } from "./chapter.ts";
import { differences } from "./facts.ts";
import { type Peer, type Point, pointsOf, type SeenStep } from "./gate.ts";
import { type Fate, openChapter, type PlayResult, play } from "./play.ts";
import { type Opening, openSandbox, type Sandbox } from "./sandbox.ts";
import { openStage, type QueueKind, type Stage } from "./stage.ts";
import { CHAPTERS, SCRIPT } from "./story.ts";
import type { Worker } from "./worker-process.ts";
import { createWorkerSupply, type WorkerSupply } from "./worker-supply.ts";

export interface Options {
  readonly queue: QueueKind;
  readonly only: Peer | null;
  readonly chapter: string | null;
  /** So many of all chapters, chosen by the seed. */
  readonly chapters: number;
  /** Of what is asked. */
  readonly name: RegExp | null;
  /** No more points are begun after the first that was not the same. */
  readonly bail: boolean;
  /** The number of the first point that is played. */
  readonly from: number;
  readonly to: number;
  /** Of all points so many in a hundred, chosen by the seed. */
  readonly share: number;
  readonly seed: number;
  /** Before and after every step, also where that leaves what another point left. */
  readonly every: boolean;
  /** Played side by side. */
  readonly parallel: number;
  /** Workers that are to be killed share a process with so many, and die with it. At most `parallel`. */
  readonly together: number;
  readonly fates: readonly Fate[];
  readonly modes: readonly Mode[];
  /** No more points are begun after that. */
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

/** `bare`: nothing is read twice, so the next poll cannot heal a loss. */
export const MODES = ["bare", "shipped"] as const;
type Mode = (typeof MODES)[number];

const SOURCE: Readonly<Record<Mode, object>> = {
  bare: { overlap: "0s", lookback: "1h", settle: "0s" },
  shipped: {},
};

/** One moment of one chapter, with what happens to the worker there. */
interface Case {
  readonly k: number;
  readonly mode: Mode;
  readonly fate: Fate;
  readonly chapter: string;
  readonly point: Point;
}

export interface Outcome extends Case {
  readonly outcome: "same" | "not-reached" | "different" | "failed";
  /** Lines that only one of the two has; or what failed. */
  readonly difference: readonly string[];
  readonly repeated: number;
  /** Whether the worker that was held stood between its last look and Slack's acceptance of a message. */
  readonly stoodInGap: boolean;
}

export interface CrashReport {
  readonly options: Pick<Options, "queue" | "only" | "from" | "share" | "seed">;
  /** Statements, commands and calls outside of transactions that may leave something behind, by their target. */
  readonly steps: Readonly<Record<string, number>>;
  /** All points that there are. */
  readonly cases: readonly Case[];
  /** How many of them were to be played. */
  readonly chosen: number;
  readonly outcomes: readonly Outcome[];
  readonly tookMs: number;
}

interface OpenedChapter {
  readonly chapter: Chapter;
  readonly mode: Mode;
  readonly opening: Opening;
  readonly wanted: readonly string[];
  readonly points: readonly Point[];
  readonly steps: readonly SeenStep[];
}

/** Numbers the points by playing every chapter without a kill, and plays it once for each of them. */
export async function runCrashPoints(options: Options): Promise<CrashReport> {
  const startedAt = monotonicMs();
  const bundle = await bundleWorker("test/crash-points/worker.ts");
  const stage = await openStage(options.queue, SCRIPT);
  const workers = createWorkerSupply(bundle.file, options.together);
  const sandboxes: Sandbox[] = [];
  try {
    for (let index = 0; index < options.parallel; index++) sandboxes.push(await openSandbox(stage, index));
    const opened = await openChapters(options, stage, sandboxes, workers);
    await bundle.saveCompiled(workers.saveCompiled);
    const cases = casesOf(opened, options);
    const chosen = choose(cases, options);
    options.onProgress(`${cases.length} points, ${chosen.length} are played`);
    const outcomes: Outcome[] = [];
    const enough = new AbortController();
    options.signal.addEventListener("abort", () => enough.abort());
    const sideBySide = { sandboxes, signal: enough.signal, onEnd: workers.noMoreShare };
    await inParallel(sideBySide, chosen, async (sandbox, one) => {
      const chapter = opened.find(({ chapter: { name }, mode }) => name === one.chapter && mode === one.mode);
      if (chapter === undefined) return;
      const outcome = await playCase(one, chapter, { stage, sandbox, workers });
      outcomes.push(outcome);
      if (outcome.outcome !== "same")
        options.onProgress(`${one.k}: ${outcome.outcome} ${one.point.side} ${one.point.name.slice(0, 90)}`);
      if (outcome.outcome !== "same" && options.bail) enough.abort();
      if (outcomes.length % 10 === 0)
        options.onProgress(
          `${outcomes.length} of ${chosen.length}, ${Math.round((monotonicMs() - startedAt) / 1000)} s`,
        );
    });
    outcomes.sort((a, b) => a.k - b.k);
    return {
      ...{ options, steps: countSteps(opened), cases, chosen: chosen.length, outcomes },
      tookMs: monotonicMs() - startedAt,
    };
  } finally {
    await workers.stop();
    for (const sandbox of sandboxes) await sandbox.close();
    await stage.closing.close();
    await bundle.remove();
  }
}

async function openChapters(
  options: Options,
  stage: Stage,
  sandboxes: readonly Sandbox[],
  workers: WorkerSupply,
): Promise<OpenedChapter[]> {
  const wanted = chooseChapters(options);
  const both = options.modes.flatMap((mode) =>
    wanted
      .filter(({ points }) => mode === "bare" || points === undefined)
      .map((chapter) => ({ mode, chapter })),
  );
  const opened: OpenedChapter[] = [];
  await inParallel({ sandboxes }, both, async (sandbox, { mode, chapter }) => {
    // What a short-lived process has compiled is stored for the others of its kind.
    const first = await (chapter === wanted[0] ? workers.alone() : workers.longLived());
    const parts = { stage, sandbox, chapter, source: SOURCE[mode], first, second: workers.longLived };
    const template = `crash_${mode}_${chapter.name.replaceAll(" ", "_")}`;
    const opening = await openChapter(parts, template);
    const once = await play(parts, opening, null, "kill");
    const again = await play(parts, opening, null, "kill");
    await first.release(true);
    const different = differences(once.ending.lines, again.ending.lines);
    if (different.length > 0)
      throw new Error(`the chapter ${chapter.name} is not the same twice:\n${different.join("\n")}`);
    const points = pointsOf(
      leastOften(once.steps, again.steps).filter(
        ({ name }) =>
          (chapter.withStart === true || !AT_START.test(name)) && chapter.points?.test(name) !== false,
      ),
      options.every || options.only !== null,
    );
    expectToShow(chapter, once.ending.lines, points);
    opened.push({
      ...{ chapter, mode, opening, points },
      wanted: once.ending.lines,
      steps: again.steps,
    });
  });
  // In the order of the scenario, whichever sandbox was first.
  return both.flatMap(({ mode, chapter }) =>
    opened.filter((one) => one.mode === mode && one.chapter === chapter),
  );
}

/** In the order of the story. */
function chooseChapters({ chapter, chapters, seed }: Options): readonly Chapter[] {
  if (chapter !== null) return CHAPTERS.filter(({ name }) => name === chapter);
  const next = deal(CHAPTERS, createRandom("chapters", seed));
  const drawn = new Set(CHAPTERS.slice(0, chapters).map(next));
  return CHAPTERS.filter((one) => drawn.has(one));
}

/** A chapter without what it is for would be the same at every point. */
function expectToShow(
  { name, shows, hides = [], does = [] }: Chapter,
  lines: readonly string[],
  points: readonly Point[],
): void {
  const missing = [
    ...shows.filter((what) => !lines.some((line) => what.test(line))),
    ...does.filter((what) => !points.some((point) => what.test(point.name))),
  ];
  const left = hides.filter((what) => lines.some((line) => what.test(line)));
  if (missing.length + left.length === 0) return;
  const faults = [
    ...missing.map((what) => `it lacks ${what}`),
    ...left.map((what) => `it still has ${what}`),
  ];
  throw new Error(
    `the chapter ${name} is not what it is for:\n${faults.join("\n")}\n${lines.map((line) => line.slice(0, 300)).join("\n")}`,
  );
}

/** What was seen in both plays: how often a queue moves a job depends on chance, and the last time may not come again. */
function leastOften(once: readonly SeenStep[], again: readonly SeenStep[]): SeenStep[] {
  const known = new Map(once.map((step) => [`${step.peer} ${step.name}`, step]));
  return again.flatMap((step) => {
    const other = known.get(`${step.peer} ${step.name}`);
    if (other === undefined) return [];
    return { ...step, asked: Math.min(step.asked, other.asked), left: Math.min(step.left, other.left) };
  });
}

/** Starts with a worker and runs in parallel: after the start of a later chapter, its order is random. */
const AT_START = /^(update|insert into) earshot\.queries\b.*\bactive\b/;

function countSteps(opened: readonly OpenedChapter[]): Record<string, number> {
  const steps: Record<string, number> = {};
  for (const { peer, asked } of opened.flatMap((one) => one.steps)) steps[peer] = (steps[peer] ?? 0) + asked;
  return steps;
}

function casesOf(opened: readonly OpenedChapter[], { fates }: Options): Case[] {
  const all = opened.flatMap(({ chapter, mode, points }) =>
    fates.flatMap((fate) =>
      points
        // A paused worker leaves nothing to heal, and two deaths heal no less than one: one mode is enough.
        .filter((_, index) => fate === "kill" || (mode === "bare" && (fate === "hold" || index % 4 === 0)))
        .map((point) => ({ mode, fate, chapter: chapter.name, point })),
    ),
  );
  return all.map((one, index) => ({ k: index + 1, ...one }));
}

function choose(cases: readonly Case[], { from, to, only, name, share, seed }: Options): Case[] {
  const random = createRandom("crash points", seed);
  return cases.filter((one) => {
    const isDrawn = random.chance(share / 100);
    return (
      isDrawn &&
      one.k >= from &&
      one.k <= to &&
      (only === null || one.point.peer === only) &&
      (name === null || name.test(one.point.name))
    );
  });
}

/**
 * A point that was not reached has tested nothing, and is tried again: whether a job is fetched with the end of another
 * one depends on chance. One that chance gives in every third play is missed in one run of 60.
 */
const MOST_TRIES = 10;

/** The second death comes after one of so many steps; if the recovery and what follows are shorter, earlier. */
const RECOVERY_STEPS = 24;

async function playCase(
  one: Case,
  { chapter, mode, opening, wanted }: OpenedChapter,
  { stage, sandbox, workers }: { stage: Stage; sandbox: Sandbox; workers: WorkerSupply },
): Promise<Outcome> {
  try {
    for (let tries = 1; ; tries++) {
      const after = Math.max(1, (1 + (one.k % RECOVERY_STEPS)) >> (tries - 1));
      const { ending, reached, stoodInGap } = await withWorkers(workers, one.fate, (first, second, third) => {
        const others =
          one.fate === "twice" ? { second: third, diesToo: { after, open: second } } : { second };
        const parts = { stage, sandbox, chapter, source: SOURCE[mode], first, ...others };
        return play(parts, opening, one.point, one.fate);
      });
      const difference = differences(wanted, ending.lines);
      const seen = { ...one, difference, repeated: ending.repeated, stoodInGap };
      if (difference.length > 0) return { ...seen, outcome: "different" };
      if (reached) return { ...seen, outcome: "same" };
      if (tries === MOST_TRIES) return { ...seen, outcome: "not-reached" };
    }
  } catch (error) {
    const because = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...one, outcome: "failed", difference: [because], repeated: 0, stoodInGap: false };
  }
}

/** Gives a point its workers, and takes them back however it ends. */
async function withWorkers(
  workers: WorkerSupply,
  fate: Fate,
  run: (first: Worker, second: () => Promise<Worker>, third: () => Promise<Worker>) => Promise<PlayResult>,
): Promise<PlayResult> {
  const taken: Worker[] = [];
  const take = async (from: Promise<Worker>): Promise<Worker> => {
    const worker = await from;
    taken.push(worker);
    return worker;
  };
  const release = (isWell: boolean) => Promise.all(taken.map((worker) => worker.release(isWell)));
  try {
    const first = await take(fate === "hold" ? workers.alone() : workers.toBeKilled());
    const longLived = () => take(workers.longLived());
    const second = fate === "twice" ? () => take(workers.toBeKilledAlone()) : longLived;
    const played = await run(first, second, longLived);
    await release(true);
    return played;
  } catch (error) {
    await release(false);
    throw error;
  }
}

interface SideBySide {
  readonly sandboxes: readonly Sandbox[];
  /** No more work is begun after it. */
  readonly signal?: AbortSignal;
  /** Called by each that finds no more work. */
  readonly onEnd?: () => void;
}

/** The first failure is thrown when all have ended: the server that stops then would fail the others, and hide it. */
async function inParallel<T>(
  { sandboxes, signal, onEnd = () => {} }: SideBySide,
  work: readonly T[],
  run: (sandbox: Sandbox, one: T) => Promise<void>,
): Promise<void> {
  const waiting = [...work];
  const failures: unknown[] = [];
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      for (
        let one = waiting.shift();
        one !== undefined && failures.length === 0 && signal?.aborted !== true;
        one = waiting.shift()
      )
        await run(sandbox, one).catch((error: unknown) => failures.push(error));
      onEnd();
    }),
  );
  if (failures.length > 0) throw failures[0];
}
