import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/local-api/simulate/random.ts";
import { bundleWorker } from "./bundle-worker.ts";
import { differences } from "./facts.ts";
import { type Peer, type Point, pointsOf, type SeenStep } from "./gate.ts";
import { type Hand, hireHand } from "./hand.ts";
import { type Lane, openLane } from "./lane.ts";
import { type Fate, type Opening, openChapter, play } from "./play.ts";
import { EMPTY, openStage, type QueueKind, type Stage } from "./stage.ts";
import { CHAPTERS, type Chapter } from "./story.ts";

export interface Options {
  readonly queue: QueueKind;
  readonly only: Peer | null;
  readonly chapter: string | null;
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
  readonly lanes: number;
  readonly fates: readonly Fate[];
  readonly modes: readonly Mode[];
  /** No more points are begun after that. */
  readonly signal: AbortSignal;
  readonly tell: (sentence: string) => void;
}

/** `bare`: nothing is read twice, so the next poll cannot heal a loss. */
export const MODES = ["bare", "shipped"] as const;
export type Mode = (typeof MODES)[number];

const SOURCE: Readonly<Record<Mode, object>> = {
  bare: { overlap: "0s", lookback: "1h", settle: "0s" },
  shipped: {},
};

/** One moment of one chapter, with what becomes of the worker there. */
export interface Case {
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
  readonly repeatedMails: number;
}

export interface CrashReport {
  readonly options: Pick<Options, "queue" | "only" | "from" | "share" | "seed">;
  /** Statements, commands and calls outside of transactions that may leave something behind, by their target. */
  readonly steps: Readonly<Record<string, number>>;
  /** All points that there are. */
  readonly cases: readonly Case[];
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
  const stage = await openStage(options.queue);
  const hands = createHands(bundle.file);
  const lanes: Lane[] = [];
  try {
    for (let index = 0; index < options.lanes; index++) lanes.push(await openLane(stage, index));
    const opened = await openChapters(options, stage, lanes, hands);
    await bundle.remember(hands.remember);
    const cases = casesOf(opened, options);
    const chosen = choose(cases, options);
    options.tell(`${cases.length} points, ${chosen.length} are played`);
    const outcomes: Outcome[] = [];
    const enough = new AbortController();
    options.signal.addEventListener("abort", () => enough.abort());
    await sideBySide(lanes, chosen, enough.signal, async (lane, one) => {
      const chapter = opened.find(({ chapter: { name }, mode }) => name === one.chapter && mode === one.mode);
      if (chapter === undefined) return;
      const outcome = await playCase(one, chapter, { stage, lane, hands });
      outcomes.push(outcome);
      if (outcome.outcome !== "same")
        options.tell(`${one.k}: ${outcome.outcome} ${one.point.side} ${one.point.name.slice(0, 90)}`);
      if (outcome.outcome !== "same" && options.bail) enough.abort();
      if (outcomes.length % 10 === 0)
        options.tell(
          `${outcomes.length} of ${chosen.length}, ${Math.round((monotonicMs() - startedAt) / 1000)} s`,
        );
    });
    outcomes.sort((a, b) => a.k - b.k);
    return { options, steps: countSteps(opened), cases, outcomes, tookMs: monotonicMs() - startedAt };
  } finally {
    await hands.dismiss();
    for (const lane of lanes) await lane.close();
    await stage.closing.close();
    await bundle.remove();
  }
}

async function openChapters(
  options: Options,
  stage: Stage,
  lanes: readonly Lane[],
  hands: Hands,
): Promise<OpenedChapter[]> {
  const wanted = CHAPTERS.filter(({ name }) => options.chapter === null || name === options.chapter);
  const both = options.modes.flatMap((mode) => wanted.map((chapter) => ({ mode, chapter })));
  const opened: OpenedChapter[] = [];
  await sideBySide(lanes, both, new AbortController().signal, async (lane, { mode, chapter }) => {
    const first = await hands.take();
    const parts = { stage, lane, chapter, source: SOURCE[mode], first, second: hands.take };
    const template = `crash_${mode}_${chapter.name.replaceAll(" ", "_")}`;
    const opening = await openChapter(parts, EMPTY, template);
    const once = await play(parts, opening, null, "kill");
    const again = await play(parts, opening, null, "kill");
    hands.giveBack(first);
    const different = differences(once.ending.lines, again.ending.lines);
    if (different.length > 0)
      throw new Error(`the chapter ${chapter.name} is not the same twice:\n${different.join("\n")}`);
    opened.push({
      chapter,
      mode,
      opening,
      wanted: once.ending.lines,
      points: pointsOf(
        again.steps.filter(({ name }) => chapter.withStart === true || !UPKEEP.test(name)),
        options.every || options.only !== null,
      ),
      steps: again.steps,
    });
  });
  // In the order of the scenario, whichever lane was first.
  return both.flatMap(({ mode, chapter }) =>
    opened.filter((one) => one.mode === mode && one.chapter === chapter),
  );
}

/** Starts with a worker and runs in parallel: after the start of a later chapter, its order is random. */
const UPKEEP = /^(update|insert into) earshot\.queries\b.*\bactive\b/;

function countSteps(opened: readonly OpenedChapter[]): Record<string, number> {
  const steps: Record<string, number> = {};
  for (const { peer, asked } of opened.flatMap((one) => one.steps)) steps[peer] = (steps[peer] ?? 0) + asked;
  return steps;
}

function casesOf(opened: readonly OpenedChapter[], { fates }: Options): Case[] {
  const all = opened.flatMap(({ chapter, mode, points }) =>
    fates.flatMap((fate) =>
      points
        // A paused worker leaves nothing to heal: one mode is enough.
        .filter(() => fate === "kill" || mode === "bare")
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

/** A point that did not come by chance is tried again. */
const MOST_TRIES = 3;

async function playCase(
  one: Case,
  { chapter, mode, opening, wanted }: OpenedChapter,
  { stage, lane, hands }: { stage: Stage; lane: Lane; hands: Hands },
): Promise<Outcome> {
  try {
    for (let tries = 1; ; tries++) {
      const first = await hands.take();
      const parts = { stage, lane, chapter, source: SOURCE[mode], first, second: hands.take };
      const { ending, reached, survivors } = await play(parts, opening, one.point, one.fate);
      for (const hand of survivors) hands.giveBack(hand);
      const difference = differences(wanted, ending.lines);
      const { repeatedMails } = ending;
      if (difference.length > 0) return { ...one, outcome: "different", difference, repeatedMails };
      if (reached) return { ...one, outcome: "same", difference, repeatedMails };
      if (tries === MOST_TRIES) return { ...one, outcome: "not-reached", difference, repeatedMails };
    }
  } catch (error) {
    const because = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...one, outcome: "failed", difference: [because], repeatedMails: 0 };
  }
}

async function sideBySide<T>(
  lanes: readonly Lane[],
  work: readonly T[],
  signal: AbortSignal,
  run: (lane: Lane, one: T) => Promise<void>,
): Promise<void> {
  const waiting = [...work];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let one = waiting.shift(); one !== undefined && !signal.aborted; one = waiting.shift())
        await run(lane, one);
    }),
  );
}

type Hands = ReturnType<typeof createHands>;

/** Workers that wait for orders. One that is taken is followed by another at once. */
function createHands(file: string) {
  const all = new Set<Hand>();
  const free: Hand[] = [];
  const take = async (): Promise<Hand> => {
    for (let hand = free.pop(); hand !== undefined; hand = free.pop()) if (hand.isAlive()) return hand;
    const hand = await hireHand(file);
    all.add(hand);
    void hand.gone.then(() => all.delete(hand));
    return hand;
  };
  return {
    take,
    giveBack: (hand: Hand) => void free.push(hand),
    /** One that has worked keeps what it compiled. */
    remember: () => free.at(-1)?.remember(),
    dismiss: async () => {
      for (const hand of all) hand.kill();
      await Promise.all([...all].map(({ gone }) => gone));
    },
  };
}
