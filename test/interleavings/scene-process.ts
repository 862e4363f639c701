import { stopSignal } from "../../src/lib/stop-signal.ts";
import type { PairReport, PlayOptions } from "./play-pair.ts";
import { playScenes, type SceneOrder } from "./play-scenes.ts";

/** What a process that plays scenes is told: how, and then a scene whenever it asks for one; null: no more. */
export type FromRunner = { readonly begin: PlayOptions } | { readonly scene: SceneOrder | null };
/** What it says. */
export type FromScenes = "next" | PairReport;

const signal = stopSignal();
const say = (what: FromScenes): void => void process.send?.(what);
const heard = (): Promise<FromRunner> => new Promise((resolve) => process.once("message", resolve));

const first = await heard();
if (!("begin" in first)) throw new Error("it is not said how to play");
await playScenes(
  { ...first.begin, signal },
  async () => {
    const answer = heard();
    say("next");
    const order = await answer;
    return "scene" in order ? order.scene : null;
  },
  say,
);
process.disconnect();
