import { expect, test } from "vitest";
import { readCoverage } from "../../src/monitor/polling/read-coverage.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { onAnyEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";
import { storyTime } from "./story-time.ts";

const CROWD = `
description: Many people speak at once.
severity: warning
volume: { atLeast: 10, within: 15m }
over: { after: 15m }
`;

onAnyEngine((begin) => {
  test("a clock that was two hours ahead and is set back delays no poll, no alert and no count", async () => {
    const story = await begin({ rules: { negative: NEGATIVE, crowd: CROWD } });
    const stateOf = async () => {
      const facts = createConsoleStore(story.database.db);
      const { polls } = await readCoverage(facts, [], story.clock.now());
      return polls.map(({ clockAheadMs }) => clockAheadMs);
    };
    story.at("09:10").mention("Acme", { sentiment: "neutral", snippet: "Hello" });
    story.at("09:45").mention("Acme", { sentiment: "negative", snippet: "Terrible", author: "ann" });
    story.at("09:50").mentions("Acme", { count: 12, sentiment: "neutral", snippet: "Look at that" });
    await story.until("09:20");
    story.clock.set(storyTime("11:25"));
    await story.settle();
    story.clock.set(storyTime("09:30"));
    expect(await stateOf()).toEqual([115 * 60_000, 115 * 60_000]);
    await story.settle();
    expect(await stateOf()).toEqual([null, null]);
    await story.until("10:05");
    const alerts = await story.query<{ rule: string }>("select rule from earshot.alerts order by rule");
    expect(alerts.map(({ rule }) => rule)).toEqual(["crowd", "negative"]);
  });
});
