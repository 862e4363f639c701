import { type Config, parseConfig } from "../../src/admin/config/config.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { createPngRenderer, type PngRenderer } from "../../src/monitor/charts/png-renderer.ts";
import type { Rule } from "../../src/monitor/rules/rule.ts";
import { validRules } from "../../src/monitor/rules/valid-rules.ts";
import { openTemplates } from "../../src/monitor/templates/open-templates.ts";
import { differences } from "../crash-points/facts.ts";
import { openSandbox, type Sandbox } from "../crash-points/sandbox.ts";
import { EMPTY, openStage, type Stage } from "../crash-points/stage.ts";
import { type Opening, openScene, type Played, play } from "./play.ts";
import { type Pair, SCENES, SCRIPT, type Scene } from "./scenes.ts";
import type { Task } from "./tasks.ts";

export interface Options {
  /** Pairs whose name matches; null: all. */
  readonly only: RegExp | null;
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
export interface Point {
  readonly scene: string;
  readonly held: string;
  readonly other: string;
  readonly at: number;
  readonly statement: string;
}

export interface Outcome extends Point {
  readonly outcome: "same" | "different" | "not-reached" | "failed";
  /** Whether the other task waited for a lock of the one that was held. */
  readonly hasWaited: boolean;
  /** Lines that only one has, against the serial order that is nearer, and against the other; or what failed. */
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

/** Plays each pair in both serial orders, and then once for each point. */
export async function runInterleavings(options: Options): Promise<Report> {
  const startedAt = monotonicMs();
  const stage = await openStage("postgres", SCRIPT);
  const pictures = createPngRenderer();
  const rules = await validRules(stage.rules);
  const sandboxes: Sandbox[] = [];
  try {
    for (let index = 0; index < options.parallel; index++) sandboxes.push(await openSandbox(stage, index));
    const scenes = SCENES.map((scene) => ({ scene, pairs: chosenPairs(scene, options) })).filter(
      ({ pairs }) => pairs.length > 0,
    );
    const waiting = [...scenes];
    const pairs: PairReport[] = [];
    const left: string[] = [];
    const enough = new AbortController();
    options.signal.addEventListener("abort", () => enough.abort());
    const isOver = () => enough.signal.aborted;
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const { scene } = next;
          if (isOver()) {
            left.push(...next.pairs.map((pair) => nameOf(scene, pair)));
            continue;
          }
          const opening = await openScene(
            stage,
            sandbox,
            scene,
            await partsOf(sandbox, scene, rules, pictures),
            EMPTY,
          );
          for (const pair of next.pairs) {
            if (isOver()) left.push(nameOf(scene, pair));
            else {
              const report = await playOrFail({ stage, sandbox, opening, options, isOver }, pair);
              pairs.push(report);
              const bad = report.outcomes.filter(({ outcome }) => outcome !== "same").length;
              options.onProgress(
                `${report.pair}: ${report.outcomes.length} of ${report.points} points, ${bad} not the same`,
              );
              if (options.bail && bad > 0) enough.abort();
            }
          }
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

function chosenPairs(scene: Scene, { only }: Options): Scene["pairs"] {
  return scene.pairs.filter((pair) => only === null || only.test(nameOf(scene, pair)));
}

/** Its name in reports. */
export function nameOf({ name }: Pick<Scene, "name">, [one, other]: Pair): string {
  return `${name}: ${one.name} and ${other.name}`;
}

async function partsOf(
  sandbox: Sandbox,
  { queries, config = {} }: Scene,
  rules: readonly Rule[],
  pictures: PngRenderer,
): Promise<Opening["parts"]> {
  const source = { overlap: "0s", lookback: "1h", settle: "0s", queries };
  const parsed: Config = await parseConfig(sandbox.configOf({ name: "", config }, source));
  return { files: { config: parsed, rules, renderer: await openTemplates(parsed.templates) }, pictures };
}

/** A pair that cannot be played fails, and the others go on. */
async function playOrFail(parts: Parameters<typeof playPair>[0], pair: Pair): Promise<PairReport> {
  const { scene } = parts.opening;
  try {
    return await playPair(parts, pair);
  } catch (error) {
    const because = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const none = { scene: scene.name, held: pair[0].name, other: pair[1].name, at: 0, statement: "" };
    const failed: Outcome = { ...none, outcome: "failed", hasWaited: false, difference: because.split("\n") };
    return { scene: scene.name, pair: nameOf(scene, pair), points: 0, chosen: 1, outcomes: [failed] };
  }
}

async function playPair(
  {
    stage,
    sandbox,
    opening,
    options,
    isOver,
  }: { stage: Stage; sandbox: Sandbox; opening: Opening; options: Options; isOver: () => boolean },
  [one, other, between]: Pair,
): Promise<PairReport> {
  const { scene } = opening;
  const playing = (pair: readonly [Task, Task], at: number | null): Promise<Played> =>
    play(stage, sandbox, opening, pair, at);
  const serial = [await playing([one, other], null), await playing([other, one], null)];
  const second = serial[0]?.statements.findLastIndex((statement) => between?.test(statement)) ?? -1;
  if (between !== undefined && second === -1)
    throw new Error(`no statement of ${one.name} matches ${between}`);
  const third = second === -1 ? [] : [await playing([one, other], second + 1)];
  const again = await playing([one, other], null);
  const unlike = differences(serial[0]?.ending.lines ?? [], again.ending.lines);
  if (unlike.length > 0)
    throw new Error(
      `${nameOf(scene, [one, other])} is not the same twice:\n${unlike.map((line) => line.replaceAll(/\s+/g, " ")).join("\n")}`,
    );
  const orders: (readonly [Task, Task])[] =
    one === other || one.name === other.name
      ? [[one, other]]
      : [
          [one, other],
          [other, one],
        ];
  const points = orders.flatMap((pair, index) =>
    (serial[index]?.statements ?? []).map((statement, position) => ({ pair, at: position + 1, statement })),
  );
  const random = createRandom(nameOf(scene, [one, other]), options.seed);
  const drawn = points.filter(() => random.chance(options.share / 100));
  // At least one of each pair: a pair of which nothing is played is not looked at.
  const chosen = drawn.length > 0 ? drawn : points.slice(0, 1);
  const outcomes: Outcome[] = [];
  for (const { pair, at, statement } of chosen) {
    if (isOver()) break;
    const point = { scene: scene.name, held: pair[0].name, other: pair[1].name, at, statement };
    try {
      const { ending, isHeld, hasWaited } = await playing(pair, at);
      const found = [...serial, ...third].map((wanted) => differences(wanted.ending.lines, ending.lines));
      const [nearer = [], next = []] = found.toSorted((a, b) => a.length - b.length);
      const difference = nearer.length === 0 ? [] : [...nearer, "and from the other order:", ...next];
      const outcome = difference.length > 0 ? "different" : isHeld ? "same" : "not-reached";
      outcomes.push({ ...point, outcome, hasWaited, difference });
    } catch (error) {
      const because = error instanceof Error ? (error.stack ?? error.message) : String(error);
      outcomes.push({ ...point, outcome: "failed", hasWaited: false, difference: because.split("\n") });
    }
    if (options.bail && outcomes.at(-1)?.outcome !== "same") break;
  }
  return {
    scene: scene.name,
    pair: nameOf(scene, [one, other]),
    points: points.length,
    chosen: chosen.length,
    outcomes,
  };
}
