import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { createPngRenderer } from "../../src/monitor/charts/png-renderer.ts";
import { validRules } from "../../src/monitor/rules/load-rules.ts";
import { differences } from "../crash-points/facts.ts";
import { openSandbox, type Sandbox } from "../crash-points/sandbox.ts";
import { openStage, type Stage } from "../crash-points/stage.ts";
import { findLate } from "./delay.ts";
import { FEED_SCENES } from "./feed-scenes.ts";
import { openFeedWorld } from "./feed-world.ts";
import { openMonitorWorld } from "./monitor-world.ts";
import { createPlayer, type PlayResult, type World } from "./play.ts";
import { SCENES, SCRIPT } from "./scenes.ts";
import type { Pair, PairOptions } from "./task.ts";

export interface Options {
  /** Pairs whose name matches; null: all. */
  readonly only: RegExp | null;
  /** So many of them, chosen by the seed. */
  readonly pairs: number;
  /** Of all points so many in a hundred, chosen by the seed. */
  readonly share: number;
  readonly seed: number;
  readonly parallel: number;
  /** No more points are begun after the first that differed. */
  readonly bail: boolean;
  /** No more points are begun after that. */
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

/** One task of a pair, held before its n-th statement while the other runs. */
interface Point {
  readonly scene: string;
  readonly held: string;
  readonly other: string;
  readonly at: number;
  readonly statement: string;
}

export interface Outcome extends Point {
  /** `late`: all is the same, and something was held back longer than in both serial orders. */
  readonly outcome: "same" | "different" | "late" | "not-reached" | "failed";
  /** Whether the other task waited for a lock of the one that was held. */
  readonly hasWaited: boolean;
  /** Lines that only one has, against the serial order that is nearer, and against the other; what is late; or what failed. */
  readonly difference: readonly string[];
}

export interface PairReport {
  readonly scene: string;
  readonly pair: string;
  readonly points: number;
  readonly chosen: number;
  readonly outcomes: readonly Outcome[];
}

export interface Report {
  readonly options: Pick<Options, "share" | "seed">;
  readonly pairs: readonly PairReport[];
  /** Pairs that were not begun, because time was over. */
  readonly left: readonly string[];
  readonly tookMs: number;
}

/** Their names in reports. */
export const PAIRS: readonly string[] = [...SCENES, ...FEED_SCENES].flatMap(({ name, pairs }) =>
  (pairs as readonly Pair<never>[]).map((pair) => nameOf(name, pair)),
);

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
  const chosen = new Set(choosePairs(options));
  const stage = await openStage("postgres", SCRIPT);
  const pictures = createPngRenderer();
  const rules = await validRules(stage.rules);
  const sandboxes: Sandbox[] = [];
  const scenes = [
    ...SCENES.map((scene) =>
      staged(stage, scene, (sandbox) => openMonitorWorld(stage, sandbox, scene, { rules, pictures })),
    ),
    ...FEED_SCENES.map((scene) => staged(stage, scene, (sandbox) => openFeedWorld(stage, sandbox, scene))),
  ].map(({ names, ...scene }) => ({
    ...scene,
    names: names.filter((name) => chosen.has(name)),
  }));
  try {
    for (let index = 0; index < options.parallel; index++) sandboxes.push(await openSandbox(stage, index));
    // Long ones first: the last of them keeps nobody waiting for long.
    const waiting = scenes
      .filter(({ names }) => names.length > 0)
      .toSorted((a, b) => b.names.length - a.names.length);
    const pairs: PairReport[] = [];
    const left: string[] = [];
    const enough = new AbortController();
    options.signal.addEventListener("abort", () => enough.abort());
    const isOver = () => enough.signal.aborted;
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const { names } = next;
          if (isOver()) {
            left.push(...names);
            continue;
          }
          const opened = await next.open(sandbox);
          for (const pair of opened.pairs.filter(({ name }) => names.includes(name))) {
            if (isOver()) {
              left.push(pair.name);
              continue;
            }
            const report = await playOrFail({ options, isOver }, pair);
            pairs.push(report);
            const bad = report.outcomes.filter(({ outcome }) => outcome !== "same").length;
            options.onProgress(
              `${report.pair}: ${report.outcomes.length} of ${report.points} points, ${bad} not the same`,
            );
            if (options.bail && bad > 0) enough.abort();
          }
          await opened.close();
        }
      }),
    );
    return { options, pairs, left, tookMs: monotonicMs() - startedAt };
  } finally {
    for (const sandbox of sandboxes) await sandbox.close();
    await pictures.close();
    await stage.closing.close();
  }
}

/** A pair where it begins. */
interface StagedPair {
  readonly scene: string;
  readonly name: string;
  readonly tasks: readonly [one: string, other: string];
  readonly how: PairOptions;
  /** `forth`: the first of them begins, and may be held. */
  play(order: "forth" | "back", holdAt: number | null): Promise<PlayResult>;
  /** The next play begins in a copy of the database. */
  beginAnew(): Promise<void>;
}

/** A scene and how it is opened, whatever its processes are. */
function staged<P extends { close(): Promise<void> }>(
  stage: Stage,
  { name: scene, pairs }: { readonly name: string; readonly pairs: readonly Pair<P>[] },
  openWorld: (sandbox: Sandbox) => Promise<World<P>>,
) {
  return {
    names: pairs.map((pair) => nameOf(scene, pair)),
    open: async (sandbox: Sandbox) => {
      const player = createPlayer(stage, sandbox.database, await openWorld(sandbox));
      const playable = pairs.map((pair): StagedPair => {
        const [one, other, how = {}] = pair;
        return {
          ...{ scene, name: nameOf(scene, pair), tasks: [one.name, other.name], how },
          play: (order, holdAt) =>
            player.play(order === "forth" ? [one, other] : [other, one], holdAt, how.begun),
          beginAnew: player.beginAnew,
        };
      });
      return { pairs: playable, close: player.close };
    },
  };
}

function nameOf(scene: string, [one, other, how]: Pair<never>): string {
  return `${scene}: ${one.name} and ${other.name}${how?.begun === undefined ? "" : ", which has begun"}`;
}

interface Playing {
  readonly options: Options;
  readonly isOver: () => boolean;
}

/** A pair that cannot be played fails, and the others go on. */
async function playOrFail(playing: Playing, pair: StagedPair): Promise<PairReport> {
  try {
    return await playPair(playing, pair);
  } catch (error) {
    const { scene, name, tasks } = pair;
    const none = { scene, held: tasks[0], other: tasks[1], at: 0, statement: "" };
    const failed: Outcome = { ...none, outcome: "failed", hasWaited: false, difference: linesOf(error) };
    return { scene, pair: name, points: 0, chosen: 1, outcomes: [failed] };
  }
}

async function playPair({ options, isOver }: Playing, pair: StagedPair): Promise<PairReport> {
  const { scene, name, tasks, how } = pair;
  const { between, begun } = how;
  const [one, other] = tasks;
  await pair.beginAnew();
  const forth = await pair.play("forth", null);
  const serial = { forth, back: one === other ? forth : await pair.play("back", null) };
  const second = forth.statements.findLastIndex((statement) => between?.test(statement));
  if (between !== undefined && second === -1) throw new Error(`no statement of ${one} matches ${between}`);
  const third = second === -1 ? [] : [await pair.play("forth", second + 1)];
  // The first began in a copy of the database, this one in rows that were put back.
  const again = await pair.play("forth", null);
  const unlike = differences(forth.lines, again.lines);
  if (unlike.length > 0)
    throw new Error(
      `${name} is not the same twice:\n${unlike.map((line) => line.replaceAll(/\s+/g, " ")).join("\n")}`,
    );
  const orders = one === other || begun !== undefined ? (["forth"] as const) : (["forth", "back"] as const);
  const points = orders.flatMap((order) =>
    serial[order].statements.map((statement, position) => ({ order, at: position + 1, statement })),
  );
  const random = createRandom(name, options.seed);
  const drawn = points.filter(() => random.chance(options.share / 100));
  // At least one of each pair: a pair of which nothing is played is not looked at.
  const chosen = drawn.length > 0 ? drawn : [random.pick(points)];
  const wanted = [serial.forth, serial.back, ...third];
  const outcomes: Outcome[] = [];
  for (const { order, at, statement } of chosen) {
    if (isOver()) break;
    const [held, running] = order === "forth" ? tasks : [other, one];
    const point = { scene, held, other: running, at, statement };
    try {
      const { lines, delay, isHeld, hasWaited } = await pair.play(order, at);
      const found = wanted.map((end) => differences(end.lines, lines));
      const [nearer = [], next = []] = found.toSorted((a, b) => a.length - b.length);
      const different = nearer.length === 0 ? [] : [...nearer, "and from the other order:", ...next];
      const late = findLate(delay, [serial.forth.delay, serial.back.delay]);
      const outcome = outcomeOf({ isDifferent: different.length > 0, isLate: late.length > 0, isHeld });
      outcomes.push({ ...point, outcome, hasWaited, difference: [...different, ...late] });
    } catch (error) {
      outcomes.push({ ...point, outcome: "failed", hasWaited: false, difference: linesOf(error) });
    }
    if (options.bail && outcomes.at(-1)?.outcome !== "same") break;
  }
  return { scene, pair: name, points: points.length, chosen: chosen.length, outcomes };
}

function outcomeOf(found: {
  readonly isDifferent: boolean;
  readonly isLate: boolean;
  readonly isHeld: boolean;
}): Outcome["outcome"] {
  if (found.isDifferent) return "different";
  if (found.isLate) return "late";
  return found.isHeld ? "same" : "not-reached";
}

function linesOf(error: unknown): readonly string[] {
  return (error instanceof Error ? (error.stack ?? error.message) : String(error)).split("\n");
}
