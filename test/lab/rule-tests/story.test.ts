import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { storyOf } from "../../../src/lab/rule-tests/story.ts";
import { readRuleTest } from "../../../src/lab/rule-tests/test-file.ts";

async function storyWith(expectation: string) {
  const folder = await mkdtemp(join(tmpdir(), "earshot-story-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "some.test.yaml");
  await writeFile(
    file,
    `rule: some
start: 2026-03-02T08:00 Etc/UTC
story:
  - { at: "09:00", mentions: 3 within 10m }
expect:
  - ${expectation}
`,
  );
  const read = await readRuleTest(file);
  if (!("test" in read)) throw new Error("the rule test has faults");
  const story = storyOf(read.test, ["Acme"]);
  return {
    story,
    reads: [...story.readsSlackAt].map((at) => new Date(at).toISOString().slice(11, 16)).sort(),
  };
}

test.each([
  ['{ by: "09:20", alert: firing, email: "*" }', []],
  ['{ by: "09:20", slack: "*" }', ["09:20"]],
  ['{ by: "09:20", after: "09:12", slack: "*" }', ["09:12", "09:20"]],
  ['{ never: { alert: any, before: "09:20" } }', []],
])("a Slack message is looked at when an expectation names it: %s", async (expectation, moments) => {
  expect((await storyWith(expectation)).reads).toEqual(moments);
});

test("what a Slack message must never say is looked at whenever the clock stops", async () => {
  const { story } = await storyWith('{ never: { slack: "*refund*", before: "09:20" } }');
  expect([...story.readsSlackAt]).toEqual(story.stops);
  expect(story.stops.length).toBeGreaterThan(5);
});
