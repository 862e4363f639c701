import { expect, test } from "vitest";
import { createStoryCache, foldStories, type StoryFacts } from "../../../src/monitor/ingest/fold-stories.ts";
import { storyOf } from "../../../src/monitor/model/story.ts";
import { aMention } from "../../mention.ts";

const QUERY = { projectId: "p", queryId: "q" };
const NEWS =
  "Northwind Airlines will cancel two hundred flights this weekend because of a shortage of pilots, the carrier said on Friday.";

test("the stories of a page are dropped when its transaction is rolled back", async () => {
  const cache = createStoryCache();
  // The tables have nothing: whatever was appended went with the transaction.
  const facts: StoryFacts = {
    since: async () => ({ version: 0, batches: [] }),
    append: async () => {},
  };
  const first = storyOf(aMention({ text: NEWS, resourceId: "m1" }));
  const second = storyOf(aMention({ text: NEWS.replace("shortage", "lack"), resourceId: "m2" }));
  await foldStories(facts, cache, QUERY, [first]);
  const after = await foldStories(facts, cache, QUERY, [second]);
  expect([...after.folded]).toEqual([]);
  after.done();
  const known = await foldStories(facts, cache, QUERY, [first]);
  expect([...known.folded]).toEqual([[0, second.key]]);
});
