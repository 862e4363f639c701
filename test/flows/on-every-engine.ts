import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { type Engine, queueEngines } from "./engines.ts";
import { type Story, type StorySetting, startStory } from "./story.ts";

export type Tell = (setting: Omit<StorySetting, "engine">) => Promise<Story>;

/** The same stories with queues on each engine that this machine has. `tell` begins one; it is ended with its test. */
export function onEveryEngine(tests: (tell: Tell, engine: Engine) => void): void {
  describe.each(queueEngines())("with queues on $name", (engine) => {
    const begun: Story[] = [];
    beforeAll(() => engine.open());
    afterAll(() => engine.close());
    afterEach(async () => {
      for (const story of begun.splice(0)) await story.end();
    });
    tests(async (setting) => {
      const story = await startStory({ engine, ...setting });
      begun.push(story);
      return story;
    }, engine);
  });
}
