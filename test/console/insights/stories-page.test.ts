import { expect, test } from "vitest";
import { createTimes } from "../../../src/console/common/times.ts";
import { storiesPage } from "../../../src/console/insights/stories-page.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import type { SpreadStory } from "../../../src/monitor/model/shown.ts";
import { InsightsQuestion } from "../../../src/monitor/views/question.ts";
import { readRange } from "../../../src/monitor/views/range.ts";
import { aMention } from "../../mention.ts";

const NOW = Date.UTC(2026, 2, 3, 12);
const times = createTimes(createManualClock(NOW), "UTC");
const question = InsightsQuestion.parse({ last: "7d" });
const scope = { question, queries: [], chosen: [], range: readRange(question, NOW, "UTC"), hasZones: false };

function pageOf(url: string): string {
  const first = aMention({ url, publishedAt: NOW, addedAt: NOW });
  const story: SpreadStory = {
    ...{ story: "s", mentions: 3, before: 0, negative: 1, authors: 2, first, widest: first },
    ...{ lastAt: NOW, sites: [], steps: [], stories: 1 },
  };
  return storiesPage("/insights/stories", scope, [story], { times, script: "/x.js" }).body.toString();
}

test("the first mention of a story is a link, but not to an address that looks like another site", () => {
  expect(pageOf("https://blog.example/1")).toContain('<a href="https://blog.example/1"');
  for (const url of ["https://bank.example@evil.example/", "javascript:alert(1)"])
    expect(pageOf(url)).not.toContain(">open</a>");
});
