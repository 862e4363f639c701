import { expect, test } from "vitest";
import { onEveryEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";
import { expectCountedOnce, expectEveryMentionOnce } from "./story.ts";

const RULES = {
  negative: NEGATIVE,
  "negative-count": `
description: Counts whatever is negative.
severity: warning
when: { sentiment: negative }
volume: { atLeast: 1000, within: 1h }
`,
};

onEveryEngine((begin) => {
  test("two processes that find the same due poll run it once", async () => {
    const story = await begin({ rules: RULES });
    const other = await story.join();
    story.at("09:02").mentions("Acme", { count: 20, sentiment: "negative" });
    await story.until("09:05");
    await Promise.all([story.earshot.sweep(), other.sweep(), story.earshot.sweep(), other.sweep()]);
    await story.until("09:10");
    const polls = await story.query<{ poll: string; polls: number }>(
      "select poll, count(*)::int as polls from earshot.coverage group by poll order by poll",
    );
    expect(polls).toEqual([
      { poll: "added", polls: 2 },
      { poll: "updated", polls: 2 },
    ]);
    await expectEveryMentionOnce(story);
    await expectCountedOnce(story);
    expect(await story.posted("#alerts")).toHaveLength(1);
  });
});
