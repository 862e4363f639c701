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

onEveryEngine((tell) => {
  test("two processes that look at the same walk walk it once", async () => {
    const story = await tell({ rules: RULES });
    const other = await story.join();
    story.at("09:02").mentions("Acme", { count: 20, sentiment: "negative" });
    await story.until("09:05");
    await Promise.all([story.earshot.sweep(), other.sweep(), story.earshot.sweep(), other.sweep()]);
    await story.until("09:10");
    const walks = await story.query<{ walk: string; polls: number }>(
      "select walk, count(*)::int as polls from earshot.coverage group by walk order by walk",
    );
    expect(walks).toEqual([
      { walk: "added", polls: 2 },
      { walk: "updated", polls: 2 },
    ]);
    await expectEveryMentionOnce(story);
    await expectCountedOnce(story);
    expect(await story.told("#alerts")).toHaveLength(1);
  });
});
