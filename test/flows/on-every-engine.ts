import { afterAll, afterEach, beforeAll, describe, inject } from "vitest";
import { oneBySeed } from "../one-by-seed.ts";
import { type Engine, queueEngines } from "./engines.ts";
import { type Story, startStory } from "./story.ts";
import type { StorySetting } from "./story-setting.ts";

export type BeginStory = (setting: Omit<StorySetting, "engine">) => Promise<Story>;

type Stories = (begin: BeginStory, engine: Engine) => void;

/**
 * The same stories with queues on each engine of this machine (in `npm test` on one). `begin` begins one; it is ended
 * with its test.
 */
export function onEveryEngine(stories: Stories): void {
  const nth = stories.toString().length;
  playOn(inject("isThorough") ? oneBySeed(queueEngines(), nth) : queueEngines().slice(-1), stories);
}

/**
 * Stories of rules, routes and people, which need any queue: on Redis if there is one, since that starts faster.
 * Everything that an engine could do differently (delays, retries, races, losses) runs on every engine.
 */
export function onAnyEngine(stories: Stories): void {
  playOn(queueEngines().slice(-1), stories);
}

function playOn(engines: readonly Engine[], stories: Stories): void {
  describe.each(engines)("with queues on $name", (engine) => {
    const begun: Story[] = [];
    beforeAll(() => engine.open());
    afterAll(() => engine.close());
    afterEach(async () => {
      for (const story of begun.splice(0)) await story.end();
    });
    stories(async (setting) => {
      const story = await startStory({ engine, ...setting });
      begun.push(story);
      return story;
    }, engine);
  });
}
