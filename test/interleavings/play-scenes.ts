import { createPngRenderer } from "../../src/monitor/charts/png-renderer.ts";
import { validRules } from "../../src/monitor/rules/load-rules.ts";
import { openSandbox, type Sandbox } from "../crash-points/sandbox.ts";
import { openStage, type Stage } from "../crash-points/stage.ts";
import { FEED_SCENES } from "./feed-scenes.ts";
import { openFeedWorld } from "./feed-world.ts";
import { openMonitorWorld } from "./monitor-world.ts";
import { createPlayer, type World } from "./play.ts";
import { type PairReport, type PlayOptions, playOrFail, type StagedPair } from "./play-pair.ts";
import { SCENES, SCRIPT } from "./scenes.ts";
import type { Pair } from "./task.ts";

/** Some pairs of a scene, by their names in reports. */
export interface SceneOrder {
  readonly scene: string;
  readonly pairs: readonly string[];
}

/** Every pair, by scene. */
export const SCENE_ORDERS: readonly SceneOrder[] = [...SCENES, ...FEED_SCENES].map(({ name, pairs }) => ({
  scene: name,
  pairs: (pairs as readonly Pair<never>[]).map((pair) => nameOf(name, pair)),
}));

/**
 * Plays what `next` gives, one scene after the other, until it gives none or the signal says that it is enough: on a
 * PostgreSQL and with vendors of its own.
 */
export async function playScenes(
  options: PlayOptions & { readonly signal: AbortSignal },
  next: () => Promise<SceneOrder | null>,
  onPair: (report: PairReport) => void,
): Promise<void> {
  const stage = await openStage("postgres", SCRIPT);
  const pictures = createPngRenderer();
  const isOver = () => options.signal.aborted;
  try {
    const rules = await validRules(stage.rules);
    const sandbox = await openSandbox(stage, 0);
    stage.closing.add(sandbox.close);
    const scenes = new Map([
      ...SCENES.map((scene) =>
        staged(stage, scene, (open) => openMonitorWorld(stage, open, scene, { rules, pictures })),
      ),
      ...FEED_SCENES.map((scene) => staged(stage, scene, (open) => openFeedWorld(stage, open, scene))),
    ]);
    for (let order = await next(); order !== null && !isOver(); order = await next()) {
      const { scene, pairs } = order;
      const opened = await scenes.get(scene)?.(sandbox);
      for (const pair of opened?.pairs.filter(({ name }) => pairs.includes(name)) ?? [])
        if (!isOver()) onPair(await playOrFail({ options, isOver }, pair));
      await opened?.close();
    }
  } finally {
    await pictures.close();
    await stage.closing.close();
  }
}

/** A scene by its name, and how it is opened, whatever its processes are. */
function staged<P extends { close(): Promise<void> }>(
  stage: Stage,
  { name: scene, pairs }: { readonly name: string; readonly pairs: readonly Pair<P>[] },
  openWorld: (sandbox: Sandbox) => Promise<World<P>>,
) {
  const open = async (sandbox: Sandbox) => {
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
  };
  return [scene, open] as const;
}

function nameOf(scene: string, [one, other, how]: Pair<never>): string {
  return `${scene}: ${one.name} and ${other.name}${how?.begun === undefined ? "" : ", which has begun"}`;
}
