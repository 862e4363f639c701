import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { differences } from "../crash-points/facts.ts";
import { findLate } from "./delay.ts";
import type { PlayResult } from "./play.ts";
import type { PairOptions } from "./task.ts";

export interface PlayOptions {
  /** Of all points so many in a hundred, chosen by the seed. */
  readonly share: number;
  readonly seed: number;
  /** No more points are begun after the first that is not the same. */
  readonly bail: boolean;
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

/** A pair where it begins. */
export interface StagedPair {
  readonly scene: string;
  readonly name: string;
  readonly tasks: readonly [one: string, other: string];
  readonly how: PairOptions;
  /** `forth`: the first of them begins, and may be held. */
  play(order: "forth" | "back", holdAt: number | null): Promise<PlayResult>;
  /** The next play begins in a copy of the database. */
  beginAnew(): Promise<void>;
}

export interface Playing {
  readonly options: PlayOptions;
  readonly isOver: () => boolean;
}

/** A pair that cannot be played fails, and the others go on. */
export async function playOrFail(playing: Playing, pair: StagedPair): Promise<PairReport> {
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
