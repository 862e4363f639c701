import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import type { PairReport, PlayOptions } from "./play-pair.ts";
import { playScenes, SCENE_ORDERS, type SceneOrder } from "./play-scenes.ts";
import type { FromRunner, FromScenes } from "./scene-process.ts";

export interface Options extends PlayOptions {
  /** Pairs whose name matches; null: all. */
  readonly only: RegExp | null;
  /** So many of them, chosen by the seed. */
  readonly pairs: number;
  /** So many processes. */
  readonly parallel: number;
  /** No more points are begun after that. */
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

export interface Report {
  readonly options: Pick<Options, "share" | "seed">;
  readonly pairs: readonly PairReport[];
  /** Pairs that were not begun, because time was over. */
  readonly left: readonly string[];
  readonly tookMs: number;
}

/** Their names in reports. */
export const PAIRS: readonly string[] = SCENE_ORDERS.flatMap(({ pairs }) => pairs);

/** Those that match, so many of them as are wanted, in the order of the scenes. */
export function choosePairs({
  only,
  pairs,
  seed,
}: Pick<Options, "only" | "pairs" | "seed">): readonly string[] {
  const matching = PAIRS.filter((name) => only?.test(name) ?? true);
  const next = createRandom("pairs", seed).bag(matching);
  const drawn = new Set(matching.slice(0, pairs).map(next));
  return matching.filter((name) => drawn.has(name));
}

/** Plays each pair in both serial orders, and then once for each point. */
export async function runInterleavings(options: Options): Promise<Report> {
  const startedAt = monotonicMs();
  const chosen = choosePairs(options);
  const waiting = SCENE_ORDERS.map(({ scene, pairs }) => ({
    scene,
    pairs: pairs.filter((name) => chosen.includes(name)),
  }))
    .filter(({ pairs }) => pairs.length > 0)
    // Long ones first: the last of them keeps nobody waiting for long.
    .toSorted((a, b) => b.pairs.length - a.pairs.length);
  const enough = new AbortController();
  const signal = AbortSignal.any([options.signal, enough.signal]);
  const pairs: PairReport[] = [];
  const onPair = (report: PairReport): void => {
    pairs.push(report);
    const bad = report.outcomes.filter(({ outcome }) => outcome !== "same").length;
    options.onProgress(
      `${report.pair}: ${report.outcomes.length} of ${report.points} points, ${bad} not the same`,
    );
    if (options.bail && bad > 0) enough.abort();
  };
  const next = (): SceneOrder | null => (signal.aborted ? null : (waiting.shift() ?? null));
  const processes = Math.min(options.parallel, waiting.length);
  if (processes === 1) await playScenes({ ...options, signal }, async () => next(), onPair);
  else
    await Promise.all(Array.from({ length: processes }, () => playElsewhere(options, signal, next, onPair)));
  const played = new Set(pairs.map(({ pair }) => pair));
  const left = chosen.filter((name) => !played.has(name));
  return { options, pairs, left, tookMs: monotonicMs() - startedAt };
}

/** One process is busy with one scene: what it computes takes longer than what it waits for. */
async function playElsewhere(
  { share, seed, bail }: PlayOptions,
  signal: AbortSignal,
  next: () => SceneOrder | null,
  onPair: (report: PairReport) => void,
): Promise<void> {
  const child = fork(join(import.meta.dirname, "scene-process.ts"), { execArgv: process.execArgv });
  const tell = (what: FromRunner): void => void child.send(what, () => {});
  child.on("message", (said: FromScenes) => {
    if (said === "next") tell({ scene: next() });
    else onPair(said);
  });
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  tell({ begin: { share, seed, bail } });
  const [code, by] = await once(child, "exit");
  signal.removeEventListener("abort", stop);
  if (code !== 0) throw new Error(`a process that plays scenes ended (${by ?? `exit code ${code}`})`);
}
